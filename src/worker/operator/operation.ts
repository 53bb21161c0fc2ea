/** The shape of an operation for the operator of a deployment. */
import type { Context } from "hono";
import type * as z from "zod/mini";
import type { AccessMemory } from "../access/answers.ts";
import type { Send } from "../deliveries/send.ts";
import type { AppEnv } from "../http/app-env.ts";
import type { AnyInput, Definition, Input, Operation, Tag } from "../http/operation.ts";
import type { HealthCheck } from "./health-check.ts";

const tag: Tag = { name: "Operation", description: "For the operator of this deployment." };

/** The memory that the operations share with others in the isolate. */
export type OperatorMemory = AccessMemory & { readonly health: HealthCheck; readonly send: Send };

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
