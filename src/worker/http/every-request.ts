/** Every request passes through this function, which wraps the operation that answers it. */
import type { Context } from "hono";
import { hasCredential } from "../credentials/hide-credentials.ts";
import { Problem } from "../problem.ts";
import { type Settings, type SettingsReader, WrongSettings } from "../settings.ts";
import type { StoreCalls } from "../store/databases.ts";
import { TimeBudget } from "../store/deadline.ts";
import type { Whose } from "./app-env.ts";
import type { BodyShares } from "./body-shares.ts";
import { DEFAULT_HEADERS } from "./default-headers.ts";
import { record } from "./observe.ts";
import { notHere } from "./pages-host.ts";
import type { ProblemLog } from "./problem-log.ts";
import { PROBLEM_TYPE, problemFor } from "./problem-response.ts";
import { traceIdOf } from "./trace.ts";

/** The memory that all requests of an isolate share. */
export type EveryRequestMemory = {
  readonly settingsReader: SettingsReader;
  readonly problemLog: ProblemLog;
  readonly bodyShares: BodyShares;
};

/** A refusal that is frequent is returned, because throwing it costs more than all the rest of its request. */
export type Answered = Response | Problem;

type Limits = Readonly<Record<string, string>>;

/** Any context: the type lists only the members that all contexts have. */
type AnyContext = Pick<Context<{ Bindings: Env }>, "req" | "env"> & {
  get(key: "requestId"): string;
  get(key: "whose"): Whose | undefined;
  get(key: "problemLog"): ProblemLog;
  get(key: "calls"): StoreCalls;
  get(key: "operation"): string | undefined;
  get(key: "limits"): Limits | undefined;
  set(key: "requestId", value: string): void;
  set(key: "problemLog", value: ProblemLog): void;
  set(key: "bodyShares", value: BodyShares): void;
  set(key: "calls", value: StoreCalls): void;
  set(key: "budget", value: TimeBudget): void;
  set(key: "settings", value: Settings): void;
};

/** `fail` answers for an error. The default is its problem document. */
export type EveryRequest = (
  c: AnyContext,
  answer: () => Answered | Promise<Answered>,
  fail?: (error: Error) => Answered | Promise<Answered>,
) => Promise<Response>;

const REQUEST_ID = "X-Request-Id";
const ID = /^[\w\-=]{1,64}$/;

/**
 * The request's id in the answer and in the log: the client's own (`sent`), or a new one. A text that has a credential in it is
 * replaced, because a client that uses the wrong header would write its credential into the log.
 */
const requestIdOf = (sent: string | undefined, operatorSecret: string | undefined): string =>
  sent !== undefined && ID.test(sent) && !hasCredential(sent, operatorSecret) ? sent : crypto.randomUUID();

const INSECURE = new Problem("insecure-transport");
/** Requests to these names never leave the machine, so plain http is safe. */
const THIS_MACHINE = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])[:/]/;
const isInsecure = (url: string): boolean => url.startsWith("http:") && !THIS_MACHINE.test(url);

/** A developer reads in the answer what an operator reads in the log. */
function explainHere(error: unknown, url: string): unknown {
  if (!(error instanceof WrongSettings) || !THIS_MACHINE.test(url)) return error;
  const detail =
    `This server has ${error.message}. \`npm run dev\` makes a secret that is missing: remove a wrong one from .dev.vars, and start it ` +
    "again. Other settings are in wrangler.toml.";
  return new Problem("internal-error", { detail, cause: error });
}

/** `own` are headers of every answer of a surface, besides the default ones. */
export function createEveryRequest(
  { settingsReader, problemLog, bodyShares }: EveryRequestMemory,
  own: Readonly<Record<string, string>> = {},
): EveryRequest {
  const headers = { ...DEFAULT_HEADERS, ...own };
  /** A `Response` copies the `Headers` that it is given, so those of a problem are made once. */
  const prepared = new WeakMap<Problem, Headers>();

  function respond(answered: Answered, c: AnyContext): Response {
    if (answered instanceof Response) return answered;
    problemLog.add({ requestId: c.get("requestId"), traceId: traceIdOf(c) }, answered, Date.now());
    const known =
      prepared.get(answered) ?? new Headers({ ...headers, "Content-Type": PROBLEM_TYPE, ...answered.headers });
    prepared.set(answered, known);
    return new Response(answered.body, { status: answered.status, headers: known });
  }

  /** An answer that was made from prepared headers has them all. No handler sets the one that tells. */
  function complete(response: Response, c: AnyContext): Response {
    const sent = response.headers;
    if (!sent.has("Strict-Transport-Security"))
      for (const [name, value] of Object.entries(headers)) if (!sent.has(name)) sent.set(name, value);
    sent.set(REQUEST_ID, c.get("requestId"));
    const limits = c.get("limits");
    for (const name in limits) sent.set(name, limits[name] ?? "");
    return response;
  }

  return async function everyRequest(c, answer, fail = problemFor) {
    c.set("requestId", requestIdOf(c.req.header(REQUEST_ID), c.env.OPERATOR_SECRET));
    c.set("problemLog", problemLog);
    c.set("bodyShares", bodyShares);
    c.set("calls", { d1: 0, kv: 0, gate: 0 });
    if (isInsecure(c.req.url)) return complete(respond(INSECURE, c), c);
    const elsewhere = c.env.PAGES_HOST ? notHere(c) : undefined;
    if (elsewhere !== undefined) return complete(elsewhere, c);
    const logs = Math.random() < Number(c.env.REQUEST_LOG_SHARE);
    const start = Date.now();
    const budget = new TimeBudget(start);
    c.set("budget", budget);
    let answered: Answered;
    try {
      c.set("settings", settingsReader.peek(c.env) ?? (await settingsReader.read(c.env)));
      answered = await answer();
    } catch (thrown) {
      const error = explainHere(thrown, c.req.url);
      answered = await fail(error instanceof Error ? error : new Error(String(error)));
    }
    budget.end();
    const response = complete(respond(answered, c), c);
    if (logs || c.env.REQUESTS !== undefined) record(c, { response, start, logs });
    return response;
  };
}
