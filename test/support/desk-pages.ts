/**
 * The pages of Account Settings, as its routes say, and an address of each in an account that `desk-account.ts` has filled. A new page
 * is in every test that asks for `DESK_PAGES`. All of it runs in workerd and in Node.
 */
import { createAccountApp } from "../../src/worker/account/app.ts";
import { createMemory } from "../../src/worker/app.ts";
import type { DeskIds } from "./desk-account.ts";

const { routes } = createAccountApp(createMemory(() => 0));

const isForPeople = (path: string): boolean => !path.startsWith("/account/api/") && !path.includes("*");

/** A path with an extension is a file; the same path with a slash at its end is the same page. */
export const DESK_PAGES: readonly string[] = routes
  .filter(({ method, path }) => method === "GET" && isForPeople(path) && !/\.\w+$|\/$/.test(path))
  .map(({ path }) => path);

/** What the pages' forms are sent to. */
export const DESK_FORMS: readonly string[] = routes
  .filter(({ method, path }) => method === "POST" && isForPeople(path))
  .map(({ path }) => path);

/** The path is this route's, as the router sees it. */
export const isAt = (route: string, path: string): boolean =>
  new RegExp(`^${route.replace(/:\w+/g, "[^/]+")}$`).test(path);

/** Where one comes to sign in, and is nobody yet. */
export const SIGN_IN = "/account/sign-in";

/** Pages that show nothing without the ideas that the page before them has sent. */
const OF_CHOSEN_IDEAS = ["/account/ideas/merge", "/account/ideas/delete", "/account/ideas/publish"];
export const isOfChosen = (page: string): boolean => OF_CHOSEN_IDEAS.includes(page);

/** The names of the page's identifiers. */
export const parametersOf = (page: string): string[] =>
  [...page.matchAll(/:(\w+)/g)].map(([, parameter = ""]) => parameter);

/** The address of the page in the account with these identifiers, some of them replaced. */
export function addressOfPage(page: string, ids: DeskIds, instead: Readonly<Record<string, string>> = {}): string {
  const known: Readonly<Record<string, string>> = { ...ids, ...instead };
  const path = page.replace(/:(\w+)/g, (_, name: string) => {
    const id = known[name];
    if (id === undefined) throw new Error(`${page}: make what :${name} names in test/support/desk-account.ts`);
    return id;
  });
  const { ideaBankId, proposalId, otherProposalId } = known;
  return isOfChosen(page) ? `${path}?ids=${ideaBankId}-${proposalId}&ids=${ideaBankId}-${otherProposalId}` : path;
}
