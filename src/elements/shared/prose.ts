/** A text that people wrote, with light formatting and links. It is made of elements and text nodes: nothing is parsed as HTML. */
import { type Attributes, type Child, h } from "#h";
import { type Block, type Inline, parseText } from "../../worker/model/light-formatting.ts";

export const prose = (text: string, attributes: Attributes = {}): HTMLElement =>
  h("div", { class: "prose", ...attributes }, ...parseText(text).map(block));

export const setProse = (element: HTMLElement, text: string): void =>
  element.replaceChildren(...parseText(text).map(block));

/** Line breaks stay in the text: the style sheet shows them. */
function block(each: Block): HTMLElement {
  // A name in quotes is not shortened, so it is one that the API has, too.
  if (!("items" in each))
    return h(each.kind, {}, ...each.lines.flatMap((line, at) => [at > 0 && "\n", ...line.map(inline)]));
  const list = h(each.kind, {}, ...each.items.map((item) => h("li", {}, ...item.map(inline))));
  // Not by `h`: an element has a method of this name, which is shortened.
  if (each.start > 1) list.setAttribute("start", String(each.start));
  return list;
}

function inline(piece: Inline): Child {
  if ("text" in piece) return piece.kind === "code" ? h("code", {}, piece.text) : piece.text;
  const link = "href" in piece && { href: piece.href, target: "_blank", rel: "nofollow ugc noopener" };
  return h(piece.kind, link || {}, ...piece.parts.map(inline));
}
