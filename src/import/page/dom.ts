/** Elements of the page. Texts of a file are text here, never HTML. */
type Properties = Readonly<Record<string, string | boolean | number | undefined>>;

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Properties = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes))
    if (value === true) made.setAttribute(attribute, "");
    else if (value !== undefined && value !== false) made.setAttribute(attribute, String(value));
  made.append(...children);
  return made;
}

export function button(label: string, act: () => void, look = ""): HTMLButtonElement {
  const made = element("button", { type: "button", class: look || undefined }, label);
  made.addEventListener("click", act);
  return made;
}

/** A table as `account/frame/table.tsx` draws it. */
export function table(caption: string, columns: readonly string[], rows: readonly (readonly string[])[]): HTMLElement {
  const head = element("tr", {}, ...columns.map((column) => element("th", { scope: "col" }, column)));
  const body = rows.map((cells) =>
    element("tr", {}, ...cells.map((cell, index) => element("td", { "data-of": columns[index], dir: "auto" }, cell))),
  );
  return element(
    "div",
    { class: "table", role: "group", tabindex: 0, "aria-label": caption },
    element("table", { class: "list" }, element("thead", {}, head), element("tbody", {}, ...body)),
  );
}

/** The first of them, and how many more there are. */
export function list(items: readonly string[], { atMost }: { readonly atMost: number }): HTMLElement {
  const more = items.length - atMost;
  return element(
    "ul",
    {},
    ...items.slice(0, atMost).map((item) => element("li", { dir: "auto" }, item)),
    ...(more > 0 ? [element("li", {}, `And ${inDigits(more)} more`)] : []),
  );
}

export const inDigits = (count: number): string => count.toLocaleString("en");
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${inDigits(count)} ${count === 1 ? noun : plural}`;
