/** The answers to another service of the platform: whether a key, or a token, is good. A refusal is an answer, and nothing is thrown. */
import type { GateCaller } from "../api-key-gate/gatekeeper.ts";
import { problemFor } from "../http/problem-response.ts";
import type { KeyAnswer, TokenAnswer } from "../model/access.ts";
import { networkOf } from "../model/address.ts";
import type { Scope } from "../model/scope.ts";
import { toTimestamp } from "../model/text.ts";
import { type Problem, problemDocument } from "../problem.ts";
import type { Settings } from "../settings.ts";
import { admitKey, type KeyMemory } from "./admit-key.ts";
import { accessOf, type IdeaBankMemory, openByToken, type TokenCaller } from "./open-idea-bank.ts";

export type AccessMemory = KeyMemory & IdeaBankMemory;

/** The sender of a question. `log` gets the reason why a credential was refused. */
export type Asker = {
  readonly caller: GateCaller & TokenCaller;
  readonly settings: Settings;
  readonly log: (problem: Problem) => void;
};

/** Its `operationId`: the name under which a key's owner sees the requests to other services. */
const OPERATION = "verifyKey";

/** The facts about its own client that another service may give. */
export type KeyTerms = { readonly scope?: Scope | null | undefined; readonly address?: string | null | undefined };

/** Decides and counts one request with a key, as the tenant API would. */
export async function verifyKey(
  memory: AccessMemory,
  {
    asker: { caller, settings, log },
    key,
    terms: { scope = null, address = null },
  }: { readonly asker: Asker; readonly key: string | null | undefined; readonly terms: KeyTerms },
): Promise<KeyAnswer> {
  const decided = admitKey(memory, {
    caller,
    keys: settings.signingKeys,
    question: {
      text: key ?? undefined,
      scope,
      sender: {
        // Another service may pass on any text of its client, and the address of a use is stored.
        address: address !== null && networkOf(address) !== undefined ? address : null,
        operation: OPERATION,
        sent: { headers: new Headers() },
        now: Date.now(),
      },
    },
  });
  // A defect is an answer, too: over RPC it would be the caller's exception.
  const decision = await decided.catch((error: unknown) => refused(error, log, {}));
  if ("ok" in decision) return decision;
  const { limits: headers } = decision;
  if (decision.refusal) return refused(decision.refusal, log, headers);
  const { apiKeyId, tenant } = decision;
  return { ok: true, problem: null, headers, apiKeyId, accountId: tenant.accountId, scopes: tenant.scopes };
}

/** The claims of a token, and what its holder may do now. */
export async function verifyToken(
  memory: AccessMemory,
  { caller, settings, log }: Asker,
  token: string | null | undefined,
): Promise<TokenAnswer> {
  try {
    const question = {
      text: token ?? undefined,
      sent: undefined,
      address: "",
      capability: null,
      store: undefined,
      consistencyToken: undefined,
    };
    const opened = await openByToken(memory, { caller, settings, question });
    const { ideaBankId, panelistId, issuedAt, expiresAt } = opened.token;
    return {
      ok: true,
      problem: null,
      headers: {},
      ideaBankId,
      accountId: opened.ideaBank?.accountId ?? null,
      panelistId,
      issuedAt: toTimestamp(issuedAt * 1000),
      expiresAt: toTimestamp(expiresAt * 1000),
      ...accessOf(opened),
    };
  } catch (error) {
    return refused(error, log, {});
  }
}

function refused(error: unknown, log: Asker["log"], headers: Readonly<Record<string, string>>) {
  if (!(error instanceof Error)) throw error;
  const problem = problemFor(error);
  log(problem);
  return { ok: false, headers: { ...headers, ...problem.headers }, problem: problemDocument(problem) } as const;
}
