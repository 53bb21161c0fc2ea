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
  /** The comment on it. */
  readonly comment: () => string | undefined;
  /** Each is a page of the site. */
  readonly arePages: boolean;
};

const ownPage: Addresses = {
  of: (idea, comment) => withParameters(location.href, { idea, comment }),
  named: () => parameter("idea"),
  comment: () => /[?&]idea=[^&]*&comment=(\w+)/.exec(location.search)?.[1],
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
  return { of, named, comment: () => parameter("comment"), arePages: true };
}

const LOADED = window.navigation?.currentEntry?.key;

/** A router that keeps its routes in the fragment takes the parameter along to its other routes. There it names nothing. */
export const isCarried = (): boolean => /^#!?\//.test(location.hash) && window.navigation?.currentEntry?.key !== LOADED;

/** The idea that a board does not have, by the board. */
const lacking = new WeakMap<Element, string>();

/** One address opens one idea: the first board or roadmap of the page that may have it takes it, a visible one before others. */
function takerOf(idea: string): Element | undefined {
  // An `<img name="querySelectorAll">` in the page hides the document's own method.
  const boards = Document.prototype.querySelectorAll.call(
    document,
    ":is(idea-bank-board, idea-bank-roadmap):is([history], [idea-url])",
  );
  const able = [...boards].filter((each) => lacking.get(each) !== idea);
  return able.find((each) => each.checkVisibility()) ?? able[0];
}

export const takesAddress = (board: Element, idea: string): boolean => (takerOf(idea) ?? board) === board;

/** `board` does not have this idea. The one that takes its address then. */
export function passOn(board: Element, idea: string): Element | undefined {
  lacking.set(board, idea);
  return takerOf(idea);
}
