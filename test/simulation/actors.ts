/** Who acts in a history, and what they know: API keys, tokens, proposals that they were told of. */
import { Approvers } from "./actors/approvers.ts";
import { Finders } from "./actors/finders.ts";
import { Followers } from "./actors/followers.ts";
import { Members } from "./actors/members.ts";
import { Oddities } from "./actors/oddities.ts";
import { Owners } from "./actors/owners.ts";
import { Panelists } from "./actors/panelists.ts";
import { Surveys } from "./actors/surveys.ts";
import { Syncs } from "./actors/syncs.ts";
import { Tenants } from "./actors/tenants.ts";
import { Tokens } from "./actors/tokens.ts";
import { Webhooks } from "./actors/webhooks.ts";
import type { Command, Manner, PlannedAccount } from "./plan.ts";
import { EPOCH } from "./world/globals.ts";
import type { Source } from "./world/random.ts";
import { type Answer, type Asked, OPERATOR_SECRET, type World } from "./world/world.ts";

/** `text` is what its holder uses, `texts` what its owner was shown. */
export type KnownKey = { readonly id: string; text: string; readonly texts: string[]; readonly account: KnownAccount };
export type KnownBank = { readonly id: string; readonly account: KnownAccount; readonly proposals: string[] };
export type KnownToken = { readonly text: string; readonly bank: KnownBank; readonly person: string };
export type KnownAccount = {
  readonly owner: string;
  readonly banks: KnownBank[];
  /** By external id: the panelist's id. */
  readonly people: Map<string, string>;
  /** The key of its integration, which is never revoked by a command. */
  integration?: KnownKey;
};

/** What a client sends again. */
const AGAIN = new Set([429, 503]);

export const pickFrom = <Item>(items: readonly Item[], pick: number): Item | undefined => items[pick % items.length];

const OPERATOR = { client: "operator", headers: { authorization: `Bearer ${OPERATOR_SECRET}` } };

export class Actors {
  readonly world: World;
  readonly source: Source;
  readonly accounts: KnownAccount[] = [];
  readonly keys: KnownKey[] = [];
  readonly tokens: KnownToken[] = [];
  readonly #owners = new Owners(this);
  readonly #members = new Members(this);
  readonly #tenants = new Tenants(this);
  readonly #panelists = new Panelists(this);
  readonly #followers = new Followers(this);
  readonly #webhooks = new Webhooks(this);
  readonly #syncs = new Syncs(this);
  readonly #approvers = new Approvers(this);
  readonly #finders = new Finders(this);
  readonly #oddities = new Oddities(this);
  readonly #otherTokens = new Tokens(this);
  readonly #surveys = new Surveys(this);

  constructor(world: World, source: Source) {
    this.world = world;
    this.source = source;
  }

