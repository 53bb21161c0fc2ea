/** The shape of an operation for the operator of a deployment. */
import type { Context } from "hono";
import type * as z from "zod/mini";
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import type { AppEnv } from "../http/app-env.ts";
import type { AnyInput, Definition, Input, Operation, Tag } from "../http/operation.ts";
import type { Databases } from "../store/databases.ts";
import type { HealthCheck } from "./health.ts";

const tag: Tag = { name: "Operation", description: "For the operator of this deployment." };

/** The memory that the operations share with others in the isolate. */
export type OperatorMemory = {
  readonly gatekeeper: Gatekeeper;
  readonly databases: Databases;
  readonly health: HealthCheck;
};

type OperatorCredential = { readonly credential: { readonly kind: "operator" | "none" } };

export type OperatorOperation = Operation &
  OperatorCredential & { handle(c: Context<AppEnv>, input: AnyInput, memory: OperatorMemory): Promise<Response> };

type OperatorDefinition<Path extends string, Body> = Definition<Path, never, Body> &
  OperatorCredential & {
    handle(c: Context<AppEnv>, input: Input<Path, never, Body>, memory: OperatorMemory): Promise<Response>;
  };

export const operation = <Path extends `/${string}`, Body extends z.ZodMiniType = never>(
  definition: OperatorDefinition<Path, Body>,
): OperatorOperation => ({ ...definition, tag });
