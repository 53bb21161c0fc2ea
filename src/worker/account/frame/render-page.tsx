/** Turns a page of Account Settings into a response. */
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { FieldError } from "../../http/invalid-request.ts";
import { toProblem } from "../../http/problem-response.ts";
import { type Brand, toBrand } from "../../model/brand.ts";
import { Problem } from "../../problem.ts";
import { inAccount, SignedOut } from "../identity/identity.ts";
import { LacksRole } from "../identity/role.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { countWaiting } from "./count-waiting.ts";
import { type Frame, FrameContext } from "./frame.ts";
import { heldForm, signInAddress } from "./held-form.ts";
import { SECTIONS, type Section } from "./layout.tsx";
import { ProblemPage, SignedOutFormPage } from "./problem-page.tsx";

/** What one page may do and others may not: show another one of ours in a frame, or send its form in place. */
export type Allowed = "frames" | "requests";
const ALLOWED: Record<Allowed, string> = { frames: " frame-src 'self';", requests: " connect-src 'self';" };

/**
 * Renders a page with its own Content-Security-Policy: only scripts and styles with this answer's nonce apply, and nothing
 * inline.
 */
export async function renderPage(
  c: Context<OwnerEnv>,
  page: Child,
  options: Problem["status"] | 200 | 201 | { readonly allows: Allowed; readonly status: 200 | 400 } = 200,
): Promise<Response> {
  const [status, allowed] = typeof options === "number" ? [options, ""] : [options.status, ALLOWED[options.allows]];
  const nonce = crypto.randomUUID();
  // A wrong setting has no settings, and its page our own name.
  const { brand } = (c.get("settings") as OwnerEnv["Variables"]["settings"] | undefined) ?? { brand: toBrand({}) };
  c.header(
    "Content-Security-Policy",
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src 'self'${originOf(brand)};${allowed} form-action 'self'; ` +
      "base-uri 'none'; frame-ancestors 'none'",
  );
  // Only the middleware sets the owner. A page without an owner has no navigation.
  const owner = c.get("isRefused") ? undefined : (c.get("owner") as OwnerEnv["Variables"]["owner"] | undefined);
  const frame = { now: Date.now(), nonce, brand, ...(await frameOf(c, owner, status)), ...endOf(c) };
  const html = `<!doctype html>${<FrameContext.Provider value={frame}>{page}</FrameContext.Provider>}`;
  return c.html(owner?.accountId === undefined ? html : stayIn(html, owner.accountId), status);
}

/** An icon of another host is the one thing that a page loads from there. */
const originOf = ({ iconUrl }: Brand): string => (iconUrl.startsWith("https:") ? ` ${new URL(iconUrl).origin}` : "");

async function frameOf(
  c: Context<OwnerEnv>,
  owner: OwnerEnv["Variables"]["owner"] | undefined,
  status: number,
): Promise<Partial<Frame>> {
  if (owner === undefined) return {};
  // A form that was refused altogether has its reason, such as a store that does not answer: it waits for no other read.
  const waiting = await (status <= 400 ? countWaiting(c) : c.get("waiting"));
  const standing = await c.get("standing")?.catch(() => undefined);
  return {
    email: owner.person,
    ...(owner.email !== owner.person && { account: owner.email }),
    ...(c.get("isHandedOver") ? { signOut: "here" } : c.env.ACCESS_AUD !== "" && { signOut: "at Access" }),
    ...(waiting && { waiting }),
    ...(standing && { standing }),
  };
}

/** The end of a handed-over session: the page says so in its last ten minutes. */
function endOf(c: Context<OwnerEnv>): Pick<Frame, "signInEnds"> {
  const at = c.get("owner") === undefined ? undefined : c.get("signedInUntil");
  return at === undefined ? {} : { signInEnds: { at, isNear: at - Date.now() <= NEAR_MS, signIn: signInAddress(c) } };
}

const NEAR_MS = 10 * 60_000;

/**
 * Makes every link and form of a page, and what its scripts ask, lead to pages of the same account. Texts of other people cannot contain such an attribute,
 * because they are escaped.
 */
const stayIn = (html: string, accountId: string): string =>
  html.replace(/ (href|action|data-from|data-writing)="(\/account[^"]*)"/g, (attribute, name: string, path: string) =>
    path.includes("account=") ? attribute : ` ${name}="${inAccount(path, accountId)}"`,
  );

/** The answer to an error under `/account`, for a person. What a form has sent stays on the page. */
export async function renderProblem(c: Context<OwnerEnv>, error: Error): Promise<Response> {
  const problem = toProblem(error, c);
  for (const [name, value] of Object.entries(problem.headers)) c.header(name, value);
  // Back from a page that the visitor cannot open is not to that page's own list.
  const isClosed = error instanceof LacksRole && c.req.method === "GET";
  const section = isClosed ? "home" : sectionOf(c.req.path);
  const held = await heldForm(c);
  if (!(error instanceof SignedOut))
    return renderPage(
      c,
      <ProblemPage
        {...{ problem, section, held }}
        title={error instanceof LacksRole ? error.title : undefined}
        isChange={c.req.method !== "GET"}
      />,
      problem.status,
    );
  const ways = { signIn: signInAddress(c), hasAccess: c.env.ACCESS_AUD !== "" };
  return renderPage(c, <SignedOutFormPage ways={ways} held={held} />, problem.status);
}

/** The errors by field. Rethrows every error that is not `invalid-request`. */
export function fieldErrorsOf(error: unknown): readonly FieldError[] {
  if (!(error instanceof Problem) || error.code !== "invalid-request") throw error;
  return error.extensions.errors as FieldError[];
}

const isSection = (name: string): name is Section => Object.hasOwn(SECTIONS, name);

/** The section of a page's path. */
const sectionOf = (path: string): Section => {
  const [, , name = ""] = path.split("/");
  return isSection(name) ? name : "home";
};
