/** Finds the place where a text stops being JSON (RFC 8259), because `JSON.parse` does not always say it. Pure. */

const SPACE = /[ \t\n\r]*/y;
const WORD = /true|false|null/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A string without its last quote. JSON forbids only the first 32 control characters. */
const STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/uy;

/** The token that may come next: a value, a value or `]`, a name, a name or `}`, or the token after a value. */
type Expected = "value" | "first-value" | "name" | "first-name" | "after-value";

/**
 * The index of the first character that no JSON text can have there; the text's length if it ends too early. Undefined for valid
 * JSON.
 */
export function indexOfFault(text: string): number | undefined {
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const isThere = pattern.test(text);
    if (isThere) at = pattern.lastIndex;
    return isThere;
  };
  const takeCharacter = (character: string): boolean => {
    const isThere = text[at] === character;
    if (isThere) at += 1;
    return isThere;
  };
  const takeString = () => take(STRING) && takeCharacter('"');

  const open: ("]" | "}")[] = [];
  let expected: Expected = "value";
  for (;;) {
    take(SPACE);
    const close = open.at(-1);
    const mayClose = expected === "first-value" || expected === "first-name" || expected === "after-value";
    if (close && mayClose && takeCharacter(close)) {
      open.pop();
      expected = "after-value";
    } else if (expected === "after-value") {
      if (close === undefined) return at === text.length ? undefined : at;
      if (!takeCharacter(",")) return at;
      expected = close === "]" ? "value" : "name";
    } else if (expected === "name" || expected === "first-name") {
      if (!takeString()) return at;
      take(SPACE);
      if (!takeCharacter(":")) return at;
      expected = "value";
    } else if (takeCharacter("[")) {
      open.push("]");
      expected = "first-value";
    } else if (takeCharacter("{")) {
      open.push("}");
      expected = "first-name";
    } else if (takeString() || take(NUMBER) || take(WORD)) {
      expected = "after-value";
    } else return at;
  }
}
