/** The forms of a page, as a browser that shows it would send them. */

/** What one of a form's buttons adds to its fields, and where it sends them, if not to the form's own address. */
type Sender = { readonly action: string | undefined; readonly field: readonly [string, string] | undefined };

/** `fields` are those of a form that nobody has changed; `buttons` the words on its buttons. */
export type ShownForm = Readonly<ReadForm>;
type ReadForm = {
  method: string;
  action: string;
  readonly fields: URLSearchParams;
  readonly buttons: string[];
  readonly senders: Sender[];
};

type Open = { readonly form: ShownForm | undefined; readonly name: string; first?: string; chosen?: string };

export async function readForms(page: Response): Promise<ShownForm[]> {
  const forms: ShownForm[] = [];
  let select: Open | undefined;
  let area: { readonly form: ShownForm | undefined; readonly name: string; text: string } | undefined;
  let button: ShownForm | undefined;
  const byId = new Map<string, ReadForm>();
  const createForm = (): ReadForm => ({
    method: "get",
    action: "",
    fields: new URLSearchParams(),
    buttons: [],
    senders: [],
  });
  /** Something may name its form before that comes. */
  const named = (id: string): ReadForm => {
    const form = byId.get(id) ?? createForm();
    byId.set(id, form);
    return form;
  };
  /** The form around the element, or the one that it names. */
  const formOf = (element: Element) => {
    const id = element.getAttribute("form");
    return id === null ? forms.at(-1) : named(id);
  };
  const rewriter = new HTMLRewriter()
    .on("form", {
      element(element) {
        const id = element.getAttribute("id");
        const form = id === null ? createForm() : named(id);
        form.method = element.getAttribute("method") ?? "get";
        form.action = unescaped(element.getAttribute("action") ?? "");
        forms.push(form);
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
    });
  // An input and a button may be outside of their form.
  for (const selector of ["form input:not([form])", "input[form]"])
    rewriter.on(selector, {
      element(element) {
        const [name, type, value] = ["name", "type", "value"].map((each) => element.getAttribute(each));
        const isOff = (type === "checkbox" || type === "radio") && !element.hasAttribute("checked");
        if (name && !isOff) formOf(element)?.fields.append(name, unescaped(value ?? (type === "checkbox" ? "on" : "")));
      },
    });
  for (const selector of ["form button:not([form])", "button[form]"])
    rewriter.on(selector, {
      element(element) {
        button = formOf(element);
        if ((element.getAttribute("type") ?? "submit") !== "submit") return;
        const [name, value, action] = ["name", "value", "formaction"].map((each) => element.getAttribute(each));
        button?.senders.push({
          action: action ? unescaped(action) : undefined,
          field: name ? [name, unescaped(value ?? "")] : undefined,
        });
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
