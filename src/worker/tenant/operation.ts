/** The shape of an operation of the tenant API. It takes an API key with a scope, and its handler runs after all checks. */
import type { Context } from "hono";
import type * as z from "zod/mini";
import type { Identifier } from "../credentials/id.ts";
import type { TokenRevocation } from "../database/idea-banks/idea-bank-view.ts";
import type { AppEnv } from "../http/app-env.ts";
import type { Precondition, Versioned } from "../http/etag.ts";
import type { AnyInput, Definition, Input, ListQuery, Operation, Tag } from "../http/operation.ts";
import type { Tenant } from "../model/api-key.ts";
import type { Scope } from "../model/scope.ts";
import type { SigningEpochs } from "../model/signed-token.ts";
import type { Session } from "../store/session.ts";

/** A handler can also use the key and its tenant. */
export type TenantEnv = AppEnv & { Variables: { apiKeyId: string; tenant: Tenant } };

/** `now` is in Unix milliseconds; `session` is at the primary. */
export type TenantRequest = {
  readonly accountId: string;
  readonly session: Session;
  /** The same for what is stored after the answer, even if the key has ended meanwhile, and for what is read before something is written. */
  readonly afterwards: Session;
  readonly now: number;
  /** Empty without `If-Match` and `If-None-Match`, and for an operation that takes neither. */
  readonly precondition: Precondition;
  /** The identifier of the person with this external id, who may have no row yet. */
  readonly panelistIdOf: (externalId: string) => Promise<Identifier>;
  /** Call it when tokens were revoked, or made valid again, so that this isolate knows it at once. */
  readonly noteRevocation: (revocation: TokenRevocation | undefined) => void;
  /** The same for a secret for signing tokens. */
  readonly noteEpochs: (ideaBankId: string, epochs: SigningEpochs) => void;
};

export type TenantOperation = Versioned & {
  readonly forAgents?: ForAgents;
  handle(c: Context<TenantEnv>, request: AnyInput & TenantRequest): Promise<Response>;
};

/**
 * How an agent sees the operation at `/mcp`, if not as it is. `never`: its answer has a secret, or is a file, and a transcript is no place for either.
 * Otherwise the fields of the body that an agent may send, and what the operation does with them.
 */
type ForAgents =
  | "never"
  | (Required<Pick<Operation, "effect" | "description">> & { readonly fields: readonly string[] });

type TenantDefinition<Path extends string, Query, Body> = Definition<Path, Query, Body> &
  Pick<Versioned, "version"> & {
    /** Null accepts any key. */
    readonly scope: Scope | null;
    readonly forAgents?: ForAgents;
    handle(c: Context<TenantEnv>, request: Input<Path, Query, Body> & TenantRequest): Promise<Response>;
  };

/** Defines the operations of a tag. */
export const tenantOperations =
  (tag: Tag) =>
  <Path extends `/${string}`, Query extends ListQuery = never, Body extends z.ZodMiniType = never>({
    scope,
    ...definition
  }: TenantDefinition<Path, Query, Body>): TenantOperation => ({
    ...definition,
    tag,
    credential: { kind: "apiKey", scope },
  });
