/**
 * Light formatting of texts that people write: `**bold**`, `*italic*`, `` `code` ``, lists, quotes, named links, bare URLs and
 * paragraphs. The result is a tree, never HTML. Anything else stays as it was typed.
 */

import { linkIn } from "./links.ts";

/** A part of a line; `kind` is its HTML element. A link's `href` begins with http:, https: or mailto:. */
export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "em"; readonly parts: readonly Inline[] }
  | { readonly kind: "a"; readonly href: string; readonly parts: readonly Inline[] };

/** A paragraph and a quote have lines, a list has items. */
export type Block =
  | { readonly kind: "p" | "blockquote"; readonly lines: readonly (readonly Inline[])[] }
  | { readonly kind: "ul" | "ol"; readonly start: number; readonly items: readonly (readonly Inline[])[] };

const LINK = /^(?:https?:\/\/|mailto:)[^\s<>"\p{C}]+$/iu;
/**
 * In this order at one place. No part contains what can end it, so each text is read once. An address ends at white space, quotation marks
 * and characters that no address contains: control and direction characters, and the marks that end a sentence or a quotation in scripts
 * without spaces.
 */
const MARKS =
  /`([^`\n]+)`|\[([^[\]\n]+)\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)|\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*|\*(?=\S)([^*\n]+?)(?<=\S)\*|\bhttps?:\/\/[^\s<>"“”«»\p{C}、。「」『』【】！（），：；？]+/giu;
/** A name that is an address itself would say that it leads there. */
const LIKE_ADDRESS = /^\s*(?:https?:|www\.)/i;
/** A longer line is not parsed: nobody formats one. */
const LINE_AT_MOST = 5_000;

/** The parts of one line. */
export function parseLine(line: string): readonly Inline[] {
  if (line.length > LINE_AT_MOST) return [{ kind: "text", text: line }];
  const parts: Inline[] = [];
  let at = 0;
  for (const match of line.matchAll(MARKS)) {
    const [whole, code, name, address, bold, italic] = match;
    const found = toInline({ whole, code, name, address, bold, italic });
    if (found === undefined) continue;
    if (match.index > at) parts.push({ kind: "text", text: line.slice(at, match.index) });
    parts.push(found.part);
    at = match.index + found.length;
  }
  if (at < line.length) parts.push({ kind: "text", text: line.slice(at) });
  return parts;
}

type Match = { readonly whole: string } & {
  readonly [Name in "code" | "name" | "address" | "bold" | "italic"]: string | undefined;
};

/** Undefined for what only looks like a mark. */
function toInline({ whole, code, name, address, bold, italic }: Match) {
  const as = (part: Inline, length = whole.length) => ({ part, length });
  if (code !== undefined) return as({ kind: "code", text: code });
  if (name !== undefined && address !== undefined)
    return LINK.test(address) && !(LIKE_ADDRESS.test(name) && name !== address)
      ? as({ kind: "a", href: address, parts: [{ kind: "text", text: name }] })
      : undefined;
  if (bold !== undefined) return as({ kind: "strong", parts: parseLine(bold) });
  if (italic !== undefined) return as({ kind: "em", parts: parseLine(italic) });
  const href = linkIn(whole);
  return href === undefined ? undefined : as({ kind: "a", href, parts: [{ kind: "text", text: href }] }, href.length);
}

const BULLET = /^ {0,3}[-*•] +(?=\S)/;
const NUMBER = /^ {0,3}(\d{1,4})[.)] +(?=\S)/;
const QUOTE = /^ {0,3}> ?/;

const MARK_OF = { blockquote: QUOTE, ul: BULLET, ol: NUMBER, p: /^/ } as const;
type Kind = Block["kind"] | "blank";

const kindOf = (line: string): Kind =>
  line.trim() === ""
    ? "blank"
    : ((Object.keys(MARK_OF) as Block["kind"][]).find((kind) => MARK_OF[kind].test(line)) ?? "p");

/** The blocks of a text, from top to bottom. */
export function parseText(text: string): readonly Block[] {
  const groups: { kind: Kind; lines: string[] }[] = [];
  for (const line of text.replaceAll("\r", "").split("\n")) {
    const kind = kindOf(line);
    const last = groups.at(-1);
    if (last?.kind === kind) last.lines.push(line);
    else groups.push({ kind, lines: [line] });
  }
  return groups.flatMap(({ kind, lines: [first = "", ...others] }): Block[] => {
    if (kind === "blank") return [];
    const parsed = [first, ...others].map((line) => parseLine(line.replace(MARK_OF[kind], "")));
    return kind === "p" || kind === "blockquote"
      ? [{ kind, lines: parsed }]
      : [{ kind, start: Number(NUMBER.exec(first)?.[1] ?? 1), items: parsed }];
  });
}

const plain = (parts: readonly Inline[]): string =>
  parts.map((part) => ("text" in part ? part.text : plain(part.parts))).join("");

/** The first line that has words, without its marks. */
export function firstLine(text: string): string {
  const line = text.split("\n").find((each) => each.trim() !== "") ?? "";
  return plain(parseLine(line.replace(QUOTE, "").replace(BULLET, "").replace(NUMBER, "").trim()));
}
