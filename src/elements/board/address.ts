/**
 * The addresses of ideas. A page that has one for each idea says it (`idea-url`), and where the list is (`home-url`). Otherwise it is the
 * page's own with the parameter `idea`: all other parameters, and the hash, stay as the page has written them.
 */

import { parameter, withParameters } from "../shared/link.ts";

export type Addresses = {
  /** Of an idea, or of a comment on it; without one, of the list. */
  readonly of: (idea?: string, comment?: string) => string;
  /** The idea that the tab's address names. */
  readonly named: () => string | undefined;
  /** Each is a page of the site. */
  readonly arePages: boolean;
};

const ownPage: Addresses = {
  of: (idea, comment) => withParameters(location.href, { idea, comment }),
  named: () => parameter("idea"),
  arePages: false,
};

const absolute = (address: string) => new URL(address, document.baseURI).href;

/** `ideaUrl` has `{idea}` in the place of the identifier. */
export function addressesOf(ideaUrl: string | null, homeUrl: string | null): Addresses {
  if (!ideaUrl) return ownPage;
  const [before = "", after = ""] = ideaUrl.split("{idea}");
  const beginning = absolute(before);
  const named = () => {
    const { href } = location;
    return href.startsWith(beginning) ? /^\w+/.exec(href.slice(beginning.length))?.[0] : undefined;
  };
  const home = homeUrl ? absolute(homeUrl) : location.href;
  const of = (idea?: string, comment?: string) =>
    idea ? withParameters(beginning + encodeURIComponent(idea) + after, { comment }) : home;
  return { of, named, arePages: true };
}

/** One address opens one idea: the first visible board or roadmap of the page takes it. */
export function takesAddress(board: Element): boolean {
  // An `<img name="querySelectorAll">` in the page hides the document's own method.
  const boards = Document.prototype.querySelectorAll.call(
    document,
    ":is(idea-bank-board, idea-bank-roadmap):is([history], [idea-url])",
  );
  const first = [...boards].find((each) => each.checkVisibility());
  return first === undefined || first === board;
}
