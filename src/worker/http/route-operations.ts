/** The routes of a surface, made from its operations. */
import type { Context } from "hono";
import type { AppEnv } from "./app-env.ts";
import type { Operation, Operations } from "./operation.ts";
import { Routes } from "./routes.ts";
import { untilDone } from "./until-done.ts";

/** `answer` answers a request for one of the operations. */
export function routeOperations<E extends AppEnv, O extends Operation>(
  operations: Operations<O>,
  answer: (c: Context<E>, operation: O) => Promise<Response>,
): Routes<E> {
  const routes = new Routes<E>();
  for (const [name, operation] of Object.entries(operations)) {
    const path = toHonoPath(operation.path);
    if (operation.untilDone) routes.on(operation.method, path, untilDone);
    routes.on(operation.method, path, (c) => {
      nameOperation(c, name);
      return answer(c, operation);
    });
  }
  return routes;
}

/** Tells observe.ts which operation answers. */
const nameOperation = (c: { set(key: "operation", name: string): void }, name: string): void =>
  c.set("operation", name);

const toHonoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1");
