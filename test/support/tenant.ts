/** A tenant with a key, talking to the tenant API through one isolate. */
import { env } from "cloudflare:workers";
import type { OperationName } from "../../src/tenant/operations.ts";
import { createIsolate, type Isolate } from "./isolate.ts";
import { addAccount, addApiKey, addIdeaBank, addProposal, type KeyOptions, newId } from "./world.ts";

export async function createTenant(options: KeyOptions = {}, isolate: Isolate = createIsolate()) {
  const key = await addApiKey({ limit: 10_000, ...options });
  return {
    ...key,
    isolate,
    /** A body that is not a string is sent as JSON; a GET sends none. */
    send(method: string, path: string, json?: unknown, headers: Record<string, string> = {}): Promise<Response> {
      const body = method === "GET" ? undefined : json;
      return isolate.request(path, {
        method,
        headers: {
          "X-API-Key": key.text,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
      });
    },
  };
}

/** A valid body for every operation that takes one. The compiler asks for those of new operations. */
export const VALID_BODIES: Record<Extract<OperationName, `${"create" | "update" | "issue"}${string}`>, object> = {
  createSurvey: { title: "A survey" },
  updateSurvey: { title: "Changed" },
  createIdeaBank: { name: "An idea bank" },
  updateIdeaBank: { name: "Changed", status: "CLOSED" },
  createProposal: { title: "A proposal" },
  updateProposal: { title: "Changed", status: "implemented" },
  createPanelist: { externalId: "someone" },
  updatePanelist: { active: false },
  issueToken: { externalId: "someone" },
};

export const bodyOf = (name: OperationName): object | undefined =>
  Object.hasOwn(VALID_BODIES, name) ? VALID_BODIES[name as keyof typeof VALID_BODIES] : undefined;

/** One of everything that a path of the tenant API can name, in an account of its own. */
export async function addOneOfEverything(accountId?: string) {
  const account = accountId ?? (await addAccount());
  const bank = await addIdeaBank({ accountId: account });
  const proposalId = await addProposal(bank);
  const [commentId, surveyId] = [newId(), newId()];
  await env.DB.batch([
    env.DB.prepare("INSERT INTO comments VALUES (?1, ?2, ?3, ?4, 'A comment', 1)").bind(
      commentId,
      account,
      proposalId,
      bank.panelistId,
    ),
    env.DB.prepare("INSERT INTO surveys VALUES (?1, ?2, 'A survey', '', 'OPEN', 1, 1)").bind(surveyId, account),
  ]);
  return { accountId: account, ideaBankId: bank.id, proposalId, commentId, surveyId, panelistId: bank.panelistId };
}

/** `/tenant/surveys/{surveyId}` with its identifiers filled in. */
export const fillPath = (path: string, ids: Record<string, string>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);

/** Everything that D1 holds and a tenant's request could change. */
export async function dumpDatabase(): Promise<unknown> {
  const tables = [
    "surveys",
    "idea_banks",
    "proposals",
    "comments",
    "panelists",
    "token_revocations",
    "idempotency_keys",
  ];
  const results = await env.DB.batch(tables.map((table) => env.DB.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`)));
  return results.map(({ results: rows }) => rows);
}
