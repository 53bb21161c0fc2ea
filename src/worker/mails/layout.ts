/** How an e-mail is laid out: as text, and as simple HTML. No picture and no address but the links: nothing tells us that it was read. */
import type { Brand } from "../model/brand.ts";
import { directionOf, type Language } from "../model/language.ts";

type Link = { readonly label: string; readonly href: string };
/** A sentence of ours, somebody's words, or a link. */
export type Paragraph = string | { readonly quote: string } | Link;

type Content = {
  readonly brand: Brand;
  readonly language: Language;
  readonly paragraphs: readonly Paragraph[];
  readonly link: Link | undefined;
  readonly foot: readonly (string | Link)[];
};

/** Names are any text. */
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const inText = (part: string | Link): string => (typeof part === "string" ? part : `${part.label}\n${part.href}`);

/** E-mail programs apply no style sheet reliably, so each element has its own style. Colors come in pairs, for dark programs too. */
export function layOut({ brand, language, paragraphs, link, foot }: Content): { text: string; html: string } {
  const base = "font:16px/1.5 system-ui,-apple-system,sans-serif;margin:0 0 16px";
  const button = `display:inline-block;padding:10px 18px;border-radius:6px;background:${brand.color ?? "#2450c8"};color:#ffffff;text-decoration:none;font-weight:600`;
  const small = `${base};font-size:13px;opacity:.75`;
  const quoteStyle = `${base};padding-inline-start:12px;border-inline-start:3px solid #9aa3b2`;
  const inHtml = (part: Paragraph): string => {
    if (typeof part === "string") return `<p dir="auto" style="${base}">${escaped(part)}</p>`;
    return "quote" in part
      ? `<blockquote dir="auto" style="${quoteStyle}">${escaped(part.quote)}</blockquote>`
      : `<p style="${base}"><a href="${escaped(part.href)}">${escaped(part.label)}</a></p>`;
  };
  const footHtml = (part: string | Link): string =>
    typeof part === "string"
      ? `<p style="${small}">${escaped(part)}</p>`
      : `<p style="${small}"><a href="${escaped(part.href)}" style="color:inherit">${escaped(part.label)}</a></p>`;
  const html = [
    `<!doctype html><html lang="${language}" dir="${directionOf(language)}"><head><meta charset="utf-8">`,
    `<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"></head>`,
    `<body style="margin:0;padding:24px"><div style="max-width:560px;margin:0 auto">`,
    `<p style="${base};font-weight:650">${escaped(brand.name)}</p>`,
    ...paragraphs.map(inHtml),
    ...(link
      ? [`<p style="${base}"><a href="${escaped(link.href)}" style="${button}">${escaped(link.label)}</a></p>`]
      : []),
    ...foot.map(footHtml),
    "</div></body></html>",
  ].join("");
  const text = [
    ...paragraphs.map((part) => (typeof part === "object" && "quote" in part ? `> ${part.quote}` : inText(part))),
    ...(link ? [inText(link)] : []),
    `-- \n${foot.map(inText).join("\n")}`,
  ]
    .join("\n\n")
    .concat("\n");
  return { text, html };
}
