/**
 * What `shared/h.ts` is in a browser, for a place without a document: the same calls make the same elements, as HTML. The Worker's build
 * takes this file wherever a view says `#h` (package.json, "imports"). Handlers of events are left out: the element that takes over has
 * its own. Every text and every value is escaped here, and nowhere else.
 */
import type * as Dom from "../shared/h.ts";

/** What a view needs of an element. */
type Written = Pick<HTMLElement, "append" | "setAttribute" | "outerHTML">;

/** They have no end tag. */
const VOID = new Set(["img", "input", "br"]);

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** For a text, and for a value between double quotes. */
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? "");

function create(tag: string): Written {
  const attributes = new Map<string, string>();
  let content = "";
  return {
    setAttribute: (name: string, value: string) => void attributes.set(name, value),
    append: (...children: (Node | string)[]) => {
      for (const child of children)
        content += typeof child === "string" ? escapeHtml(child) : (child as Element).outerHTML;
    },
    get outerHTML() {
      const written = Array.from(attributes, ([name, value]) => ` ${name}="${escapeHtml(value)}"`).join("");
      return `<${tag}${written}>${VOID.has(tag) ? "" : `${content}</${tag}>`}`;
    },
  };
}

export const h: typeof Dom.h = (tag, attributes = {}, ...children) => {
  const element = create(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value !== "function" && value !== false && value != null)
      element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== false && child != null) element.append(child);
  return element as HTMLElementTagNameMap[typeof tag];
};

export const heading: typeof Dom.heading = (level, attributes, ...children) =>
  h(`h${Math.min(level, 6)}` as "h2", attributes, ...children);

export const icon: typeof Dom.icon = (path) => {
  const [svg, line] = [create("svg"), create("path")];
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  svg.append(line as Element);
  return svg as SVGSVGElement;
};
