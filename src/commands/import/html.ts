/** Text of a service that keeps HTML. What is none stays as it is: "a < b", "List<String>", a tag that is only mentioned. */

/** A tag that ends, or a line break. Nobody writes one of these by chance. */
const EVIDENCE =
  /<\/(?:a|b|blockquote|code|div|em|h[1-6]|i|li|ol|p|pre|s|span|strong|table|tbody|td|th|tr|u|ul)\s*>|<br\s*\/?>/i;
const BLOCK = new Set("blockquote div h1 h2 h3 h4 h5 h6 ol p pre table ul".split(" "));
const LINE = new Set(["br", "tr"]);
/** The lengths are bounded: a tag that never ends must not be looked for to the end of the file again and again. */
const PART =
  /<!--[\s\S]{0,100000}?-->|<(script|style)\b[^>]{0,2000}>[\s\S]{0,100000}?<\/\1\s*>|<(\/?)([a-z][a-z0-9]*)\b((?:"[^"<]{0,4000}"|'[^'<]{0,4000}'|[^'"<>]){0,2000})>|&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/gi;
const NAMED: ReadonlyMap<string, string> = new Map([
  ...([
    ["amp", "&"],
    ["lt", "<"],
    ["gt", ">"],
    ["quot", '"'],
    ["apos", "'"],
    ["nbsp", "\u00a0"],
  ] as const),
  ...([
    ["hellip", "…"],
    ["ndash", "–"],
    ["mdash", "—"],
    ["lsquo", "‘"],
    ["rsquo", "’"],
  ] as const),
  ...([
    ["ldquo", "“"],
    ["rdquo", "”"],
    ["bull", "•"],
    ["copy", "©"],
    ["euro", "€"],
  ] as const),
]);

/** Undefined for a text without HTML. Links keep their address, lists their items. */
export function textOfHtml(html: string): string | undefined {
  if (!EVIDENCE.test(html)) return undefined;
  // Lines of the source are no lines of the text, where the text has marks for them.
  const source = /<(?:p|br|div|li)\b/i.test(html) ? html.replaceAll(/[ \t\r\n]+/g, " ") : html;
  let [text, link, at] = ["", { href: "", start: 0 }, 0];
  for (const part of source.matchAll(PART)) {
    const [all, , slash, name = "", attributes = "", entity] = part;
    text += source.slice(at, part.index);
    at = part.index + all.length;
    if (entity !== undefined) text += characterOf(entity) ?? all;
    const tag = name.toLowerCase();
    if (tag === "a" && slash === "") {
      const [, double, single] = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(attributes) ?? [];
      link = { href: decode(double ?? single ?? ""), start: text.length };
    } else if (tag === "a") {
      if (/^https?:/i.test(link.href) && text.slice(link.start).trim() !== link.href) text += ` (${link.href})`;
      link = { href: "", start: 0 };
    } else if (BLOCK.has(tag)) text += "\n\n";
    else if (LINE.has(tag) && slash === "") text += "\n";
    else if (tag === "li" && slash === "") text += "\n- ";
    else if ((tag === "td" || tag === "th") && slash !== "") text += " ";
  }
  return (text + source.slice(at))
    .replaceAll(/[ \t]*\n[ \t]*/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

const decode = (text: string): string => text.replaceAll(PART, (all, ...groups) => characterOf(groups[4]) ?? all);

/** The character that a browser's parser makes of it: a number without a character is U+FFFD. */
function characterOf(entity: string | undefined): string | undefined {
  if (entity === undefined) return undefined;
  if (!entity.startsWith("#")) return NAMED.get(entity.toLowerCase());
  const code = /^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
  return code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? "\ufffd" : String.fromCodePoint(code);
}
