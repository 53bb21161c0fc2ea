/** The forms of a page, as a browser that shows it would send them. */

/** `fields` are those of a form that nobody has changed; `buttons` the words on its buttons. */
export type ShownForm = { readonly action: string; readonly fields: URLSearchParams; readonly buttons: string[] };

type Open = { readonly form: ShownForm | undefined; readonly name: string; first?: string; chosen?: string };

export async function readForms(page: Response): Promise<ShownForm[]> {
  const forms: ShownForm[] = [];
  let select: Open | undefined;
  let area: { readonly form: ShownForm | undefined; readonly name: string; text: string } | undefined;
  let button: ShownForm | undefined;
  const byId = new Map<string, ShownForm>();
  /** The form around the element, or the one that it names. */
  const formOf = (element: Element) => {
    const id = element.getAttribute("form");
    return id === null ? forms.at(-1) : byId.get(id);
  };
  const rewriter = new HTMLRewriter()
    .on("form", {
      element(element) {
        const action = element.getAttribute("action")?.replaceAll("&amp;", "&") ?? "";
        const form = { action, fields: new URLSearchParams(), buttons: [] };
        forms.push(form);
        byId.set(element.getAttribute("id") ?? "", form);
      },
    })
    .on("form input", {
      element(element) {
        const [name, type, value] = ["name", "type", "value"].map((each) => element.getAttribute(each));
        const isOff = (type === "checkbox" || type === "radio") && !element.hasAttribute("checked");
        if (name && !isOff) formOf(element)?.fields.append(name, unescaped(value ?? (type === "checkbox" ? "on" : "")));
      },
    })
    .on("form select", {
      element(element) {
        const opened: Open = { form: formOf(element), name: element.getAttribute("name") ?? "" };
        select = opened;
        element.onEndTag(() => {
          opened.form?.fields.append(opened.name, opened.chosen ?? opened.first ?? "");
        });
      },
    })
    .on("form option", {
      element(element) {
        const value = unescaped(element.getAttribute("value") ?? "");
        if (select === undefined) return;
        select.first ??= value;
        if (element.hasAttribute("selected")) select.chosen = value;
      },
    })
    .on("form textarea", {
      element(element) {
        const opened = { form: formOf(element), name: element.getAttribute("name") ?? "", text: "" };
        area = opened;
        element.onEndTag(() => {
          // A browser sends line ends of two characters.
          opened.form?.fields.append(opened.name, unescaped(opened.text).replaceAll("\n", "\r\n"));
        });
      },
      text({ text }) {
        if (area) area.text += text;
      },
    })
    .on("form button", {
      element(element) {
        button = formOf(element);
      },
      text({ text }) {
        if (text.trim()) button?.buttons.push(text.trim());
      },
    });
  await rewriter.transform(page).text();
  return forms;
}

/** The form with this button. */
export async function readForm(page: Response, button: string): Promise<ShownForm> {
  const found = (await readForms(page)).find(({ buttons }) => buttons.includes(button));
  if (found === undefined) throw new Error(`no form of the page has the button ${button}`);
  return found;
}

const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };
const unescaped = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? "");
