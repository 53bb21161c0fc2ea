/**
 * The decodings of a text: a credential is often found as somebody has stored or sent it. As base64 (a secret of Kubernetes, Basic
 * auth, also twice), broken into lines, in a URL, as JSON, or as HTML. Pure. Each pass takes time in proportion to what it reads, and
 * the characters that are decoded are bounded.
 */

/** Together the decodings of a text are at most this many times as long as the text. */
const MOST_TIMES = 16;
/** The decodings of all texts of a report are together at most this long. */
const MOST_CHARACTERS = 1024 * 1024;
/** Text that was encoded more often is not decoded. */
const MOST_LAYERS = 3;

/** A shorter run has no credential in it. */
const BASE64 = /(?<![\w+/-])[\w+/-]{32,}/g;
/** Letters, digits and signs; a control character means that these were no bytes of a text. */
const TEXT = /^[\t\n\r\x20-\x7e\x80-\uffff]+$/;
/** A line break with a shell's or an e-mail's prefix and an indent, or written as an escape. */
const LINE_BREAK = /[=\\]?\r?\n[ \t]*|\\[rn]/g;
/** `%5F`, `%255F`, `=5F` (quoted-printable), `\x5f`, `\u005f`, `&#x5f;`, `&#95;`. */
const ESCAPED = /(?:%(?:25)*|=|\\x|\\u00|&#x)([0-9a-f]{2});?|&#(\d{2,3});/gi;

/**
 * For each text of a report: the text, then its decodings, each once, those of one layer before those of the next. What may be decoded
 * is shared out among the texts, and what short ones leave goes to longer ones. So no text takes another's share.
 */
export function decodingsOf(texts: readonly string[]): string[][] {
  const found: string[][] = texts.map((text) => [text]);
  let left = MOST_CHARACTERS;
  const shortestFirst = [...texts.entries()].toSorted(([, one], [, other]) => one.length - other.length);
  for (const [waiting, [index, text]] of shortestFirst.entries()) {
    const share = Math.min(MOST_TIMES * text.length, Math.floor(left / (texts.length - waiting)));
    const decoded = decode(text, share);
    left -= decoded.reduce((sum, each) => sum + each.length, 0);
    found[index]?.push(...decoded);
  }
  return found;
}

/** The decodings alone, of at most `most` characters together. */
function decode(text: string, most: number): string[] {
  const found = new Set([text]);
  let left = most;
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
  found.delete(text);
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

/** The different parts of a text and its decodings that `find` yields. After `most` of them the rest is not looked at. */
export function findAlike(texts: readonly string[], find: (text: string) => Iterable<string>, most: number): string[] {
  const found = new Set<string>();
  for (const text of texts) {
    for (const each of find(text)) {
      found.add(each);
      if (found.size === most) return [...found];
    }
  }
  return [...found];
}
