/**
 * Answers every operation of the tenant API: 401 and 429 by the key, 403 by scope and ownership, 400 by the rules of query and
 * body, then the handler.
 *
 * A handler's own query checks whether the path is the tenant's. Only when a request is refused for another reason, a separate
 * query checks it first: another tenant's resource gives 403 whatever was sent, and a valid request is one round trip.
 */
import type { Context } from "hono";
import { type AdmittedKey, admitKey, type KeyMemory, refuseChanged } from "../access/admit-key.ts";
import { type Acts, actingAs, isKeyEnded } from "../database/keys/acting-keys.ts";
import { loadApiKeyRecord } from "../database/keys/api-keys.ts";
import { ownsPath } from "../database/ownership.ts";
import { deliverAfterAnswer, watchWebhooks } from "../deliveries/after-answer.ts";
import type { Send } from "../deliveries/send.ts";
import { sendConsistencyToken } from "../http/consistency.ts";
import { type Precondition, readPrecondition } from "../http/etag.ts";
import type { Answered } from "../http/every-request.ts";
import type { AnyInput } from "../http/operation.ts";
import { readIds } from "../http/query.ts";
import { readInput } from "../http/read-input.ts";
import { isId } from "../model/id.ts";
import type { Scope } from "../model/scope.ts";
import { Problem } from "../problem.ts";
import type { Session } from "../store/session.ts";
import type { IdeaBankViews } from "../view/views.ts";
import type { TenantEnv, TenantOperation, TenantRequest } from "./operation.ts";

/** Sets `tenant` and `apiKeyId`, and the rate-limit headers of the response. Returns the problem of a refused key. `text` is the key, by default the one in `X-API-Key`. */
export type AuthenticateApiKey = (
  c: Context<TenantEnv>,
  scope: Scope | null,
  text?: string | undefined,
) => Promise<AuthenticatedTenant | Problem>;

/** A tenant, and the database that holds all its data: the one that its key names. */
export type AuthenticatedTenant = Pick<AdmittedKey, "tenant" | "database" | "secretHash">;

export function createApiKeyAuthentication(memory: KeyMemory): AuthenticateApiKey {
  return async function authenticateApiKey(c, scope, text = c.req.header("X-API-Key")) {
    const decision = await admitKey(memory, {
      caller: c,
      keys: c.get("settings").signingKeys,
      question: {
        text,
        scope,
        sender: {
          address: c.req.header("CF-Connecting-IP") ?? null,
          operation: c.get("operation") ?? "",
          sent: c.req.raw,
          operatorSecret: c.env.OPERATOR_SECRET,
          now: Date.now(),
        },
      },
    });
    c.set("limits", decision.limits);
    c.set("whose", { account: decision.tenant?.accountId, apiKey: decision.apiKeyId });
    if (decision.refusal) return decision.refusal;
    c.set("tenant", decision.tenant);
    c.set("apiKeyId", decision.apiKeyId);
    c.set("sender", decision.apiKeyId);
    return decision;
  };
}

const scopeOf = ({ credential }: TenantOperation) => (credential.kind === "apiKey" ? credential.scope : null);

/** Their answers, or the list of voters afterwards, would reveal which panelist the person is. */
const namesPerson = (body: unknown): boolean =>
  typeof body === "object" &&
  body !== null &&
  (("panelistExternalId" in body && body.panelistExternalId !== undefined) ||
    Object.values(body).some((part) => Array.isArray(part) && part.some(namesPerson)));

/**
 * Votes are no changes, and issuing a token writes nothing: neither pays for saying which key it was. What adds or overwrites one thing is
 * one change, but blocking a panelist is an event, too, and recording a response can make a panelist.
 */
const actsOf = ({ effect, method, path }: TenantOperation): Acts => {
  if (effect === "reads" || path.includes("/votes") || (method === "POST" && path.endsWith("/tokens"))) return "none";
  return effect === "ends" || path.startsWith("/tenant/panelists") || /\/batch$|\/responses\//.test(path)
    ? "any"
    : "one-change";
};

/** Whether something is made, changed or ended, or a secret handed out: what would outlive a key that has ended meanwhile. */
const outlivesKey = ({ effect, forAgents }: TenantOperation): boolean => effect !== "reads" || forAgents === "never";

/** The database of an admitted request, opened when somebody asks for it: whoami asks none. */
class Work {
  readonly accountId: string;
  readonly #c: Context<TenantEnv>;
  readonly #operation: TenantOperation;
  readonly #authenticated: AuthenticatedTenant;
  #opened: ReturnType<Work["open"]> | undefined;

  constructor(c: Context<TenantEnv>, operation: TenantOperation, authenticated: AuthenticatedTenant) {
    this.accountId = authenticated.tenant.accountId;
    this.#c = c;
    this.#operation = operation;
    this.#authenticated = authenticated;
  }

  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  get opened() {
    this.#opened ??= this.open();
    return this.#opened;
  }

  open() {
    const { accountId } = this;
    const operation = this.#operation;
    const { database, secretHash } = this.#authenticated;
    const primary = database.primary();
    const apiKeyId = this.#c.get("apiKeyId");
    const key = { accountId, apiKeyId, secretHash, scope: scopeOf(operation), now: Date.now() };
    const acting = outlivesKey(operation) ? actingAs(primary.session, key, actsOf(operation)) : primary.session;
    const isRead = operation.effect === "reads";
    const watched = isRead ? { session: acting, waiting: [] } : watchWebhooks(acting, { accountId });
    return { primary, watched };
  }
}