  async setUp(accounts: readonly PlannedAccount[]): Promise<void> {
    for (const [index, planned] of accounts.entries()) {
      const source = this.source.of(`account ${index}`);
      const account: KnownAccount = { owner: planned.owner, banks: [], people: new Map() };
      this.accounts.push(account);
      if (planned.ideaBanks > 0)
        account.integration = await this.#owners.createFirst(source.of("integration"), account);
      for (const [number, key] of planned.keys.entries()) {
        this.keys.push(await this.#owners.createFirst(source.of(`key ${number}`), account, key));
      }
      for (let bank = 0; bank < planned.ideaBanks; bank++) {
        await this.#tenants.setUp(source.of(`bank ${bank}`), account, planned.panelists);
      }
    }
  }

  perform(source: Source, command: Command): Promise<void> | void {
    const { world } = this;
    switch (command.kind) {
      case "whoami":
        return this.#owners.useKey(source, command);
      case "use":
        return this.#owners.useAgain(source, command);
      case "owner":
        return this.#owners.perform(source, command);
      case "member":
        return this.#members.perform(source, command);
      case "operator":
        return this.#operate(source, command);
      case "operatorKey":
        return this.#operateKey(source, command);
      case "limit": {
        const key = pickFrom(this.keys, command.key);
        if (key === undefined) return;
        this.databaseOf(key.id).execute(
          "UPDATE api_keys SET rate_limit = ?1, rate_window_seconds = ?2 WHERE id = ?3",
          command.limit,
          command.windowSeconds,
          key.id,
        );
        return;
      }
      case "tenant":
        return this.#tenants.perform(source, command);
      case "health":
        return this.#askHealth(source, command);
      case "sync":
        return this.#syncs.perform(source, command);
      case "finder":
        return this.#finders.perform(source, command);
      case "odd":
        return this.#oddities.perform(source, command);
      case "approver":
        return this.#approvers.perform(source, command);
      case "panelist":
        return this.#panelists.perform(source, command);
      case "token":
        return this.#otherTokens.perform(source, command);
      case "survey":
        return this.#surveys.perform(source, command);
      case "follow":
        return this.#followers.perform(source, command);
      case "webhook":
        return this.#webhooks.perform(source, command);
      case "sql":
        try {
          this.#tenants.writeSql(command, EPOCH + world.timeline.now);
        } catch (error) {
          // Who writes beside the Worker meets the account's quota, too.
          if (!String(error).includes("quota exceeded")) throw error;
        }
        return;
      case "fault": {
        const { forMs, key, ...fault } = command;
        const name = key === undefined ? fault.name : pickFrom(this.keys, key)?.id;
        world.faults.begin({ ...fault, until: world.timeline.now + forMs, ...(name !== undefined && { name }) });
        return;
      }
      case "gate": {
        const key = pickFrom(this.keys, command.key);
        if (key !== undefined) world.gates.end(key.id, command.how);
        return;
      }
      case "isolate":
        return world.endIsolate(command.isolate);
      case "clock": {
        const key = command.key === undefined ? undefined : pickFrom(this.keys, command.key)?.id;
        return world.stepClock(key ?? command.isolate ?? 0, command.by);
      }
      case "scheduled":
        return world.runScheduled(source, command.endsAfterMs);
    }
  }

  /** Each owner looks at each key once more. */
  async lookAtAll(source: Source): Promise<void> {
    const integrations = this.accounts.flatMap(({ integration }) => integration ?? []);
    for (const key of [...integrations, ...this.keys]) await this.#owners.look(source.of(key.id), key);
  }

  /** Who follows a log reads it to its end. Whether somebody follows one. */
  catchUp(source: Source): Promise<boolean> {
    return this.#followers.catchUp(source);
  }

  /** Every webhook is active, and has delivered what it can. */
  deliverAll(source: Source): Promise<void> {
    return this.#webhooks.deliverAll(source);
  }

  /** As its holder does. */
  useToken(source: Source, token: KnownToken, command: Command & { readonly kind: "token" }): Promise<void> {
    return this.#panelists.use(source, token, { ...command, kind: "panelist", does: command.act, token: 0 });
  }

  databaseOf(id: string) {
    const database = this.world.databases[id.startsWith("1") ? 1 : 0];
    if (database === undefined) throw new RangeError("there are two databases");
    return database;
  }

  /** The last answer that the client got, if it got any. */
  async send(source: Source, asked: Asked, manner: Manner): Promise<Answer | undefined> {
    const { timeline } = this.world;
    const random = source.of("client").numbers();
    const headers = { ...asked.headers };
    if (manner.idempotent && asked.method === "POST") {
      headers["idempotency-key"] = Buffer.from(source.of("idempotency").bytes()(12)).toString("hex");
    }
    let first: number | undefined;
    for (let sent = 0; ; sent++) {
      // What happened to the first happens to no other.
      const { leavesAfterMs, losesAnswer } = sent === 0 ? manner : {};
      const { call, answer } = await this.world.send(source.of(`attempt ${sent}`), {
        ...asked,
        headers,
        isolate: manner.isolate + sent * Number(random.next() < 0.5),
        leavesAfterMs,
        losesAnswer,
        ...(first !== undefined && { retries: first }),
      });
      first ??= call;
      if (sent >= manner.again || (answer !== undefined && !AGAIN.has(answer.status))) return answer;
      const after = Math.min(Number(answer?.headers["retry-after"] ?? 0), 20) * 1_000;
      await timeline.sleep(after + 200 + random.next() * 3_000);
    }
  }

  /** As whoever watches does. */
  async #askHealth(source: Source, { count, everyMs, isolate }: Command & { readonly kind: "health" }): Promise<void> {
    const asked = { client: "watch", operation: "getHealth", method: "GET", path: "/health", isolate };
    const under: Promise<unknown>[] = [];
    for (let index = 0; index < count; index++) {
      under.push(this.world.send(source.of(index), asked));
      if (everyMs > 0) await this.world.timeline.sleep(everyMs);
    }
    await Promise.all(under);
  }

  async #operate(source: Source, command: Command & { readonly kind: "operator" }): Promise<void> {
    const account = pickFrom(this.accounts, command.account);
    if (account === undefined) return;
    const body = { account: account.owner, status: command.status };
    const request = { operation: "setAccountStatus", method: "PUT", path: "/operator/account-status", body };
    await this.send(source, { ...OPERATOR, isolate: command.isolate, ...request }, command);
  }

  async #operateKey(source: Source, command: Command & { readonly kind: "operatorKey" }): Promise<void> {
    const key = pickFrom(this.keys, command.key);
    if (key === undefined) return;
    const path = `/operator/keys/${key.id}`;
    const { limit: body } = command;
    const request =
      body === undefined
        ? { operation: "revokeKeyAsOperator", method: "DELETE", path }
        : { operation: "limitKeyAsOperator", method: "PUT", path: `${path}/limit`, body };
    await this.send(source, { ...OPERATOR, isolate: command.isolate, ...request }, command);
  }
}
