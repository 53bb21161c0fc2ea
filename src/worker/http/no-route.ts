/** Requests that match no route. */
import type { HonoRequest } from "hono";
import { Problem } from "../problem.ts";

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

/**
 * Reads the routes at its first use. A part of a path that begins with a colon matches anything; where a path without it has the name of
 * one, as `…/comments/batch` has, it is that path.
 */
function readMethods(routes: () => readonly Route[]): (path: string) => readonly string[] {
  let known: { readonly pattern: RegExp; readonly open: number; readonly method: string }[] | undefined;
  return (path) => {
    known ??= routes()
      .filter(({ method }) => method !== "ALL" && method !== "OPTIONS")
      .map(({ method, path }) => ({
        pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`),
        open: path.split(":").length,
        method,
      }));
    const matching = known.filter(({ pattern }) => pattern.test(path));
    const least = Math.min(...matching.map(({ open }) => open));
    const methods = matching.filter(({ open }) => open === least).map(({ method }) => method);
    return [...new Set(methods.flatMap((method) => (method === "GET" ? [method, "HEAD"] : [method])))];
  };
}
