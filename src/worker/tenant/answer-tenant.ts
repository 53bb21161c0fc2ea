/**
 * Answers every operation of the tenant API: 401 and 429 by the key, 403 by scope and ownership, 400 by the rules of query and
 * body, then the handler.
 *
 * A handler's own query checks whether the path is the tenant's. Only when a request is refused for another reason, a separate
 * query checks it first: another tenant's resource gives 403 whatever was sent, and a valid request is one round trip.
 */
import type { Context } from "hono";
import { type AdmittedKey, admitKey, type KeyMemory, refuseChanged } from "../access/admit-key.ts";
import type { TokenRevocation } from "../database/idea-banks/idea-bank-view.ts";
import { actingAs, isKeyEnded } from "../database/keys/acting-keys.ts";
import { loadApiKeyRecord } from "../database/keys/api-keys.ts";
import { ownsPath } from "../database/ownership.ts";
import { deliverAfterAnswer, watchWebhooks } from "../deliveries/deliver.ts";
import type { Send } from "../deliveries/send.ts";
import { sendConsistencyToken } from "../http/consistency.ts";
import { readPrecondition } from "../http/etag.ts";
import type { Answered } from "../http/every-request.ts";
import { readIds } from "../http/query.ts";
import { readInput } from "../http/read-input.ts";
import { isId } from "../model/id.ts";
import type { Scope } from "../model/scope.ts";
import type { SigningEpochs } from "../model/signed-token.ts";
import { Problem } from "../problem.ts";
import type { IdeaBankViews } from "../view/views.ts";
import type { TenantEnv, TenantOperation } from "./operation.ts";

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
        address: c.req.header("CF-Connecting-IP") ?? null,
        operation: c.get("operation") ?? "",
        sent: c.req.raw,
        operatorSecret: c.env.OPERATOR_SECRET,
        now: Date.now(),
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

/** Votes are no changes, and issuing a token writes nothing: neither pays for saying which key it was. */
const isRecorded = ({ effect, method, path }: TenantOperation): boolean =>
  effect !== "reads" && !path.includes("/votes") && !(method === "POST" && path.endsWith("/tokens"));

/** Whether something is made, changed or ended, or a secret handed out: what would outlive a key that has ended meanwhile. */
const outlivesKey = ({ effect, forAgents }: TenantOperation): boolean => effect !== "reads" || forAgents === "never";

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
    { database, secretHash, tenant: { accountId } }: AuthenticatedTenant,
  ): Promise<Answered> {
    const { path, effect } = operation;
    const ids = readIds(c, operation);
    // `externalId` is the tenant's own id, not the identifier of a row.
    const { externalId: _, ...named } = ids;
    if (!Object.values(named).every(isId)) throw new Problem("forbidden", { cause: "no such identifier" });

    c.set("listsOf", accountId);
    let opened: ReturnType<typeof openPrimary> | undefined;
    const openPrimary = () => {
      const primary = database.primary();
      const key = { accountId, apiKeyId: c.get("apiKeyId"), secretHash, scope: scopeOf(operation), now: Date.now() };
      const acting = outlivesKey(operation) ? actingAs(primary.session, key, isRecorded(operation)) : primary.session;
      const watched = effect === "reads" ? { session: acting, waiting: [] } : watchWebhooks(acting, { accountId });
      return { primary, watched };
    };
    /** Opened when somebody asks for it: whoami asks no database. */
    const open = () => {
      opened ??= openPrimary();
      return opened;
    };
    const orForbidden = async (error: unknown): Promise<never> => {
      if (await ownsPath(open().watched.session, { accountId, path, ids })) throw error;
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
        : await readPrecondition(c, operation, ({ load }) => load(open().primary.session, accountId, ids)).catch(
            orForbidden,
          );
    const request = {
      ...input,
      accountId,
      precondition,
      get session() {
        return open().watched.session;
      },
      get afterwards() {
        return open().primary.session;
      },
      now: Date.now(),
      panelistIdOf: (externalId: string) => views.panelistIds.of({ accountId, externalId }, open().primary.session),
      noteRevocation: (revocation: TokenRevocation | undefined) => {
        if (revocation === undefined) return;
        views.noteRevocation(revocation);
        views.noteWrite(revocation.panelistId, open().primary.bookmark);
      },
      noteEpochs: (ideaBankId: string, epochs: SigningEpochs) => {
        views.noteEpochs(ideaBankId, epochs);
        views.noteWrite(ideaBankId, open().primary.bookmark);
      },
    };
    const response = await operation.handle(c, request).catch((error: unknown) => {
      if (error instanceof Problem && error.code === "invalid-request") return orForbidden(error);
      throw error;
    });
    if (opened === undefined) return response;
    const {
      primary,
      watched: { waiting },
    } = opened;
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
