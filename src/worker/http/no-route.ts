/** Requests that match no route. */
import type { HonoRequest } from "hono";
import { Problem } from "../problem.ts";

/**
 * The problem of a request that matches no route: 405 where its path has other methods, which `Allow` names, otherwise 404. That names the
 * path which was probably meant, if `detail` says nothing else.
 */
export function createNoRoute(app: { readonly routes: readonly Route[] }) {
  let known: readonly KnownRoute[] | undefined;
  return ({ path, method }: Pick<HonoRequest, "path" | "method">, detail?: string): Problem => {
    known ??= readRoutes(app.routes);
    const methods = methodsOf(path, known);
    if (methods.length === 0) return new Problem("not-found", { detail: detail ?? suggestionFor(path, known) });
    return methods.includes(method)
      ? new Problem("not-found", { detail })
      : new Problem("method-not-allowed", { headers: { Allow: methods.join(", ") } });
  };
}

type Route = { readonly method: string; readonly path: string };
type KnownRoute = {
  readonly method: string;
  readonly pattern: RegExp;
  /** How many parts of the path match anything. */
  readonly open: number;
  readonly parts: readonly string[];
};

const partsOf = (path: string): string[] => path.split("/").filter((part) => part !== "");

/** A part of a path that begins with a colon matches anything. */
const readRoutes = (routes: readonly Route[]): KnownRoute[] =>
  routes
    .filter(({ method }) => method !== "ALL" && method !== "OPTIONS")
    .map(({ method, path }) => ({
      pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`),
      open: path.split(":").length,
      parts: partsOf(path),
      method,
    }));

/** Of those that match, the routes with the fewest open parts: `…/comments/batch` is no `…/comments/:commentId`. */
const leastOpen = (matching: readonly KnownRoute[]): KnownRoute[] => {
  const least = Math.min(...matching.map(({ open }) => open));
  return matching.filter(({ open }) => open === least);
};

/** The methods of a path, taken from the routes themselves. */
function methodsOf(path: string, known: readonly KnownRoute[]): readonly string[] {
  const methods = leastOpen(known.filter(({ pattern }) => pattern.test(path))).map(({ method }) => method);
  return [...new Set(methods.flatMap((method) => (method === "GET" ? [method, "HEAD"] : [method])))];
}

/** What other APIs have before their paths. */
const PREFIX = /^(?:api|v\d{1,3})$/;
const LONGEST = 1_000;

/** The route that differs by capitals, by slashes, or by a prefix that there is none of. Its open parts are shown by their names. */
function suggestionFor(path: string, known: readonly KnownRoute[]): string | undefined {
  if (path.length > LONGEST) return undefined;
  const sent = partsOf(path.toLowerCase());
  const parts = sent.slice(
    Math.max(
      0,
      sent.findIndex((part) => !PREFIX.test(part)),
    ),
  );
  const isMeant = (each: KnownRoute) =>
    each.parts.length === parts.length && each.parts.every((part, at) => part.startsWith(":") || part === parts[at]);
  const [meant] = parts.length === 0 ? [] : leastOpen(known.filter(isMeant));
  if (meant === undefined) return undefined;
  const shown = meant.parts.map((part) => (part.startsWith(":") ? `{${part.slice(1)}}` : part)).join("/");
  return `No operation has this path. Did you mean \`/${shown}\`? Paths have no version, no slash at the end, and no capitals.`;
}
