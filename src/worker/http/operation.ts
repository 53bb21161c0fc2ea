/**
 * The shape of an endpoint's definition: method, path, credential, input, answer, descriptions and handler. It is in a file of
 * its surface. The route, its authentication, its part of the OpenAPI document and the tests that every endpoint has to pass are
 * made from it.
 */
import type * as z from "zod/mini";
import type { Capability } from "../model/idea-bank.ts";
import type { IdempotencyKey } from "../model/idempotency-key.ts";
import type { PageRequest } from "../model/pagination.ts";
import type { Scope } from "../model/scope.ts";
import type { ProblemCode } from "../problem.ts";

/** The query of a list: pagination, and for some lists filters. */
export type ListQuery = z.ZodMiniType<{ limit: number; cursor?: string | undefined }>;

export type Operation = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /**
   * Parameters are in braces. Each is the identifier of a row (`{surveyId}` is one of the table `surveys`); only `{externalId}`
   * is the tenant's own.
   */
  readonly path: `/${string}`;
  readonly credential: Credential;
  readonly query?: ListQuery;
  /** The list does not show the identifiers of its rows, so its cursors are encrypted. */
  readonly sealed?: true;
  /** The query of an operation that is no list. The handler reads it. */
  readonly options?: z.ZodMiniType;
  /** Whatever its query is, the answer is the same: the contract of this operation has no 400. */
  readonly ignoresQuery?: true;
  readonly body?: z.ZodMiniType;
  /** Of a PATCH: the operation that creates what it changes. Set for its route (fixed-fields.ts). */
  readonly creation?: Pick<Operation, "body">;
  /** The schema of the successful answer; for an operation with a query, of each item on its page. Without one the answer is 204. */
  readonly answer?: z.ZodMiniType;
  readonly effect: Effect;
  /** Whether repeating it changes nothing more. The default is true unless it adds. If true, a POST needs no `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** For a PUT that may create, which then answers 201. */
  readonly creates?: true;
  /** For a POST that answers 200. The default is 201 for a POST with an answer, 200 for other methods. */
  readonly status?: 200;
  /** The operation writes to more than one store, such as D1 and a key's gate. It runs to its end even if its client has left. */
  readonly untilDone?: true;
  /** The answer is a feed of this media type. Feed readers send no header, so a visitor's token may be in `?token=`. */
  readonly feed?: "application/atom+xml" | "application/feed+json";
  /** The answer is a file of comma-separated values, which begins before all of it is read. */
  readonly csv?: true;
  /** The answer carries an ETag, and can be 304. */
  readonly conditional?: true;
  /** What it answers, changes or deletes is one resource that has an ETag. A change and a deletion take `If-Match`. */
  readonly version?: { readonly fields: readonly string[] };
  /** The problems that only this operation can return. Those of every operation of its kind are not listed. */
  readonly problems?: readonly ProblemCode[];
  /** The group in the reference: the operations on one kind of resource. */
  readonly tag: Tag;
  /** A few words, without a full stop. */
  readonly summary: string;
  readonly description?: string;
};

/**
 * The strongest thing that the operation can do to what is stored. Its method does not say that: a merge is a POST, and an update
 * overwrites what somebody wrote.
 */
export type Effect =
  /** Nothing is changed. */
  | "reads"
  /** Nothing that was there is changed. */
  | "adds"
  /** A former value is lost. */
  | "overwrites"
  /** Something is deleted, revoked or decided for good. */
  | "ends";

export type Credential =
  /** The header `X-API-Key`, with this scope; null accepts any key. */
  | { readonly kind: "apiKey"; readonly scope: Scope | null }
  /** The header `Authorization`, for an idea bank with this capability; null when the answer itself reports the capabilities. */
  | { readonly kind: "compoundToken"; readonly capability: Capability | null }
  /** Cloudflare Access: the account's owner, or a service token that acts for one. */
  | { readonly kind: "access" }
  /** The header `Authorization`: the deployment's `OPERATOR_SECRET`. */
  | { readonly kind: "operator" }
  /** Anybody. */
  | { readonly kind: "none" };

export type Tag = { readonly name: string; readonly description: string };

/** Keyed by operation id. */
export type Operations<O extends Operation = Operation> = Readonly<Record<string, O>>;

/** A definition without its credential and tag. The types of its handler follow from its path, query and body. */
export type Definition<Path extends string, Query, Body> = Omit<
  Operation,
  "path" | "credential" | "query" | "body" | "tag"
> & { readonly path: Path; readonly query?: Query; readonly body?: Body };

export const isIdempotent = ({ effect, idempotent = effect !== "adds" }: Pick<Operation, "effect" | "idempotent">) =>
  idempotent;

/** Whether the operation honours the header `If-Match`. */
export const takesIfMatch = ({ method, version }: Operation): boolean =>
  version !== undefined && ["PATCH", "PUT", "DELETE"].includes(method);

/** Whether the operation honours the header `Idempotency-Key`. */
export const takesIdempotencyKey = (operation: Operation): boolean => {
  const { method, credential, answer } = operation;
  return method === "POST"
    ? ["apiKey", "compoundToken", "access"].includes(credential.kind) && !isIdempotent(operation)
    : method === "DELETE" && credential.kind === "apiKey" && answer === undefined;
};

/**
 * Whether a parameter of the query that the operation does not know is refused. The tenant and its owners have servers, whose
 * mistakes it shows; on the panelist API it is ignored, because pages and proxies add parameters of their own.
 */
export const refusesUnknown = ({ credential: { kind }, ignoresQuery }: Operation): boolean =>
  !ignoresQuery && (kind === "apiKey" || kind === "access");

/** The status of the successful answer. */
export const successStatus = ({ method, answer, feed, csv, status }: Operation): number =>
  status ?? (answer === undefined && feed === undefined && !csv ? 204 : method === "POST" ? 201 : 200);

/** The names of a path's parameters. */
type PathParameter<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParameter<Rest> : never;

type Parsed<Schema> = [Schema] extends [never]
  ? undefined
  : Schema extends z.ZodMiniType
    ? z.output<Schema>
    : undefined;

/** The parsed input of a request. `ids` are the path's parameters, whose format is not checked; `page` is set with a query. */
export type Input<Path extends string, Query, Body> = Pick<AnyInput, "idempotencyKey"> & {
  readonly ids: Readonly<Record<PathParameter<Path>, string>>;
  readonly query: Parsed<Query>;
  readonly page: [Query] extends [never] ? undefined : PageRequest;
  readonly body: Parsed<Body>;
};

/** The input of any operation. */
export type AnyInput = {
  readonly ids: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly page: PageRequest | undefined;
  readonly body: unknown;
  readonly idempotencyKey: IdempotencyKey | undefined;
};
