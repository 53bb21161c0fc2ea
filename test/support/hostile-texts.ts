/**
 * Texts that somebody writes to make a pattern look at them again and again: the beginnings of everything that the code looks for,
 * many times, between what opens and what closes, and encoded.
 */

/** Beginnings of matches, and what may stand between two of them. */
const PIECES = [
  ..."ey|eyJ|eyJa.|eyJaaaaa.aaaaaaaa|ibk_|ibk_a|ibs_|ibt_0|ibv_|ibl_aaaaaaaa|whsec_|whsec_a|Bearer ".split("|"),
  ..."http://|http://a|https://a.|mailto:a@|www.|a.|.|..|a@|@|a@b|1.1.|1.|1:|a:|::|://|//|/|\\|\\\\".split("|"),
  ..."[|](|[a](|[a](x|[a](http://a(|[a.b](|()|(|)|http://a)|]|{|}|<|</a |<br |<p>|>|> |- |* |*|**|**a*|*a|_|`|``|`a".split(
    "|",
  ),
  ..."%|%25|%2525|%65|&#|&#1|&#x6|\\u00|\\u005f|\\x|=|=4|=\n|\\n|\n|\r\n|\n |\n> |\n- |\n1. | |  |\t|a |a-|-|,|a,|;|0|a|A".split(
    "|",
  ),
  ...'"|\'|"a|a"|" is not valid JSON|Unexpected token "|\n    at |"__proto__"|"__proto__" |"[|{"a":|W/"a",'.split("|"),
  ..."ey\n%65y|ey\\n\\u0065y|e\u200by|…|’|é|e\u0301|\u0301|\u0323\u0301|漢|か|か。|ｅｙ|ﷺ|İ|ß|👨\u200d|👨\u200d👩|\u200b|\u202e|\u00ad|\ufe0f|\u17b4\u200b".split(
    "|",
  ),
  ..."\u061c\u200c|\u180e|\u2028|\u0000|\ud83d".split("|"),
];

/** Letters that are all different: what is sorted or counted by letter takes longest. */
const different = (length: number) =>
  Array.from({ length }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7) % 20_000))).join("");

const AROUND: readonly (readonly [before: string, after: string])[] = [
  ["", "x"],
  ["http://a", " "],
  ["[", "](https://b.example)"],
];

const toBase64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text).subarray(0, 60_000)));

/** The words of no pattern, as people write them. */
export const plainText = (length: number): string =>
  "It would be good to have a later bus on Friday and on Saturday, for those who work until ten.\n"
    .repeat(Math.ceil(length / 94))
    .slice(0, length);

/** The texts by what they are, each as long as it may be. */
export function hostileTexts(length: number): Map<string, string> {
  const texts = new Map<string, string>();
  const fill = (piece: string, [before, after]: readonly [string, string]) =>
    before +
    piece
      .repeat(Math.max(0, Math.ceil((length - before.length - after.length) / piece.length)))
      .slice(0, length - before.length - after.length) +
    after;
  for (const piece of PIECES)
    for (const around of AROUND) texts.set(`${around[0]}${piece}×${around[1]}`, fill(piece, around));
  for (const around of AROUND)
    texts.set(`${around[0]}different letters${around[1]}`, fill(different(Math.min(length, 20_000)), around));
  // Each line of a text is read by itself, and an address has at most 2,000 characters.
  for (const line of [
    "http://a".padEnd(1_990, ")"),
    `http://${different(1_980)}`,
    `[${different(490)}](https://a.b)`,
    "**a*".repeat(1_200),
  ])
    texts.set(`lines of ${line.slice(0, 20)}`, `${line}\n`.repeat(Math.ceil(length / line.length)).slice(0, length));
  texts.set(
    "different words",
    Array.from({ length: Math.ceil(length / 5) }, (_, at) => at.toString(36))
      .join(",")
      .slice(0, length),
  );
  return texts;
}

/** The same, in base64 and in base64 of that. */
export function encodedTexts(length: number): Map<string, string> {
  const texts = new Map<string, string>();
  for (const piece of PIECES) {
    const encoded = toBase64(piece.repeat(Math.ceil(length / piece.length)));
    texts.set(`base64 of ${piece}×`, encoded.slice(0, length));
    texts.set(`base64 twice of ${piece}×`, toBase64(encoded).slice(0, length));
  }
  return texts;
}

/** The few that once held an isolate for seconds. */
export const worstTexts = (length: number): Map<string, string> =>
  new Map(
    [...hostileTexts(length), ...encodedTexts(length)].filter(([name]) =>
      /^(?:lines of|different|(?:base64 (?:twice )?of )?(?:eyJ?|ey\n%65y|ey\\n\\u0065y|"|"a|a@|a-|,|\[a\]\(x|\u0301|%25|\\n)×x?$)/.test(
        name,
      ),
    ),
  );

/** A text that takes much longer than plain words, and how many times as long. */
export type Slow = { readonly text: string; readonly ratio: number };

/** So many times as long as for plain words of the same length is still in proportion to the length: some texts have more in them. */
const MOST = 40;
/** So many are enough to know. */
const ENOUGH = 3;
const TURNS = 7;

/**
 * The texts for which `run` takes more than 40 times as long as for plain words, the first few, and the slowest of the others. `millisecondsOf`
 * says what a run took; a run of less than `floor` counts as `floor`. Only what seems slow takes more turns, in turn with the plain words, and the
 * least of each counts, so that nothing else on the machine is measured.
 */
export async function findSlow(
  texts: ReadonlyMap<string, string>,
  { millisecondsOf, floor }: { readonly millisecondsOf: (text: string) => Promise<number>; readonly floor: number },
): Promise<{ readonly slow: readonly Slow[]; readonly slowest: Slow }> {
  const slow: Slow[] = [];
  let slowest: Slow = { text: "", ratio: 0 };
  const [first = ""] = texts.values();
  const plain = plainText(first.length);
  // The first run compiles.
  await millisecondsOf(plain);
  let least = await millisecondsOf(plain);
  for (const [text, written] of texts) {
    let taken = Number.POSITIVE_INFINITY;
    let ratio = taken;
    for (let turn = 0; turn < TURNS && ratio > MOST; turn += 1) {
      taken = Math.min(taken, await millisecondsOf(written));
      if (turn > 0) least = Math.min(least, await millisecondsOf(plain));
      ratio = taken / Math.max(floor, least);
    }
    if (ratio > MOST) slow.push({ text, ratio: Math.round(ratio) });
    else if (ratio > slowest.ratio) slowest = { text, ratio };
    if (slow.length === ENOUGH) break;
  }
  return { slow, slowest };
}
