/** Turns a page of Account Settings into a response. */
import type { Context } from "hono";
import type { FieldError } from "../http/invalid-request.ts";
import { toProblem } from "../http/problem-response.ts";
import { Problem, type ProblemCode, problemDocument } from "../problem.ts";
import { inAccount } from "./identity.ts";
import type { Child } from "./jsx-runtime.ts";
import type { OwnerEnv } from "./owner-env.ts";
import { type Frame, Layout, SECTIONS } from "./pages/layout.tsx";

/**
 * Renders a page with its own Content-Security-Policy: only scripts and styles with this answer's nonce apply, and nothing
 * inline.
 */
export function renderPage(
  c: Context<OwnerEnv>,
  render: (frame: Frame) => Child,
  status: Problem["status"] | 200 | 201 = 200,
): Response | Promise<Response> {
  const nonce = crypto.randomUUID();
  c.header(
    "Content-Security-Policy",
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src 'self'; form-action 'self'; ` +
      "base-uri 'none'; frame-ancestors 'none'",
  );
  // Under "no-referrer" a browser hides the origin even from the form's own site, but requireSameOrigin needs it.
  c.header("Referrer-Policy", "same-origin");
  // Only the middleware sets the owner. A page without an owner has no navigation.
  const owner = c.get("owner") as OwnerEnv["Variables"]["owner"] | undefined;
  const html = `<!doctype html>${render({ nonce, signsOut: c.get("isHandedOver") ?? false, ...frameOf(owner) })}`;
  return c.html(owner?.accountId === undefined ? html : stayIn(html, owner.accountId), status);
}

const frameOf = (owner: OwnerEnv["Variables"]["owner"] | undefined): Omit<Frame, "nonce" | "signsOut"> =>
  owner === undefined ? {} : { email: owner.person, ...(owner.email !== owner.person && { account: owner.email }) };

/**
 * Makes every link and form of a page lead to pages of the same account. Texts of other people cannot contain such an attribute,
 * because they are escaped.
 */
const stayIn = (html: string, accountId: string): string =>
  html.replace(/ (href|action)="(\/account[^"]*)"/g, (attribute, name: string, path: string) =>
    path.includes("account=") ? attribute : ` ${name}="${inAccount(path, accountId)}"`,
  );

/** The answer to an error under `/account`, for a person. */
export function renderProblem(c: Context<OwnerEnv>, error: Error): Response | Promise<Response> {
  const problem = toProblem(error, c);
  for (const [name, value] of Object.entries(problem.headers)) c.header(name, value);
  return renderPage(
    c,
    (frame) => <ProblemPage frame={frame} problem={problem} section={sectionOf(c.req.path)} />,
    problem.status,
  );
}

/** For a page that has only other methods. */
export const refuseMethod = (allowed: string) => (): never => {
  throw new Problem("method-not-allowed", {
    detail: "This page does not support the request's method.",
    headers: { Allow: allowed },
  });
};

/** The errors by field. Rethrows every error that is not `invalid-request`. */
export function fieldErrorsOf(error: unknown): readonly FieldError[] {
  if (!(error instanceof Problem) || error.code !== "invalid-request") throw error;
  return error.extensions.errors as FieldError[];
}

/** For statuses whose usual words say little. */
const TITLES: Partial<Record<ProblemCode, string>> = {
  "api-key-limit-reached": "Revoke a key to create another",
  conflict: "Nothing was changed",
  "invalid-request": "The form was refused",
  "method-not-allowed": "This page cannot do that",
  "not-found": "Not found",
  "too-many-requests": "Too many changes at once",
};

type Section = keyof typeof SECTIONS;
const isSection = (name: string): name is Section => Object.hasOwn(SECTIONS, name);

/** The section of a page's path. */
const sectionOf = (path: string): Section => {
  const [, , name = ""] = path.split("/");
  return isSection(name) ? name : "api-keys";
};

type ProblemProps = { readonly frame: Frame; readonly problem: Problem; readonly section: Section };

const ProblemPage = ({ frame, problem, section }: ProblemProps) => {
  const { title, detail } = problemDocument(problem);
  const errors = (problem.extensions.errors ?? []) as readonly FieldError[];
  return (
    <Layout title={TITLES[problem.code] ?? title} {...frame}>
      <div class="notice bad" role="alert" tabindex={-1} autofocus>
        {errors.length === 0 ? <p>{detail}</p> : errors.map(({ path, message }) => <p>{`${path} ${message}`}</p>)}
      </div>
      {frame.email && (
        <p>
          <a href={`/account/${section}`}>{`Back to ${SECTIONS[section]}`}</a>
        </p>
      )}
    </Layout>
  );
};
