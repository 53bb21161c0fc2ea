/** A request as the platform gives it, before any middleware: for what memory alone can answer, synchronously. */
import type { AppEnv } from "./app-env.ts";

/** `path`: of a GET, without the query; undefined for another method. The runtime makes a new string each time that it is asked for the URL. */
export type RawRequest = {
  readonly request: Request;
  readonly path: string | undefined;
  readonly env: AppEnv["Bindings"];
  readonly executionCtx: ExecutionContext;
};

/** A request's `path`. */
export function pathOfGet({ method, url }: Request): string | undefined {
  if (method !== "GET") return undefined;
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}
