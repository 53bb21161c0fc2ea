/** The routes of a surface, made from its operations. */
import type { Context } from "hono";
import { Problem } from "../problem.ts";
import { hasSettled } from "../store/deadline.ts";
import type { AppEnv } from "./app-env.ts";
import type { Answered, EveryRequest } from "./every-request.ts";
import { creationOf } from "./fixed-fields.ts";
import type { Operation, Operations } from "./operation.ts";
import { Routes } from "./routes.ts";

/** For routes of an application that has middleware around them: its `onError` answers for a problem. */
const inMiddleware: EveryRequest = async (_, answer) => {
  const answered = await answer();
  if (answered instanceof Problem) throw answered;
  return answered;
};

/** `answer` answers a request for one of the operations, within `everyRequest`. */
export function routeOperations<E extends AppEnv, O extends Operation>(
  operations: Operations<O>,
  answer: (c: Context<E>, operation: O) => Answered | Promise<Answered>,
  everyRequest: EveryRequest = inMiddleware,
): Routes<E> {
  const routes = new Routes<E>();
  for (const [name, defined] of Object.entries(operations)) {
    const creation = creationOf(defined, operations);
    const operation = creation === undefined ? defined : { ...defined, creation };
    routes.on(operation.method, toHonoPath(operation.path), (c) => {
      nameOperation(c, name);
      const answered = everyRequest(c, () => answer(c, operation));
      if (operation.untilDone) c.executionCtx.waitUntil(hasSettled(answered));
      return answered;
    });
  }
  return routes;
}

/** Tells observe.ts which operation answers. */
const nameOperation = (c: { set(key: "operation", name: string): void }, name: string): void =>
  c.set("operation", name);

const toHonoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1");
