/** The document's descriptions: sentences with `code`. */
import { html } from "hono/html";

export const prose = (text: string) =>
  html`${text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
