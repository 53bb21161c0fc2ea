/** Where an owner is, and was: pages come back to the list that they were opened from, with what was decided. */
import type { Context } from "hono";
import type { OwnerEnv } from "./owner-env.ts";

/** `here`: this page, as a link. `back`: the list that it was opened from. `undo`: the event of what was just decided. */
export type PageVisit = { readonly here: string; readonly back: string | undefined; readonly undo: string | undefined };

/** A page of ours, and nothing else: whoever sends the address, it leads nowhere else. */
const isOwnPage = (path: string): boolean => /^\/account\/[\w/-]*(\?[\w%&=.~+*-]*)?(#[\w-]*)?$/.test(path);

/** The path, if it is one of our pages; otherwise `other`. */
export const ownPage = (path: string | null, other: string): string => (path && isOwnPage(path) ? path : other);

/** Takes out of the URL what no list is filtered by: a cursor is for the same filters. Fields of a form that were left empty are none. */
export function readVisit(c: Context<OwnerEnv>): PageVisit {
  const url = new URL(c.req.url);
  const take = (name: string) => {
    const value = url.searchParams.get(name);
    url.searchParams.delete(name);
    return value;
  };
  const [back, undo] = [take("back"), take("undo")];
  const given = new URLSearchParams([...url.searchParams].filter(([, value]) => value.trim() !== ""));
  url.search = given.toString();
  // A form was read before this.
  c.req.raw = new Request(url, { method: c.req.method, headers: c.req.raw.headers });
  const here = url.pathname + url.search;
  return { here, back: ownPage(back, "") || undefined, undo: undo ?? undefined };
}

/** The page with one more parameter, before its fragment. */
export function withParameter(path: string, name: string, value: string): string {
  const url = new URL(path, "https://own.invalid");
  url.searchParams.set(name, value);
  return url.pathname + url.search + url.hash;
}
