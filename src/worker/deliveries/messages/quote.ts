/**
 * Words that somebody wrote, for a message in Slack, Mattermost, Rocket.Chat or Discord: they mention nobody, link nowhere, and are read as
 * plain text. Each of the four has its own syntax, and the address does not say which one it is, so all of it is broken at once:
 *
 * - `@all`, `@channel` (Mattermost, Rocket.Chat), `@everyone`, `<@id>` (Discord), `<!channel>` (Slack, Mattermost): after each `@` and `<`
 *   comes a space without width, which nobody sees. `&`, `<` and `>` are escaped, as Slack asks.
 * - `[text](address)` and `[text]: address` (Markdown), `<address|text>` (Slack): the same after each `]` and `<`.
 * - Bare addresses, which all four make links of: the same after each dot and colon.
 * - `#name` and `~name`, links to channels in Rocket.Chat and Mattermost; `||hidden||` in Discord: the same after each of these signs.
 * - A backtick begins code that would go on in our words, so it becomes an apostrophe.
 *
 * Line breaks become spaces: headings, lists and quotes begin at the start of a line.
 */
import { withoutInvisible } from "../../model/text.ts";

const WITHOUT_WIDTH = "\u200b";
const SIGNS = /[&<>@\].:。．｡：#~|`]/gu;
const ESCAPED: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": `&lt;${WITHOUT_WIDTH}`,
  ">": "&gt;",
  "`": "’",
};
const toEscaped = (text: string): string => text.replace(SIGNS, (sign) => ESCAPED[sign] ?? sign + WITHOUT_WIDTH);

/** Made at its first use: its tables take milliseconds of an isolate's start. */
let segmenter: Intl.Segmenter | undefined;
/** So many characters are looked at for each one that may be shown: spaces and invisible characters are dropped. */
const LOOKED_AT = 4;

/**
 * At most `limit` characters (UTF-16 units), counted after escaping. What is longer is cut between two characters as people see them, and
 * ends with `…`.
 */
export function quote(words: string, limit: number): string {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const seen = words.slice(0, limit * LOOKED_AT);
  const plain = withoutInvisible(seen).replace(/\s+/gu, " ").trim();
  const characters = [...segmenter.segment(plain)].map(({ segment }) => segment);
  const isCut = seen.length < words.length;
  // The last character of a part may be half of one, and the half of a character with two parts stands after the other.
  const whole = isCut ? characters.slice(0, -2) : characters;
  let quoted = "";
  for (const [index, character] of whole.entries()) {
    const escaped = toEscaped(character);
    const isLast = index === whole.length - 1 && !isCut;
    if (quoted.length + escaped.length > limit - (isLast ? 0 : 1)) return `${quoted.trimEnd()}…`;
    quoted += escaped;
  }
  return isCut ? `${quoted.trimEnd()}…` : quoted;
}
