/** The real thing beside the reference model: the app in two isolates, with its D1, KV and Durable Objects. */
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { bindingOf, DATABASES, databaseOf } from "../../../support/databases.ts";
import { createIsolate, type Isolate } from "../../../support/isolate.ts";
import { withoutLimits } from "../../../support/limits.ts";
import { PROPOSALS, sendWith } from "../../../support/panel.ts";
import { addApiKey, newId } from "../../../support/world.ts";
import { joinBatches } from "./joined-database.ts";
import { type Answer, type Panelist, Reference, type Settings } from "./reference.ts";

/** Which isolate a request goes through. */
export type Through = 0 | 1;
/** How far a history's clock is ahead of D1's, by which tokens are issued and revoked: nothing is ever issued in its future. */
const AHEAD_MS = 3_600_000;

const SETTINGS: Settings = {
  name: "Ideas",
  status: "OPEN",
  internal: false,
  changelogEnabled: true,
  changelogMaxEntries: 3,
  submissionsEnabled: true,
  votingEnabled: true,
  commentsEnabled: true,
  approvalRequired: false,
};

export class System {
  readonly etags = new Map<string, string>();
  readonly #env = withoutLimits(env);
  /** For the reads of a check, which are sent at the same time. */
  readonly #joined: Env;
  readonly #isolates: [Isolate, Isolate] = [createIsolate(this.#env), createIsolate(this.#env)];
  readonly #apiKey: { readonly text: string; readonly accountId: string };
  /** Of the idea bank, in the tenant API. */
  path = "";
  /** When the last command went through each isolate. */
  readonly lastUsed: Record<Through, number> = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  /** How many commands there were. */
  step = 0;
  #keptInStore: { key: string; value: string; metadata: unknown } | undefined;

  private constructor(apiKey: { text: string; accountId: string }) {
    this.#apiKey = apiKey;
    const { accountId } = apiKey;
    this.#joined = { ...this.#env, [bindingOf(accountId)]: joinBatches(databaseOf(accountId)) };
  }

  /** A new tenant with an idea bank, three panelists and three proposals, and its model. */
  static async start(): Promise<{ model: Reference; real: System }> {
    vi.useRealTimers();
    const start = Date.now() + AHEAD_MS;
    vi.useFakeTimers({ toFake: ["Date"], now: start });
    for (const database of DATABASES)
      await database.batch([database.prepare("DELETE FROM accounts"), database.prepare("DELETE FROM proposals")]);
    for (const { name } of (await env.CHANGELOGS.list()).keys) await env.CHANGELOGS.delete(name);
    const real = new System(await addApiKey({ limit: 10_000 }));
    const model = new Reference(start, { ...SETTINGS });
    const { body } = await real.tenant(0, "POST", "/tenant/ideabanks", SETTINGS);
    real.path = `/tenant/ideabanks/${createdId({ status: 201, body })}`;
    for (const name of ["Robin", "Kim", null]) await addPanelist(model, real, name);
    const text = { title: "Dark mode", description: "For the night." };
    const fields = { ...text, status: "implemented", visibility: "public" } as const;
    model.propose(fields, createdId(await real.tenant(0, "POST", "/proposals", fields)));
    for (const token of model.tokens.slice(0, 2))
      model.submit(token, text, createdId(await real.panelist(0, token.text, "POST", PROPOSALS, text)));
    for (const [index, token] of model.tokens.slice(0, 2).entries()) {
      const { id = "" } = model.proposals[index] ?? {};
      const answer = await real.panelist(0, token.text, "POST", `${PROPOSALS}/${id}/comments`, { body: "Yes." });
      model.comment(token, id, "Yes.", createdId(answer));
    }
    return { model, real };
  }

  evict(through: Through): void {
    this.#isolates[through] = createIsolate(this.#env);
  }

  tenant = async (through: Through, method: string, below: string, json?: unknown): Promise<Answer> => {
    const path = below.startsWith("/tenant") ? below : this.path + below;
    const response = await this.#isolates[through].request(path, {
      method,
      headers: { "X-API-Key": this.#apiKey.text, "Content-Type": "application/json" },
      body: json === undefined ? null : JSON.stringify(json),
    });
    return toAnswer(response);
  };

  panelist = async (
    through: Through,
    token: string,
    ...[method, path, json, headers]: Parameters<ReturnType<typeof sendWith>>
  ): Promise<Answer> => toAnswer(await sendWith(this.#isolates[through], token)(method, path, json, headers));

  /** A read of a check. The ETag of a changelog is a function of its body, and of nothing else. */
  async read(through: Through, token: string, path: string): Promise<Answer> {
    const response = await this.#isolates[through].request(path, { headers: { Authorization: token } }, this.#joined);
    const etag = response.headers.get("ETag");
    if (etag !== null) {
      const body = await response.clone().text();
      const known = this.etags.get(body) ?? etag;
      if (known !== etag || [...this.etags].some(([other, tag]) => tag === etag && other !== body))
        throw new Error(`the ETag ${etag} does not follow from ${body}`);
      this.etags.set(body, etag);
    }
    return toAnswer(response);
  }

  /** A token, by the panelist's id or by an external id that is new. */
  async issue(through: Through, who: { panelistId: string } | { externalId: string }, displayName?: string | null) {
    const answer = await this.tenant(through, "POST", "/tokens", { ...who, displayName });
    return { answer, issued: answer.body as { token: string; panelistId: string } | undefined };
  }

  /** Nobody has an operation for this yet. */
  suspend = (suspended: boolean) =>
    databaseOf(this.#apiKey.accountId)
      .prepare("UPDATE accounts SET status = ?2 WHERE id = ?1")
      .bind(this.#apiKey.accountId, suspended ? "suspended" : "active")
      .run();

  /** KV may lose its entry, or show an older one again. */
  async disturbStore(how: "keep" | "restore" | "drop"): Promise<void> {
    const [entry] = (await env.CHANGELOGS.list()).keys;
    if (how === "drop" && entry) await env.CHANGELOGS.delete(entry.name);
    if (how === "keep" && entry) {
      const { value, metadata } = await env.CHANGELOGS.getWithMetadata(entry.name);
      this.#keptInStore = value === null ? undefined : { key: entry.name, value, metadata };
    }
    if (how === "restore" && this.#keptInStore) {
      const { key, value, metadata } = this.#keptInStore;
      await env.CHANGELOGS.put(key, value, { metadata });
    }
  }
}

async function addPanelist(model: Reference, real: System, name: string | null): Promise<void> {
  const { issued } = await real.issue(0, { externalId: `external-${newId()}` }, name);
  if (issued === undefined) throw new Error("no token was issued");
  const panelist: Panelist = { id: issued.panelistId, name, deleted: false, revocations: 0 };
  model.panelists.push(panelist);
  model.tokens.push({ text: issued.token, panelist, dead: false });
}

/** The id of what a request has created, or one that is nobody's. */
export const createdId = ({ body }: Answer): string =>
  typeof body === "object" && body !== null && "id" in body && typeof body.id === "string" ? body.id : "000000000000";

async function toAnswer(response: Response): Promise<Answer> {
  const { status } = response;
  const text = await response.text();
  if (text === "") return { status };
  const body = JSON.parse(text);
  if (status < 400) return { status, body };
  const { error, duplicateOf } = body;
  return { status, error, ...(duplicateOf === undefined ? {} : { duplicateOf }) };
}
