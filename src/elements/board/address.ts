/**
 * The address of an open idea: that of the page it stands in, with the parameter `idea`. All other parameters, and the hash, stay as the
 * page has written them.
 */

export const ideaInAddress = (): string | undefined => new URLSearchParams(location.search).get("idea") || undefined;

/** Without an idea it is the page's own address. */
export function addressOf(idea = ""): string {
  const address = new URL(location.href);
  const parts = address.search ? address.search.slice(1).split("&") : [];
  const own = parts.filter((part) => !part.startsWith("idea="));
  address.search = [...own, ...(idea ? [`idea=${encodeURIComponent(idea)}`] : [])].join("&");
  return address.href;
}

/** One address opens one idea: the first visible board or roadmap of the page takes it. */
export function takesAddress(board: Element): boolean {
  // An `<img name="querySelectorAll">` in the page hides the document's own method.
  const boards = Document.prototype.querySelectorAll.call(
    document,
    "idea-bank-board[history], idea-bank-roadmap[history]",
  );
  const first = [...boards].find((each) => each.checkVisibility());
  return first === undefined || first === board;
}
