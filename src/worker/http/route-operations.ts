/** The routes of a surface, made from its table. An entry without a handler does not compile. */
import type { Context } from "hono";
import type { AppEnv } from "./app-env.ts";
import type { Operations } from "./operation.ts";
import { Routes } from "./routes.ts";

/** `route` makes the handler of one operation. */
export function routeOperations<E extends AppEnv, Table extends Operations>(
  table: Table,
  route: <Name extends keyof Table>(name: Name, operation: Table[Name]) => (c: Context<E>) => Promise<Response>,
): Routes<E> {
  const routes = new Routes<E>();
  const names: (keyof Table)[] = Object.keys(table);
  for (const name of names) {
    const operation = table[name];
    if (operation === undefined) continue;
    const answer = route(name, operation);
    routes.on(operation.method, toHonoPath(operation.path), (c) => {
      nameOperation(c, String(name));
      return answer(c);
    });
  }
  return routes;
}

/** For those who observe requests (observe.ts). */
const nameOperation = (c: { set(key: "operation", name: string): void }, name: string): void =>
  c.set("operation", name);

const toHonoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1");
