/** The page that an owner visits, and the list before it, to which the owner comes back after a decision. */
import type { Context } from "hono";
import { isOwnPage } from "../../model/own-page.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { filledIn } from "./own-link.ts";

/** What a page says of the button that was pressed before. */
const TOLD = [
  "nothing-chosen",
  "status-not-chosen",
  "assignee-not-chosen",
  "comments-not-chosen",
  "merge-needs-two",
  "merge-needs-one-board",
  "waiting-left-out",
  "status-changed",
  "decided-before",
  "several-merged",
  "several-deleted",
  "text-changed",
  "change-skipped",
  "changes-skipped",
  "webhook-deleted",
  "left",
  "emails-saved",
  "webhook-created-before",
  "secret-rotated-before",
  "assigned",
  "several-assigned",
  "assigned-back",
  "private-tags-saved",
  "approvals-undone",
  "note-added",
  "note-saved",
  "note-deleted",
] as const;
export type Told = (typeof TOLD)[number];

/** `here`: this page, as a link. `back`: the list from which it was opened. `undo`: the event of the last decision; `redo`: if that was an undo. */
export type PageVisit = {
  readonly here: string;
  readonly back: string | undefined;
  readonly undo: string | undefined;
  readonly redo: string | undefined;
  /** Whom the last decision was about, because events name no panelist. */
  readonly person: string | undefined;
  /** The ideas that stay chosen after a decision about them. */
  readonly chosen: readonly string[];
  /** What a page of the desk has filled in. */
  readonly filled: URLSearchParams;
  readonly told: Told | undefined;
};

const askedWith = (c: Context<OwnerEnv>): URLSearchParams =>
  new URL(c.get("asked"), "https://own.invalid").searchParams;

/** What this page was opened to say. */
export const toldAt = (c: Context<OwnerEnv>): Told | undefined => {
  const told = askedWith(c).get("told");
  return TOLD.find((each) => each === told);
};

/** Leads back to a list, which then says this. */
export const tellAt = (list: string, told: Told): string => withParameter(list, "told", told);

/** The path, if it is one of our pages; otherwise `other`. */
export const ownPage = (path: string | null, other: string): string => (path && isOwnPage(path) ? path : other);

/**
 * Removes the parameters that filter no list, because a cursor is valid only with the same filters. Empty fields of a form are
 * removed too. Read again, for the page of a form that was refused, it is the same visit. `notices`: the page's own parameters that say
 * what was done before.
 */
export function readVisit(c: Context<OwnerEnv>, notices: readonly string[] = []): PageVisit {
  const filled = filledIn(c);
  const url = new URL(c.req.url);
  for (const name of ["told", ...notices]) url.searchParams.delete(name);
  const take = (name: string) => {
    url.searchParams.delete(name);
    return askedWith(c).get(name);
  };
  const [back, undo, redo, person] = [take("back"), take("undo"), take("redo"), take("person")];
  const chosen = take("chosen")?.split(",") ?? [];
  const given = new URLSearchParams([...url.searchParams].filter(([, value]) => value.trim() !== ""));
  url.search = given.toString();
  // A form was read before this line, so the body is not needed.
  c.req.raw = new Request(url, { method: c.req.method, headers: c.req.raw.headers });
  const here = url.pathname + url.search;
  return {
    here,
    back: ownPage(back, "") || undefined,
    undo: undo ?? undefined,
    redo: redo ?? undefined,
    person: person ?? undefined,
    chosen,
    filled,
    told: toldAt(c),
  };
}

/** The page with these parameters, too. */
export const withParameters = (path: string, parameters: readonly (readonly [string, string])[]): string =>
  parameters.reduce((to, [name, value]) => withParameter(to, name, value), path);

/** The page with one more parameter, before its fragment. */
export function withParameter(path: string, name: string, value: string): string {
  const url = new URL(path, "https://own.invalid");
  url.searchParams.set(name, value);
  return url.pathname + url.search + url.hash;
}

/** The page, with the list from which it was opened. */
export const backTo = (here: string, back: string | undefined): string =>
  back === undefined ? here : withParameter(here, "back", back);
