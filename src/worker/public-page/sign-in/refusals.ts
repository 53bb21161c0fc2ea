/**
 * How a form of signing in is refused: the browser is led to a page that says why. A browser shows the answer to a form only once, and Back
 * would end at an error of its own. What was typed is in a cookie for a moment, and in no address.
 */
import type { Context } from "hono";
import type { AppEnv } from "../../http/app-env.ts";
import { keepTyped, type TypedFields, takeTyped } from "./cookies.ts";
import type { SignInBoard } from "./sign-in-board.ts";
import type { Label } from "./words.ts";

type Place = "notice" | "email" | "name" | "code";

/** What each page may be asked to say by its address, and where it says it. */
const FAULTS = {
  "/sign-in": {
    ...{ badEmail: "email", badName: "name", nameTaken: "name" },
    ...{ again: "notice", tooMany: "notice", mailDown: "notice", down: "notice" },
    ...{ used: "notice", expired: "notice", otherBrowser: "notice", blocked: "notice" },
  },
  "/sign-in/code": {
    ...{ notACode: "code", wrongCode: "code", newerCode: "code", tooManyTries: "code", moment: "code" },
    ...{ badName: "name", nameTaken: "name", down: "notice" },
  },
} as const satisfies Record<string, Partial<Record<Label, Place>>>;

type Page = keyof typeof FAULTS;
export type FaultOf<Of extends Page> = Of extends Page ? keyof (typeof FAULTS)[Of] & Label : never;

type Refused<Of extends Page> = { readonly faults: readonly FaultOf<Of>[]; readonly typed: TypedFields };

export function leadTo<Of extends Page>(c: Context<AppEnv>, board: SignInBoard, page: Of, refused: Refused<Of>) {
  keepTyped(c, board.id, refused.typed);
  return c.redirect(board.voice.path(page, { return: board.to, fault: refused.faults.join(".") }), 303);
}

/** What the address asks this page to say, and what was typed, which is told once. Undefined where it asks for nothing that is known. */
export function takeRefusal(c: Context<AppEnv>, page: Page) {
  const places = new Map<string, Place>(Object.entries(FAULTS[page]));
  const isKnown = (name: string): name is FaultOf<Page> => places.has(name);
  const faults = (c.req.query("fault") ?? "").split(".").filter(isKnown);
  if (faults.length === 0) return undefined;
  const at = (place: Place) => faults.find((each) => places.get(each) === place);
  const [notice, email, name, code] = [at("notice"), at("email"), at("name"), at("code")];
  return { notice, email, name, code, typed: takeTyped(c, c.req.param("id") ?? "") };
}