/** What a handler gets. Most handlers need few of its functions, so each is made when it is asked for. */
class WorkedRequest implements AnyInput, TenantRequest {
  readonly ids: AnyInput["ids"];
  readonly query: AnyInput["query"];
  readonly page: AnyInput["page"];
  readonly body: AnyInput["body"];
  readonly idempotencyKey: AnyInput["idempotencyKey"];
  readonly accountId: string;
  readonly precondition: Precondition;
  readonly now = Date.now();
  readonly #work: Work;
  readonly #views: IdeaBankViews;

  constructor(work: Work, views: IdeaBankViews, input: AnyInput, precondition: Precondition) {
    this.ids = input.ids;
    this.query = input.query;
    this.page = input.page;
    this.body = input.body;
    this.idempotencyKey = input.idempotencyKey;
    this.accountId = work.accountId;
    this.precondition = precondition;
    this.#work = work;
    this.#views = views;
  }

  get session(): Session {
    return this.#work.opened.watched.session;
  }

  get afterwards(): Session {
    return this.#work.opened.primary.session;
  }

  get panelistIdOf(): TenantRequest["panelistIdOf"] {
    const { accountId, afterwards } = this;
    return (externalId) => this.#views.panelistIds.of({ accountId, externalId }, afterwards);
  }

  get noteRevocation(): TenantRequest["noteRevocation"] {
    return (revocation) => {
      if (revocation === undefined) return;
      this.#views.noteRevocation(revocation);
      this.#noteWrite(revocation.panelistId);
    };
  }

  get noteEpochs(): TenantRequest["noteEpochs"] {
    return (ideaBankId, epochs) => {
      this.#views.noteEpochs(ideaBankId, epochs);
      this.#noteWrite(ideaBankId);
    };
  }

  #noteWrite(id: string): void {
    this.#views.noteWrite(id, this.#work.opened.primary.bookmark);
  }
}

export function createTenantAnswer(authenticate: AuthenticateApiKey, views: IdeaBankViews, send: Send) {
  return async function answer(c: Context<TenantEnv>, operation: TenantOperation): Promise<Answered> {
    const scope = scopeOf(operation);
    const authenticated = await authenticate(c, scope);
    if (authenticated instanceof Problem) return authenticated;
    try {
      return await answerAdmitted(c, operation, authenticated);
    } catch (error) {
      if (!isKeyEnded(error)) throw error;
      const { database, secretHash } = authenticated;
      const record = await loadApiKeyRecord(database.primary().session, c.get("apiKeyId"));
      const address = c.req.header("CF-Connecting-IP") ?? null;
      const refusal = refuseChanged(record, { secretHash, scope, address, now: Date.now() });
      if (refusal.code === "unauthorized") c.set("limits", {});
      return refusal;
    }
  };

  async function answerAdmitted(
    c: Context<TenantEnv>,
    operation: TenantOperation,
    authenticated: AuthenticatedTenant,
  ): Promise<Answered> {
    const {
      database,
      tenant: { accountId },
    } = authenticated;
    const { path, effect } = operation;
    const ids = readIds(c, operation);
    // `externalId` is the tenant's own id, not the identifier of a row.
    for (const name in ids)
      if (name !== "externalId" && !isId(ids[name] ?? ""))
        throw new Problem("forbidden", { cause: "no such identifier" });

    c.set("listsOf", accountId);
    const work = new Work(c, operation, authenticated);
    const orForbidden = async (error: unknown): Promise<never> => {
      if (await ownsPath(work.opened.watched.session, { accountId, path, ids })) throw error;
      throw new Problem("forbidden", { cause: "not the tenant's" });
    };
    const input = await readInput(c, operation, "tenant").catch(orForbidden);
    if (namesPerson(input.body) && !c.get("tenant").scopes.includes("panelists:read"))
      throw new Problem("forbidden", {
        detail: "Only an API key with the scope panelists:read can name a panelist by panelistExternalId.",
      });
    const precondition =
      effect === "reads"
        ? {}
        : await readPrecondition(c, operation, ({ load }) => load(work.opened.primary.session, accountId, ids)).catch(
            orForbidden,
          );
    const request = new WorkedRequest(work, views, input, precondition);
    const response = await operation.handle(c, request).catch((error: unknown) => {
      if (error instanceof Problem && error.code === "invalid-request") return orForbidden(error);
      throw error;
    });
    if (!work.isOpen) return response;
    const {
      primary,
      watched: { waiting },
    } = work.opened;
    primary.noteAnswer();
    deliverAfterAnswer(c, { session: database.withoutSession(), waiting, send });
    if (effect === "reads") return response;
    const { ideaBankId, panelistId } = ids;
    // Issuing a token changes nothing that a panelist of the idea bank sees.
    const written = scopeOf(operation) === "panelists:write" ? panelistId : ideaBankId;
    if (written !== undefined) views.noteWrite(written, primary.bookmark);
    if (primary.bookmark !== undefined)
      await sendConsistencyToken(c, {
        response,
        subject: ideaBankId ?? panelistId ?? accountId,
        bookmark: primary.bookmark,
      });
    return response;
  }
}
