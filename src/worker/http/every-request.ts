/** The middleware that every request passes, and the answers to requests that match no route. */
import type { HonoRequest } from "hono";
import { Problem } from "../problem.ts";
import type { SettingsReader } from "../settings.ts";
import type { AppEnv } from "./app-env.ts";
import type { BodyShares } from "./body-shares.ts";
import { DEFAULT_HEADERS } from "./default-headers.ts";
import { observe } from "./observe.ts";
import { pageNotFound } from "./plain-page.ts";
import type { ProblemLog } from "./problem-log.ts";
import { handleError, respondWithProblem } from "./problem-response.ts";
import { REQUEST_ID, requestIdOf } from "./request-id.ts";
import type { Routes } from "./routes.ts";

/** The memory that all requests of an isolate share. */
export type EveryRequestMemory = {
  readonly settingsReader: SettingsReader;
  readonly problemLog: ProblemLog;
  readonly bodyShares: BodyShares;
};

const HEADERS = Object.entries(DEFAULT_HEADERS);

const INSECURE = new Problem("insecure-transport");
/** Requests to these names never leave the machine, so plain http is safe. */
const THIS_MACHINE = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])[:/]/;
const isInsecure = (url: string): boolean => url.startsWith("http:") && !THIS_MACHINE.test(url);

/** Call it before routes are added, because middleware runs in the order in which it is added. */
export function addMiddleware<E extends AppEnv>(
  app: Routes<E>,
  { settingsReader, problemLog, bodyShares }: EveryRequestMemory,
): void {
  app.use<AppEnv>(function prepareAnswer(c, next) {
    const id = requestIdOf(c.req.header(REQUEST_ID), c.env.OPERATOR_SECRET);
    c.set("requestId", id);
    c.set("problemLog", problemLog);
    c.set("bodyShares", bodyShares);
    c.set("calls", { d1: 0, kv: 0, gate: 0 });
    // Headers are set before the handler answers. To change a finished response, Hono builds it a second time, which costs more
    // than all the rest.
    for (const [name, value] of HEADERS) c.header(name, value);
    c.header(REQUEST_ID, id);
    return isInsecure(c.req.url) ? Promise.resolve(respondWithProblem(c, INSECURE)) : next();
  });
  app.use(observe);
  app.use<AppEnv>(async function provideSettings(c, next) {
    c.set("settings", settingsReader.peek(c.env) ?? (await settingsReader.read(c.env)));
    await next();
  });

  const noRoute = createNoRoute(app);
  app.notFound((c) => {
    const problem = noRoute(c.req);
    return (problem.code === "not-found" && pageNotFound(c)) || respondWithProblem(c, problem);
  });
  app.onError(handleError);
}

/** The problem of a request that matches no route: 405 where its path has other methods, which `Allow` names, otherwise 404. */
export function createNoRoute(app: { readonly routes: readonly Route[] }) {
  const methodsOf = readMethods(() => app.routes);
  return ({ path, method }: Pick<HonoRequest, "path" | "method">, detail?: string): Problem => {
    const methods = methodsOf(path);
    return methods.length === 0 || methods.includes(method)
      ? new Problem("not-found", { detail })
      : new Problem("method-not-allowed", { headers: { Allow: methods.join(", ") } });
  };
}

/** The methods of a path, taken from the routes themselves. */
type Route = { readonly method: string; readonly path: string };

/** Reads the routes at its first use. A part of a path that begins with a colon matches anything. */
function readMethods(routes: () => readonly Route[]): (path: string) => readonly string[] {
  let known: (readonly [pattern: RegExp, method: string])[] | undefined;
  return (path) => {
    known ??= routes()
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => [new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`), method]);
    const methods = known.filter(([pattern]) => pattern.test(path)).map(([, method]) => method);
    return [...new Set(methods.flatMap((method) => (method === "GET" ? [method, "HEAD"] : [method])))];
  };
}
