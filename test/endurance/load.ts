/** Mixed load: every kind of write that a client can retry, and reads, by clients that each wait for their answers. */
import type { Creation, Journal } from "./journal.ts";
import { createKey, issueToken, type Panelist, type Scene, send } from "./scene.ts";

/** What the API states as a refusal: the client is told, and nothing was done. */
const REFUSALS = [409, 429, 503];

/** Enough to reach the limit. */
const LIMITED_CLIENTS = 4;

/** A number from 0 up to, and without, `below`. */
export type Pick = (below: number) => number;

export type LoadOptions = {
  readonly url: string;
  readonly scene: Scene;
  readonly journal: Journal;
  readonly pick: Pick;
};

export class Load {
  readonly #options: LoadOptions;
  readonly #tenant: Record<string, string>;
  #marks: number;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#tenant = { "X-API-Key": options.scene.apiKey };
    this.#marks = options.journal.creations.length;
  }

  /** One client for each panelist, one that ends keys, one that ends tokens, some that keep a key at its limit; until `stopped` or no answer. */
  async run(stopped: () => boolean): Promise<void> {
    const { panelists } = this.#options.scene;
    await Promise.all([
      ...panelists.map((panelist) => this.#repeat(stopped, () => this.#participate(panelist))),
      this.#repeat(stopped, () => this.#endKey()),
      this.#repeat(stopped, () => this.#endToken()),
      ...Array.from({ length: LIMITED_CLIENTS }, () => this.#repeat(stopped, () => this.#useLimitedKey())),
    ]);
  }

  async #repeat(stopped: () => boolean, act: () => Promise<void>): Promise<void> {
    while (!stopped()) {
      try {
        await act();
      } catch (error) {
        // No answer, or half of one: the server was killed. What was sent may have been done.
        if (error instanceof TypeError || error instanceof SyntaxError) this.#options.journal.lost += 1;
        else this.#options.journal.unexpected.push(String(error));
        return;
      }
    }
  }

  #participate(panelist: Panelist): Promise<void> {
    const acts = [
      () => this.#submit(panelist),
      () => this.#comment(panelist),
      () => this.#vote(panelist),
      () => this.#vote(panelist),
      () => this.#propose(),
      () => this.#implement(),
      () => this.#addPanelist(),
      () => this.#read("/public/ideabank/changelog", { Authorization: panelist.token }),
      () => this.#read("/ideabank/proposals?sort=top", { Authorization: panelist.token }),
      () => this.#read("/tenant/whoami", this.#tenant),
    ];
    return (acts[this.#options.pick(acts.length)] ?? acts[0])?.() ?? Promise.resolve();
  }

  async #send(path: string, init: Parameters<typeof send>[1] = {}) {
    const { url, journal } = this.#options;
    const answer = await send(url + path, init);
    journal.statuses.set(answer.status, (journal.statuses.get(answer.status) ?? 0) + 1);
    if (answer.status >= 300 && !REFUSALS.includes(answer.status))
      journal.unexpected.push(`${init.method ?? "GET"} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
    return answer;
  }

  async #create(
    table: Creation["table"],
    path: string,
    headers: Record<string, string>,
    toBody: (mark: string) => object,
  ) {
    this.#marks += 1;
    const mark = `mark-${this.#marks}.`;
    const creation: Creation = {
      table,
      mark,
      path,
      headers: { ...headers, "Idempotency-Key": mark },
      body: toBody(mark),
    };
    this.#options.journal.creations.push(creation);
    const { status, json } = await this.#send(path, { method: "POST", headers: creation.headers, body: creation.body });
    if (status === 201) creation.id = String(json.id);
  }

  #submit = ({ token }: Panelist) =>
    this.#create("proposals", "/ideabank/proposals", { Authorization: token }, (title) => ({
      title,
      description: "Under load.",
    }));

  #propose = () =>
    this.#create(
      "proposals",
      `/tenant/ideabanks/${this.#options.scene.ideaBankId}/proposals`,
      this.#tenant,
      (title) => ({
        title,
      }),
    );

  #addPanelist = () => this.#create("panelists", "/tenant/panelists", this.#tenant, (externalId) => ({ externalId }));

  async #comment({ token }: Panelist) {
    const id = this.#anyProposal();
    if (id === undefined) return;
    await this.#create("comments", `/ideabank/proposals/${id}/comments`, { Authorization: token }, (body) => ({
      body,
    }));
  }

  async #vote({ id: panelistId, token }: Panelist) {
    const proposalId = this.#anyProposal();
    if (proposalId === undefined) return;
    const { journal, pick } = this.#options;
    const key = `${panelistId} ${proposalId}`;
    const before = journal.votes.get(key);
    const vote = { proposalId, panelistId, voted: pick(3) > 0, settled: false };
    journal.votes.set(key, vote);
    const { status } = await this.#send(`/ideabank/proposals/${proposalId}/vote`, {
      method: vote.voted ? "PUT" : "DELETE",
      headers: { Authorization: token },
    });
    if (status === 200) vote.settled = true;
    else if (status === 429 && before !== undefined) journal.votes.set(key, before);
    else if (status === 429) journal.votes.delete(key);
  }

  async #implement() {
    const id = this.#anyProposal();
    if (id === undefined) return;
    const { scene, pick } = this.#options;
    await this.#send(`/tenant/ideabanks/${scene.ideaBankId}/proposals/${id}`, {
      method: "PATCH",
      headers: this.#tenant,
      body: { status: pick(4) > 0 ? "implemented" : "planned" },
    });
  }

  /** Creates a key, uses it, revokes it. */
  async #endKey() {
    const { url, journal } = this.#options;
    const { id, text } = await createKey(url, { name: "Short-lived" });
    const key = { id, text, acknowledged: false };
    await this.#send("/tenant/whoami", { headers: { "X-API-Key": text } });
    journal.endedKeys.push(key);
    key.acknowledged = (await this.#send(`/account/api/keys/${id}`, { method: "DELETE" })).status === 200;
  }

  /** A token that is revoked. */
  async #endToken() {
    const { url, scene, journal, pick } = this.#options;
    const { id, token } = await issueToken(url, scene.apiKey, scene.ideaBankId, `revoked ${pick(1_000_000)}`);
    const { status } = await this.#send(`/tenant/panelists/${id}/tokens`, { method: "DELETE", headers: this.#tenant });
    if (status === 204) journal.revokedTokens.push(token);
  }

  async #useLimitedKey() {
    const { scene, journal } = this.#options;
    const sent = performance.now();
    const { status } = await this.#send("/tenant/whoami", { headers: { "X-API-Key": scene.limited.text } });
    if (status === 200) journal.admissions.push({ sent, received: performance.now() });
  }

  #read = async (path: string, headers: Record<string, string>) => void (await this.#send(path, { headers }));

  #anyProposal(): string | undefined {
    const { proposals } = this.#options.journal;
    return proposals[this.#options.pick(Math.max(1, proposals.length))];
  }
}
