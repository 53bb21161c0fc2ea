/** The tab's title names the open idea, before the page's own. A title that the page sets meanwhile is its own, too. */

// An `<img name="title">` in the page hides the document's own property.
const read = (): string => Reflect.get(Document.prototype, "title", document);

/** As it was before an idea was named, and as it was written here. */
let [page, written] = ["", ""];
/** The board whose idea is named. */
let namer: object | undefined;

/** Without an idea, it is the page's again, unless another board has named it. */
export function nameTab(board: object, idea?: string): void {
  if (!idea && namer && namer !== board) return;
  namer = idea ? board : undefined;
  const shown = read();
  if (shown !== written) page = shown;
  const title = [idea, page].filter(Boolean).join(" · ");
  if (title !== shown) Reflect.set(Document.prototype, "title", title, document);
  written = read();
}
