/** Owners in Account Settings, and the holders of their keys. */
import { type Actors, type KnownAccount, type KnownKey, pickFrom } from "../actors.ts";
import type { Command, Manner, PlannedKey, UseDoes } from "../plan.ts";
import type { Source } from "../world/random.ts";
import type { Answer } from "../world/world.ts";
import { appearanceOf } from "./appearance.ts";

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
const WIDE = { limit: 400, windowSeconds: 60, paused: false, allowedAddresses: null };

const REQUESTS: Readonly<Record<UseDoes, { readonly method: string; readonly path: string; readonly body?: unknown }>> =
  {
    whoami: { method: "GET", path: "/tenant/whoami" },
    listSurveys: { method: "GET", path: "/tenant/surveys" },
    listPanelists: { method: "GET", path: "/tenant/panelists" },
    // There is none, and a survey has a name: 403 and 400.
    getSurvey: { method: "GET", path: "/tenant/surveys/000000000000" },
    createSurvey: { method: "POST", path: "/tenant/surveys", body: {} },
  };
/** What is left of a key whose last character is another one: its tag is wrong. */
const forge = (text: string): string => text.slice(0, -1) + (text.endsWith("a") ? "b" : "a");

type Burst = { readonly count: number; readonly everyMs: number; readonly isolate: number; readonly spread: boolean };
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
    return { id: apiKey.id, text: key, texts: [key], account };
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
      if (answer?.status === 201) {
        const { key: text } = answer.body as Shown;
        key.texts.push(text);
        if (draw % 3 !== 0) key.text = text;
      }
    } else if (does === "change" || does === "widen") {
      const body = does === "widen" ? WIDE : CHANGES[draw % CHANGES.length];
      await this.#send(source, key.account, { operation: "changeApiKey", method: "PATCH", path, body }, command);
    } else if (does === "look") {
      await this.look(source, key, command);
    } else {
      const list = { operation: "listApiKeys", method: "GET", path: "/account/api/keys" };
      const activity = { operation: "listActivity", method: "GET", path: "/account/api/activity" };
      await this.#send(source, key.account, does === "list" ? list : activity, command);
    }
  }

  async look(source: Source, { id, account }: KnownKey, manner: Manner = PATIENT): Promise<void> {
    const path = `/account/api/keys/${id}/usage`;
    await this.#send(source, account, { operation: "getApiKeyUsage", method: "GET", path }, manner);
  }

  /** A burst of one key's holder. */
  async useKey(source: Source, burst: Command & { readonly kind: "whoami" }): Promise<void> {
    const key = pickFrom(this.#actors.keys, burst.key);
    if (key !== undefined) await this.#sendMany(source, burst, key, key.text, "whoami");
  }

  /** Of somebody who has one of the key's secrets, or none. */
  async useAgain(source: Source, burst: Command & { readonly kind: "use" }): Promise<void> {
    const { does, secret, draw } = burst;
    const key = pickFrom(this.#actors.keys, burst.key);
    if (key === undefined) return;
    const text = secret === "any" ? (pickFrom(key.texts, draw) ?? key.text) : key.text;
    await this.#sendMany(source, burst, key, secret === "forged" ? forge(text) : text, does);
  }

  async #sendMany(source: Source, burst: Burst, { id }: KnownKey, text: string, does: UseDoes): Promise<void> {
    const { world } = this.#actors;
    const under: Promise<unknown>[] = [];
    for (let index = 0; index < burst.count; index++) {
      const own = source.of(index);
      under.push(
        world.send(own, {
          client: `key ${id}`,
          operation: does,
          ...REQUESTS[does],
          isolate: burst.spread ? burst.isolate + index : burst.isolate,
          headers: { ...appearanceOf(own), "x-api-key": text },
        }),
      );
      if (burst.everyMs > 0) await world.timeline.sleep(burst.everyMs);
    }
    await Promise.all(under);
  }
}
