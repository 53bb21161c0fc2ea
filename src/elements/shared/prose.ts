/** A text that people wrote, with links where it has addresses. All of it is text nodes: nothing is parsed as HTML. */
import { type Attributes, h } from "./h.ts";
import { splitLinks } from "./links.ts";

export const prose = (text: string, attributes: Attributes = {}): HTMLElement => {
  const element = h("p", { class: "prose", ...attributes });
  setProse(element, text);
  return element;
};

export const setProse = (element: HTMLElement, text: string): void =>
  element.replaceChildren(
    ...splitLinks(text).map((piece, at) =>
      at % 2 === 0 ? piece : h("a", { href: piece, target: "_blank", rel: "nofollow ugc noopener" }, piece),
    ),
  );
