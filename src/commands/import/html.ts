/** Text of a service that keeps HTML. Text without HTML stays as it is: "a < b", "List<String>", a tag that is only mentioned. */
import { compile, type FormatCallback, type HtmlToTextOptions } from "html-to-text";

/** A tag that ends, or a line break. Nobody writes one of these by chance. */
const EVIDENCE =
  /<\/(?:a|b|blockquote|code|div|em|h[1-6]|i|li|ol|p|pre|s|span|strong|table|tbody|td|th|tr|u|ul)\s*>|<br\s*\/?>/i;

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
/** Where the source has no marks for lines, its own lines are the lines of the text. */
const convertKeepingLines = compile({ ...options, preserveNewlines: true });

/** Undefined for a text without HTML. Links keep their address, lists their items. */
export function textOfHtml(html: string): string | undefined {
  if (!EVIDENCE.test(html)) return undefined;
  return (/<(?:p|br|div|li)\b/i.test(html) ? convert(html) : convertKeepingLines(html)).trim();
}
