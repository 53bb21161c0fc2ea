/** Owners in Account Settings, and the holders of their keys. */
import { type Actors, type KnownAccount, type KnownKey, pickFrom } from "../actors.ts";
import type { Command, Manner, PlannedKey } from "../plan.ts";
import type { Source } from "../world/random.ts";
import type { Answer } from "../world/world.ts";

const PATIENT: Manner = { isolate: 0, again: 20, idempotent: false };
const GRACES = [0, 0, 3_600, 86_400];
const ELSEWHERE = ["198.51.100.0/24"];
/** What narrows a key, and what widens it again. */
const CHANGES = [
  { paused: true },
  { paused: false },
  { scopes: ["surveys:read"] },
  {
    scopes: ["surveys:read", "surveys:write", "ideabanks:read", "ideabanks:write", "panelists:read", "panelists:write"],
  },
  { allowedAddresses: ELSEWHERE },
  { allowedAddresses: null, paused: false },
  { limit: 5 },
  { limit: 100, name: "Another name" },
];

type Shown = { readonly apiKey: { readonly id: string }; readonly key: string };

export class Owners {
  readonly #actors: Actors;

  constructor(actors: Actors) {
    this.#actors = actors;
  }

  async createFirst(
    source: Source,
    account: KnownAccount,
    key: PlannedKey = { limit: 10_000, windowSeconds: 60 },
  ): Promise<KnownKey> {
    const answer = await this.#create(source, account, key, PATIENT);
    if (answer?.status !== 201) throw new Error(`a first key was answered ${JSON.stringify(answer)}`);
    return this.#toKey(answer, account);
  }

  #toKey(answer: Answer, account: KnownAccount): KnownKey {
    const { apiKey, key } = answer.body as Shown;
    return { id: apiKey.id, text: key, account };
  }

  #create(source: Source, account: KnownAccount, key: PlannedKey, manner: Manner): Promise<Answer | undefined> {
    const body = { name: "A key", limit: key.limit, windowSeconds: key.windowSeconds };
    return this.#send(
      source,
      account,
      { operation: "createApiKey", method: "POST", path: "/account/api/keys", body },
      manner,
    );
  }

  #send(
    source: Source,
    { owner }: KnownAccount,
    request: { readonly operation: string; readonly method: string; readonly path: string; readonly body?: unknown },
    manner: Manner,
  ): Promise<Answer | undefined> {
    return this.#actors.send(source, { client: `owner ${owner}`, owner, isolate: manner.isolate, ...request }, manner);
  }

  async perform(source: Source, command: Command & { readonly kind: "owner" }): Promise<void> {
    const { does, draw } = command;
    const { keys, accounts } = this.#actors;
    if (does === "create") {
      const account = pickFrom(accounts, command.account);
      if (account === undefined) return;
      const limit = [1, 5, 20, 100][draw % 4] ?? 1;
      const answer = await this.#create(source, account, { limit, windowSeconds: 1 + (draw % 20) }, command);
      if (answer?.status === 201) keys.push(this.#toKey(answer, account));
      return;
    }
    const key = pickFrom(keys, command.key);
    if (key === undefined) return;
    const path = `/account/api/keys/${key.id}`;
    if (does === "revoke") {
      await this.#send(source, key.account, { operation: "revokeApiKey", method: "DELETE", path }, command);
    } else if (does === "rotate") {
      const body = { graceSeconds: GRACES[draw % GRACES.length] };
      const request = { operation: "rotateApiKey", method: "POST", path: `${path}/rotate`, body };
      const answer = await this.#send(source, key.account, request, command);
      // One who holds the old secret goes on with it for a while.
      if (answer?.status === 201 && draw % 3 !== 0) key.text = (answer.body as Shown).key;
    } else if (does === "change") {
      const body = CHANGES[draw % CHANGES.length];
      await this.#send(source, key.account, { operation: "changeApiKey", method: "PATCH", path, body }, command);
    } else {
      const list = { operation: "listApiKeys", method: "GET", path: "/account/api/keys" };
      const activity = { operation: "listActivity", method: "GET", path: "/account/api/activity" };
      await this.#send(source, key.account, does === "list" ? list : activity, command);
    }
  }

  /** A burst of one key's holder. */
  async useKey(source: Source, { key: pick, count, everyMs, isolate, spread }: Command & { readonly kind: "whoami" }) {
    const { world, keys } = this.#actors;
    const key = pickFrom(keys, pick);
    if (key === undefined) return;
    const under: Promise<unknown>[] = [];
    for (let index = 0; index < count; index++) {
      under.push(
        world.send(source.of(index), {
          client: `key ${key.id}`,
          operation: "whoami",
          method: "GET",
          path: "/tenant/whoami",
          isolate: spread ? isolate + index : isolate,
          headers: { "x-api-key": key.text },
        }),
      );
      if (everyMs > 0) await world.timeline.sleep(everyMs);
    }
    await Promise.all(under);
  }
}
