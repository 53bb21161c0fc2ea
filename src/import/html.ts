/**
 * Text of a spreadsheet in which a service has left HTML. Text without HTML stays as it is: "a < b", "List<String>", a tag that is only
 * mentioned.
 */
import { compile, type FormatCallback, type HtmlToTextOptions } from "html-to-text";

const BLOCKS = "blockquote|div|dl|figure|h[1-6]|hr|li|ol|p|pre|table|tbody|td|th|thead|tr|ul";
const INLINE = "a|b|br|code|em|i|img|s|small|span|strong|style|script|sub|sup|u";
/** A tag of HTML, or a comment. Everything else in angle brackets is text. */
const TAG = new RegExp(`^<(?:(/?)(${BLOCKS}|${INLINE})(?=[\\s/>])|!--)`, "i");

/** A tag that ends, or a line break. Nobody writes one of these by chance. */
const EVIDENCE = new RegExp(`</(?:${BLOCKS}|${INLINE})\\s*>|<br\\s*/?>`, "i");
/** The marks divide the lines of a text that is in them from its beginning to its end. Otherwise its own lines count, too. */
const WHOLE = new RegExp(`^\\s*<(?:(?:${BLOCKS}|style|script)\\b|!--)[^]*>\\s*$`, "i");
/** Nothing has to end these. */
const VOID = /^(?:br|hr|img|li|p|td|th|tr)$/i;

/** A link keeps its address, unless its text is the address, or it leads nowhere that a browser opens. */
const formatLink: FormatCallback = (element, walk, builder) => {
  const href: unknown = element.attribs?.href;
  let text = "";
  builder.pushWordTransform((word) => {
    text += word;
    return word;
  });
  walk(element.children, builder);
  builder.popWordTransform();
  if (typeof href === "string" && /^https?:/i.test(href) && text !== href)
    builder.addInline(` (${href})`, { noWordTransform: true });
};

const heading = (level: number) => ({ selector: `h${level}`, options: { uppercase: false } });

const options: HtmlToTextOptions = {
  wordwrap: false,
  formatters: { link: formatLink },
  selectors: [
    { selector: "a", format: "link" },
    { selector: "img", format: "skip" },
    { selector: "ul", options: { itemPrefix: "- " } },
    { selector: "table", format: "dataTable", options: { uppercaseHeaderCells: false } },
    ...[1, 2, 3, 4, 5, 6].map(heading),
  ],
  /** Nobody nests text deeper; a file can. */
  limits: { maxDepth: 100 },
};
const convert = compile(options);
const convertKeepingLines = compile({ ...options, preserveNewlines: true });

/** Escapes each `<` that begins no tag, and each tag that is only mentioned, because nothing ends it. */
function withTextEscaped(html: string): string {
  const ended = new Set(Array.from(html.matchAll(/<\/([a-z][a-z0-9]*)\s*>/gi), ([, name = ""]) => name.toLowerCase()));
  return html.replaceAll("<", (_, at: number) => {
    const [tag, end, name = ""] = TAG.exec(html.slice(at, at + 16)) ?? [];
    if (tag === undefined) return "&lt;";
    return end === "" && !VOID.test(name) && !ended.has(name.toLowerCase()) ? "&lt;" : "<";
  });
}

/** Undefined for a text without HTML. Links keep their address, lists their items. */
export function textOfHtml(html: string): string | undefined {
  if (!EVIDENCE.test(html)) return undefined;
  return (WHOLE.test(html) ? convert : convertKeepingLines)(withTextEscaped(html)).trim();
}
