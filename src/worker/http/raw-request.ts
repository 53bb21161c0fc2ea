/** A request as the platform gives it, before any middleware: for what memory alone can answer, synchronously. */
import type { AppEnv } from "./app-env.ts";

export type RawRequest = {
  readonly request: Request;
  readonly env: AppEnv["Bindings"];
  readonly executionCtx: ExecutionContext;
};

/** Whether it is a GET of this path, whatever the query. */
export function isGet({ method, url }: Request, path: string): boolean {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.charAt(start + path.length);
  return method === "GET" && url.startsWith(path, start) && (end === "" || end === "?");
}
