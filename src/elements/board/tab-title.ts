/** The tab's title names the open idea, before the page's own. A title that the page sets meanwhile is its own, too. */

// An `<img name="title">` in the page hides the document's own property.
const read = (): string => Reflect.get(Document.prototype, "title", document);

/** As it was before an idea was named, and as it was written here. */
let [page, written] = ["", ""];

/** Without an idea, it is the page's again. */
export function nameTab(idea?: string): void {
  const shown = read();
  if (shown !== written) page = shown;
  const title = [idea, page].filter(Boolean).join(" · ");
  if (title !== shown) Reflect.set(Document.prototype, "title", title, document);
  written = read();
}
