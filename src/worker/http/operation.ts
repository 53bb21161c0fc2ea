/**
 * An endpoint is declared once, in the table of its surface. The entry defines its route, its authentication, its part
 * of the OpenAPI document, and the tests that every endpoint has to pass. An endpoint without an entry is not reachable.
 */
import type * as z from "zod/mini";
import type { Capability } from "../model/idea-bank.ts";
import type { Scope } from "../model/scope.ts";
import type { ProblemCode } from "../problem.ts";

/** The query of a list: pagination, and for some lists filters. */
export type ListQuery = z.ZodMiniType<{ limit: number; cursor?: string | undefined }>;

export type Operation = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Parameters are in braces. Each is a row's identifier (`{surveyId}`: in the table `surveys`), but for `{externalId}`, the tenant's own. */
  readonly path: `/${string}`;
  readonly credential: Credential;
  readonly query?: ListQuery;
  readonly body?: z.ZodMiniType;
  /** A POST that changes nothing when it is repeated: it needs no `Idempotency-Key`. */
  readonly idempotent?: true;
};

export type Credential =
  /** The header `X-API-Key`, with this scope; null where any key will do. */
  | { readonly kind: "apiKey"; readonly scope: Scope | null }
  /** The header `Authorization`, for an idea bank with this capability; null where the answer reports the capabilities. */
  | { readonly kind: "compoundToken"; readonly capability: Capability | null }
  /** Cloudflare Access: the account's owner, or a service token that acts for one. */
  | { readonly kind: "access" }
  /** The header `Authorization`: the deployment's `OPERATOR_SECRET`. */
  | { readonly kind: "operator" }
  /** Anybody. */
  | { readonly kind: "none" };

export const apiKey = (scope: Scope | null) => ({ kind: "apiKey", scope }) as const;
export const compoundToken = <const C extends Capability | null>(capability: C) =>
  ({ kind: "compoundToken", capability }) as const;
export const access = { kind: "access" } as const;
export const operator = { kind: "operator" } as const;
export const none = { kind: "none" } as const;

/** By operation id. */
export type Operations = Readonly<Record<string, Operation>>;

/** Whether the operation honours the header `Idempotency-Key`. */
export const takesIdempotencyKey = ({ method, credential, idempotent }: Operation): boolean =>
  method === "POST" && ["apiKey", "compoundToken", "access"].includes(credential.kind) && !idempotent;

/** The names of a path's parameters. */
export type PathParameter<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** The parsed `query` or `body` of an operation, or undefined if it has none. */
export type Output<O, Field extends "query" | "body"> =
  O extends Record<Field, infer Schema extends z.ZodMiniType> ? z.output<Schema> : undefined;

/** The parts of an operation's OpenAPI description that are not in its entry. */
export type Description = {
  readonly summary: string;
  readonly description?: string;
  /** The schema of the successful answer, or of each item on its page. Without one the answer is 204. */
  readonly answer?: z.ZodMiniType;
  /** A PUT that also creates: it answers 201 when it has. */
  readonly creates?: true;
  /** For a POST that answers 200. The default is 201 for a POST with an answer, 200 for other methods. */
  readonly status?: 200;
  /** The answer carries an ETag, and can be 304. */
  readonly conditional?: true;
  /** Problems that only this operation can return, besides those of every operation of its kind. */
  readonly problems?: readonly ProblemCode[];
};

/** A group of operations in the reference: those on one kind of resource. */
export type Tag = { readonly name: string; readonly description: string };

export type DescribedOperation = {
  readonly name: string;
  readonly operation: Operation;
  readonly tag: Tag;
} & Description;

/** The status of the successful answer. */
export const successStatus = ({ operation, answer, status }: DescribedOperation): number =>
  status ?? (answer === undefined ? 204 : operation.method === "POST" ? 201 : 200);

const described: DescribedOperation[] = [];

/** Describes each operation of a table for the OpenAPI document. Call it under `!import.meta.deployed`. */
export function describeOperations<Table extends Operations>(
  tag: Tag,
  table: Table,
  descriptions: { readonly [Name in keyof Table]: Description },
): void {
  const names: (keyof Table & string)[] = Object.keys(table);
  for (const name of names) described.push({ name, operation: table[name] as Operation, tag, ...descriptions[name] });
}

/** Every operation of the tables that have been imported, in the order of their import. */
export const describedOperations = (): readonly DescribedOperation[] => described;
