/**
 * The decodings of a text: a credential is often found as somebody has stored or sent it. As base64 (a secret of Kubernetes, Basic
 * auth, also twice), broken into lines, in a URL, as JSON, or as HTML. Pure, and bounded by the text's length.
 */

/** Together the decoded texts are at most this many times as long as the text. */
const MOST_TIMES = 16;
/** Text that was encoded more often is not decoded. */
const MOST_LAYERS = 3;

/** A shorter run has no credential in it. */
const BASE64 = /[\w+/-]{32,}/g;
/** Letters, digits and signs; a control character means that these were no bytes of a text. */
const TEXT = /^[\t\n\r\x20-\x7e\x80-\uffff]+$/;
/** A line break with a shell's or an e-mail's prefix and an indent, or written as an escape. Each match takes linear time. */
const LINE_BREAK = /[=\\]?\r?\n[ \t]*|\\[rn]/g;
/** `%5F`, `%255F`, `=5F` (quoted-printable), `\x5f`, `\u005f`, `&#x5f;`, `&#95;`. */
const ESCAPED = /(?:%(?:25)*|=|\\x|\\u00|&#x)([0-9a-f]{2});?|&#(\d{2,3});/gi;

/** The text, then its decodings, each once: those of one layer before those of the next. */
export function decodingsOf(text: string): string[] {
  const found = new Set([text]);
  let left = MOST_TIMES * text.length;
  let layer = [text];
  for (let depth = 0; depth < MOST_LAYERS; depth += 1) {
    const next: string[] = [];
    for (const each of layer.flatMap(decodeOnce)) {
      if (found.has(each) || each.length > left) continue;
      left -= each.length;
      found.add(each);
      next.push(each);
    }
    layer = next;
  }
  return [...found];
}

const decodeOnce = (text: string): string[] => [
  text.replace(LINE_BREAK, ""),
  text.replace(ESCAPED, (_, hex: string | undefined, decimal: string) =>
    String.fromCharCode(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
  ),
  ...[...text.matchAll(BASE64)].flatMap(([run]) => fromBase64(run)),
];

/** Decodes from each of the four possible starts, because the text before the run can look like a part of it. */
const fromBase64 = (run: string): string[] =>
  [0, 1, 2, 3].flatMap((start) => {
    const digits = run.slice(start).replaceAll("-", "+").replaceAll("_", "/");
    const decoded = atob(digits.slice(0, digits.length - (digits.length % 4 === 1 ? 1 : 0)));
    // Some systems encode texts of two bytes a letter.
    const letters = decoded.replaceAll("\0", "");
    return TEXT.test(letters) ? [letters] : [];
  });
