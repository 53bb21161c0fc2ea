/** Builds DOM nodes. Texts become text nodes: nothing is ever parsed as HTML. No inline styles, so a strict CSP has nothing to refuse. */

type Value = string | number | boolean | null | undefined | ((event: Event) => void);
export type Attributes = Readonly<Record<string, Value>>;
export type Child = Node | string | false | null | undefined;

/** An `<img name="createElement">` in the page hides the document's own method, so the prototype's is called. */
const { createElement, createElementNS } = Document.prototype;

const isGiven = <Given>(value: Given): value is Exclude<Given, false | null | undefined> =>
  value !== false && value != null;

/** `h("button", { type: "button", onclick: close }, "Close")`. An attribute that is `false`, null or undefined is left out. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = createElement.call(document, tag) as HTMLElementTagNameMap[Tag];
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (isGiven(value)) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter(isGiven));
  return element;
}

/** A heading of the level that the page's outline needs, 1 to 6. */
export const heading = (level: number, attributes: Attributes, ...children: readonly Child[]): HTMLHeadingElement =>
  h(`h${Math.min(level, 6)}` as "h2", attributes, ...children);

const SVG = "http://www.w3.org/2000/svg";

/** A decoration of 16 x 16 units, drawn with one stroked path. */
export function icon(path: string): SVGSVGElement {
  const svg = createElementNS.call(document, SVG, "svg") as SVGSVGElement;
  const line = createElementNS.call(document, SVG, "path");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}
