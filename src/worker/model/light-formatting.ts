/**
 * Light formatting of texts that people write: `**bold**`, `*italic*`, `` `code` ``, code between fences, lists, quotes, named links,
 * bare URLs and paragraphs; `\*` is a star. The result is a tree, never HTML. Anything else stays as it was typed.
 */

import { isTrueName, linkIn } from "./links.ts";

/** A part of a line; `kind` is its HTML element. A link's `href` begins with http:, https: or mailto:. */
export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "em"; readonly parts: readonly Inline[] }
  | { readonly kind: "a"; readonly href: string; readonly parts: readonly Inline[] };

/** A paragraph, a quote and fenced code have lines, a list has items. */
export type Block =
  | { readonly kind: "p" | "blockquote" | "pre"; readonly lines: readonly (readonly Inline[])[] }
  | { readonly kind: "ul" | "ol"; readonly start: number; readonly items: readonly (readonly Inline[])[] };

const LINK = /^(?:https?:\/\/|mailto:)[^\s<>"\p{C}]+$/iu;
/**
 * In this order at one place. No part contains what can end it, so each text is read once. An address may follow an underscore, which
 * is a mark elsewhere. It ends at white space, quotation marks and characters that no address contains: control and direction characters,
 * and the marks that end a sentence or a quotation in scripts without spaces.
 */
const MARKS =
  /\\([*_`[\]])|(`{1,3})([^`\n]+)\2|\[([^[\]\n]+)\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)|\*\*(?=\S)((?:\\.|[^*\\\n])+)(?<=\S)\*\*|\*(?=\S)((?:\\.|[^*\\\n])+)(?<=\S)\*|(?<![^\W_])https?:\/\/[^\s<>"“”«»\p{C}、。「」『』【】！（），：；？]+/giu;
/** A longer line is not parsed: nobody formats one. */
const LINE_AT_MOST = 5_000;

const plainText = (text: string): Inline => ({ kind: "text", text });

/** The parts of one line. */
export function parseLine(line: string): readonly Inline[] {
  if (line.length > LINE_AT_MOST) return [plainText(line)];
  const parts: Inline[] = [];
  let at = 0;
  for (const match of line.matchAll(MARKS)) {
    const found = toInline(match);
    if (!found) continue;
    if (match.index > at) parts.push(plainText(line.slice(at, match.index)));
    parts.push(found.part);
    at = match.index + found.length;
  }
  if (at < line.length) parts.push(plainText(line.slice(at)));
  return parts;
}

/** A match of `MARKS`, whose groups are never empty texts. Undefined for what only looks like a mark. */
function toInline([whole, escaped, , code, name, address, bold, italic]: RegExpExecArray) {
  const as = (part: Inline, length = whole.length) => ({ part, length });
  if (escaped) return as(plainText(escaped));
  if (code) return as({ kind: "code", text: code });
  if (name && address)
    return LINK.test(address) && (name === address || isTrueName(name, address))
      ? as({ kind: "a", href: address, parts: [plainText(name)] })
      : undefined;
  if (bold) return as({ kind: "strong", parts: parseLine(bold) });
  if (italic) return as({ kind: "em", parts: parseLine(italic) });
  const href = linkIn(whole);
  return href && as({ kind: "a", href, parts: [plainText(href)] }, href.length);
}

const BULLET = /^ {0,3}[-*•] +(?=\S)/;
const NUMBER = /^ {0,3}(\d{1,4})[.)] +(?=\S)/;
const QUOTE = /^ {0,3}> ?/;
/** What stands after it may name a language. */
const FENCE = /^ {0,3}`{3,}[^`]*$/;

const MARK_OF = { blank: /^\s*$/, blockquote: QUOTE, ul: BULLET, ol: NUMBER, p: /^/ } as const;
type Kind = keyof typeof MARK_OF;

const kindOf = (line: string): Kind => (Object.keys(MARK_OF) as Kind[]).find((kind) => MARK_OF[kind].test(line)) ?? "p";

/** However they end. */
export const linesOf = (text: string): readonly string[] => text.split(/\r\n?|\n/);

/** The blocks of a text, from top to bottom. Code without its second fence goes on to the end. */
export function parseText(text: string): readonly Block[] {
  const groups: { kind: Kind | "pre"; lines: string[] }[] = [];
  let isCode = false;
  for (const line of linesOf(text)) {
    const isFence = FENCE.test(line);
    if (isFence) isCode = !isCode;
    const kind = isFence || isCode ? "pre" : kindOf(line);
    const last = groups.at(-1);
    if (last?.kind === kind && !(isFence && isCode)) last.lines.push(line);
    else groups.push({ kind, lines: [line] });
  }
  return groups.flatMap(({ kind, lines }): Block[] => {
    if (kind === "blank") return [];
    if (kind === "pre") {
      const code = lines.filter((line) => !FENCE.test(line));
      const asTyped = (each: readonly string[]) => each.map((line) => [plainText(line)]);
      // Fences around nothing are none.
      return [code.length > 0 ? { kind, lines: asTyped(code) } : { kind: "p", lines: asTyped(lines) }];
    }
    const parsed = lines.map((line) => parseLine(line.replace(MARK_OF[kind], "")));
    return kind === "p" || kind === "blockquote"
      ? [{ kind, lines: parsed }]
      : [{ kind, start: Number(NUMBER.exec(lines[0] ?? "")?.[1] ?? 1), items: parsed }];
  });
}

const plain = (parts: readonly Inline[]): string =>
  parts.map((part) => ("text" in part ? part.text : plain(part.parts))).join("");

/** The first line that has words, without its marks. */
export function firstLine(text: string): string {
  const line = linesOf(text).find((each) => each.trim() !== "" && !FENCE.test(each)) ?? "";
  return plain(parseLine(line.replace(QUOTE, "").replace(BULLET, "").replace(NUMBER, "").trim()));
}
