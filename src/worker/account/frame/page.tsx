/**
 * A page of the desk is one file: what it reads (`load`), how it looks (`view`) and what its form does (`act`). `account/routes.ts` lists
 * them all.
 */
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { FieldError } from "../../http/invalid-request.ts";
import type { Needs } from "../../model/role.ts";
import { heard } from "../confirm.ts";
import { requireRole } from "../identity/role.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { renderChangedMeanwhile } from "./changed-meanwhile.tsx";
import { countWaiting } from "./count-waiting.ts";
import { ChangedMeanwhile } from "./opened-form.tsx";
import { type Allowed, fieldErrorsOf, renderPage } from "./render-page.tsx";

/** A form that was refused, and its errors by field. */
export type SentForm = { readonly fields: URLSearchParams; readonly errors: readonly FieldError[] };

type Definition<Path extends string, Props extends object> = {
  readonly path: Path;
  /** Who may open the page, and send its form. Without it, a viewer opens it, and a member sends. */
  readonly needs?: Needs | { readonly opens: Needs; readonly sends: Needs };
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

/** What answers at a path, and what it needs. */
type Answering = {
  readonly method: "GET" | "POST" | "ALL";
  readonly path: string;
  readonly needs: Needs;
  readonly answer: (c: Context<OwnerEnv>) => Promise<Response>;
};

/** A line of `account/routes.ts`: the routes of a page. */
export type DeskRoute = readonly Answering[];

/** A page's methods take parameters of its own path, and are only called there. */
type At<Path extends string, Answer> = (c: Context<OwnerEnv, Path>) => Answer;

export function page<const Path extends string, Props extends object>(definition: Definition<Path, Props>): DeskRoute {
  const {
    path,
    load,
    view: View,
    act,
    formPath = path,
    refused,
    allows,
    needs = { opens: "viewer", sends: "member" },
  } = definition;
  const { opens, sends } = typeof needs === "string" ? { opens: needs, sends: needs } : needs;
  const show = (c: Context<OwnerEnv>, props: Props | Response, status: 200 | 400 = 200) => {
    if (props instanceof Response) return props;
    return renderPage(c, <View {...props} />, allows ? { allows, status } : status);
  };
  const open = async (c: Context<OwnerEnv>) => {
    countWaiting(c);
    // The page is read with what the visitor may do, and shown after it.
    const loaded = heard(Promise.resolve(load(c)));
    await requireRole(c, opens);
    return show(c, await loaded);
  };
  const opened: Answering = { method: "GET", path, needs: opens, answer: open };
  if (act === undefined) return [opened];
  const send = async (c: Context<OwnerEnv>) => {
    await requireRole(c, sends);
    try {
      return await show(c, await act(c));
    } catch (error) {
      if (error instanceof ChangedMeanwhile) return renderChangedMeanwhile(c, error);
      const fields = c.get("form");
      if (refused === undefined || fields === undefined) throw error;
      countWaiting(c);
      return show(c, await refused(c, { fields, errors: fieldErrorsOf(error) }, error), 400);
    }
  };
  return [opened, { method: "POST", path: formPath, needs: sends, answer: send }];
}

/** What a form does that is on pages of other paths. */
export const action = <const Path extends string>(
  path: Path,
  act: At<Path, Promise<Response>>,
  needs: Needs = "member",
): DeskRoute => [{ method: "POST", path, needs, answer: guarded(act, needs) }];

/** What a page leads to or shows, without the frame of the desk. */
export const file = <const Path extends string>(
  path: Path,
  answer: At<Path, Promise<Response>>,
  needs: Needs = "viewer",
): DeskRoute => [{ method: "GET", path, needs, answer: guarded(answer, needs) }];

const guarded =
  <const Path extends string>(answer: At<Path, Promise<Response>>, needs: Needs) =>
  async (c: Context<OwnerEnv>) => {
    await requireRole(c, needs);
    return answer(c);
  };

/** An address that a page had, where a browser may still have it open: its forms are sent again to where it leads. */
export const moved = <const Path extends string>(
  path: Path,
  leadsTo: At<Path, Promise<string> | string>,
): DeskRoute => [
  {
    ...{ method: "ALL", path, needs: "viewer" },
    answer: async (c) => c.redirect(await leadsTo(c), c.req.method === "POST" ? 307 : 303),
  },
];
