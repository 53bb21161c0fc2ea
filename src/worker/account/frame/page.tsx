/**
 * A page of the desk is one file: what it reads (`load`), how it looks (`view`) and what its form does (`act`). `account/routes.ts` lists
 * them all.
 */
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { FieldError } from "../../http/invalid-request.ts";
import type { Routes } from "../../http/routes.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { countWaiting } from "./count-waiting.ts";
import { type Allowed, fieldErrorsOf, renderPage } from "./render-page.tsx";

/** A form that was refused, and its errors by field. */
export type SentForm = { readonly fields: URLSearchParams; readonly errors: readonly FieldError[] };

type Definition<Path extends string, Props extends object> = {
  readonly path: Path;
  /** A response leads elsewhere. */
  readonly load: (c: Context<OwnerEnv, Path>) => Promise<Props | Response> | Props | Response;
  readonly view: (props: NoInfer<Props>) => Child;
  /** What this page does and others do not. */
  readonly allows?: Allowed;
  /** What the page's form does, where it has one. Props show the page with the result. */
  readonly act?: (c: Context<OwnerEnv, Path>) => Promise<NoInfer<Props> | Response>;
  /** Where the form is sent, if that is another path than the page's. */
  readonly formPath?: string;
  /**
   * What the page shows of its form when that was refused (`invalid-request`), for this error. Without it, the answer is the page of the
   * problem.
   */
  readonly refused?: (
    c: Context<OwnerEnv, Path>,
    sent: SentForm,
    error: unknown,
  ) => Promise<NoInfer<Props> | Response> | NoInfer<Props>;
};

/** A line of `account/routes.ts`: adds the routes of a page. */
export type DeskRoute = (routes: Routes<OwnerEnv>) => void;

export function page<const Path extends string, Props extends object>(definition: Definition<Path, Props>): DeskRoute {
  const { path, load, view: View, act, formPath = path, refused, allows } = definition;
  const show = (c: Context<OwnerEnv>, props: Props | Response, status: 200 | 400 = 200) => {
    if (props instanceof Response) return props;
    return renderPage(c, <View {...props} />, allows ? { allows, status } : status);
  };
  return (routes) => {
    routes.get<string>(path, async (c) => {
      countWaiting(c);
      return show(c, await load(c));
    });
    if (act === undefined) return;
    routes.post<string>(formPath, async (c) => {
      try {
        return await show(c, await act(c));
      } catch (error) {
        const fields = c.get("form");
        if (refused === undefined || fields === undefined) throw error;
        countWaiting(c);
        return show(c, await refused(c, { fields, errors: fieldErrorsOf(error) }, error), 400);
      }
    });
  };
}

/** What a form does that is on pages of other paths. */
export const action =
  <const Path extends string>(path: Path, act: (c: Context<OwnerEnv, Path>) => Promise<Response>): DeskRoute =>
  (routes) =>
    void routes.post<string>(path, act);

/** What a page leads to or shows, without the frame of the desk. */
export const file =
  <const Path extends string>(path: Path, answer: (c: Context<OwnerEnv, Path>) => Promise<Response>): DeskRoute =>
  (routes) =>
    void routes.get<string>(path, answer);

/** An address that a page had, where a browser may still have it open: its forms are sent again to where it leads. */
export const moved =
  <const Path extends string>(
    path: Path,
    leadsTo: (c: Context<OwnerEnv, Path>) => Promise<string> | string,
  ): DeskRoute =>
  (routes) =>
    void routes.all<string>(path, async (c) => c.redirect(await leadsTo(c), c.req.method === "POST" ? 307 : 303));
