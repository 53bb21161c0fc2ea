/** Others' words in an e-mail: cut, on one line, and with nothing in them that a mail program makes a link of. Pure. */

/** No space, and no break of the line either: U+2060, WORD JOINER. It is not seen. */
const JOINER = "\u2060";
const SEGMENTS = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * Mail programs make links of `evil.com`, `a@b.c`, `tel:` and `www.` by themselves. A joiner after each dot, `@`, colon and slash that stands
 * inside a word keeps the words readable and breaks the address.
 */
export const unlinked = (text: string): string => text.replace(/[.@:/。．｡＠](?=\S)/gu, `$&${JOINER}`);

/** Line breaks and what else no line has become spaces, so the text cannot end a header or look like another paragraph of ours. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u2028\u2029]+/gu, " ")
    .replace(/[\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/gu, "")
    .replace(/ {2,}/g, " ")
    .trim();

/** At most `most` characters (UTF-16 units), with an ellipsis where it was cut. Never cut inside what is read as one character. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  let kept = "";
  for (const { segment } of SEGMENTS.segment(text.slice(0, most + 64))) {
    if (kept.length + segment.length > most - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
