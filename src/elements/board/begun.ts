/**
 * What a visitor had begun when a sign-in was needed. The tab keeps one of it, for the page that follows the sign-in, which takes it once.
 * It goes on by itself only for who began it: on the page to which the board's own sign-in has led. Whoever else is signed in then is asked.
 */
import { h } from "../shared/h.ts";
import { forget, recall, remember } from "../shared/storage.ts";
import type { IdeaBank } from "./idea-bank.ts";

export type Begun = {
  /** The idea, or the form; undefined for the list. */
  readonly view?: string | undefined;
  /** On the idea. */
  readonly comment?: string | undefined;
  /** `comment` brings the visitor back to the field. */
  readonly act?: "vote" | "comment";
  /** For the form; of the idea that is voted for. */
  readonly title?: string | undefined;
};
type Kept = Begun & {
  readonly bank: string;
  /** Who was known when it was begun: a panelist whose token had ended, or the idea bank. Empty for who came back without the sign-in. */
  readonly by: string;
  /** In Unix milliseconds. */
  readonly at: number;
};

const KEY = "idea-bank-board:begun";
/** A sign-in takes minutes. */
const SURE_MS = 15 * 60_000;
/** After a pause, somebody else may be at the screen. */
const YOUNG_MS = 60 * 60_000;

export const isYoung = (at = Number.NaN, within = YOUNG_MS): boolean => Date.now() - at < within;

export const keepBegun = (begun: Begun & Omit<Kept, "at">): void =>
  remember(KEY, JSON.stringify({ at: Date.now(), ...begun }), "sessionStorage");

/** The visitor has gone back, or on to something else. */
export const endBegun = (): void => forget(KEY, "sessionStorage");

const read = (): Kept | undefined => {
  try {
    return JSON.parse(recall(KEY, "sessionStorage") ?? "");
  } catch {
    // Nothing was begun.
    return undefined;
  }
};

/** Something was begun a moment ago, here or on another board, and nobody has come back without the sign-in. */
export function hasBegun(): boolean {
  const begun = read();
  return begun !== undefined && begun.by !== "" && isYoung(begun.at, SURE_MS);
}

/** The page before this one was that of the sign-in (else this one), or another site's, which knows people for this one. */
function isFromSignIn(signInUrl = location.href): boolean {
  const before = window.navigation?.activation?.from?.url || document.referrer || location.origin;
  const [address = ""] = h("a", { href: signInUrl }).href.split("?");
  return !before.startsWith(location.origin) || before.startsWith(address);
}

/** How the browser came to this page. */
const wayHere = (): unknown => performance.getEntriesByType("navigation")[0]?.toJSON().type;

/** `isSure`: it was begun by who is signed in now. A visitor takes nothing, and has come back without the sign-in. */
export function takeBegun(
  { bank, who, isVisitor }: IdeaBank,
  signInUrl: string | undefined,
): (Begun & { readonly isSure: boolean }) | undefined {
  const begun = read();
  if (begun?.bank !== bank) return undefined;
  endBegun();
  const { at, by } = begun;
  if (isVisitor) {
    if (wayHere() !== "back_forward") keepBegun({ ...begun, by: "" });
    return undefined;
  }
  const isBack = at > performance.timeOrigin || (wayHere() === "navigate" && isFromSignIn(signInUrl));
  return isYoung(at) ? { ...begun, isSure: isBack && isYoung(at, SURE_MS) && [bank, who].includes(by) } : undefined;
}
