/** The shape of an operation of Account Settings. The owner is authenticated before it, for all of `/account`. */
import type { Context } from "hono";
import type * as z from "zod/mini";
import type { AnyInput, Definition, Input, ListQuery, Operation, Tag } from "../http/operation.ts";
import type { Needs } from "../model/role.ts";
import type { OwnerEnv } from "./owner-env.ts";

const tag: Tag = { name: "Account Settings", description: "The API keys and webhooks of an account, for its owner." };

/** Part of the description of an operation whose answer shows a secret. */
export const SHOWN_ONCE =
  "A request with an `Idempotency-Key` that was done before is 409 `conflict`, and changes nothing: a secret is shown once.";

export type OwnerOperation = Operation & {
  /** The role that it needs. */
  readonly needs: Needs;
  handle(c: Context<OwnerEnv>, input: AnyInput): Promise<Response>;
};

type OwnerDefinition<Path extends string, Query, Body> = Definition<Path, Query, Body> & {
  /** Without it, a viewer reads, and a member does all else. */
  readonly needs?: Needs;
  handle(c: Context<OwnerEnv>, input: Input<Path, Query, Body>): Promise<Response>;
};

export const operation = <
  Path extends `/${string}`,
  Query extends ListQuery = never,
  Body extends z.ZodMiniType = never,
>(
  definition: OwnerDefinition<Path, Query, Body>,
): OwnerOperation => {
  const { needs = definition.effect === "reads" ? "viewer" : "member", description } = definition;
  const forAdmins = needs === "admin" ? "For admins." : undefined;
  const told = [description, forAdmins].filter((text) => text !== undefined).join(" ");
  return { ...definition, needs, ...(told && { description: told }), tag, credential: { kind: "access" } };
};
