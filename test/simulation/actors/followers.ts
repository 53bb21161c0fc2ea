/** Tenants' copies: each follows the log of its account, page by page, with pauses, and goes on from the last page that it got. */
import { type Actors, type KnownAccount, pickFrom } from "../actors.ts";
import type { Command, Manner } from "../plan.ts";
import type { Source } from "../world/random.ts";

const PATIENT: Manner = { isolate: 0, again: 20, idempotent: false };

type Follower = { cursor: string | undefined; isReading: boolean };
type Page = { readonly items: readonly unknown[]; readonly nextCursor: string };

export class Followers {
  readonly #actors: Actors;
  readonly #followers = new Map<KnownAccount, Follower>();

  constructor(actors: Actors) {
    this.#actors = actors;
  }

  /** Undefined without an answer, and for a refusal. */
  async #read(source: Source, account: KnownAccount, follower: Follower, limit: number, manner: Manner) {
    const key = account.integration;
    if (key === undefined) return undefined;
    const after = follower.cursor === undefined ? "" : `&after=${follower.cursor}`;
    const answer = await this.#actors.send(
      source,
      {
        client: `follower of ${account.owner}`,
        operation: "listChanges",
        method: "GET",
        path: `/tenant/changes?limit=${limit}${after}`,
        isolate: manner.isolate,
        headers: { "x-api-key": key.text },
      },
      manner,
    );
    if (answer?.status !== 200) return undefined;
    const page = answer.body as Page;
    follower.cursor = page.nextCursor;
    return page;
  }

  /** One page at a time: while it reads, it is not asked to. */
  async perform(source: Source, command: Command & { readonly kind: "follow" }): Promise<void> {
    const account = pickFrom(this.#actors.accounts, command.account);
    if (account === undefined) return;
    const follower = this.#followers.get(account) ?? { cursor: undefined, isReading: false };
    this.#followers.set(account, follower);
    if (follower.isReading) return;
    follower.isReading = true;
    for (let page = 0; page < command.count; page++) {
      await this.#read(source.of(page), account, follower, command.limit, command);
      await this.#actors.world.timeline.sleep(command.everyMs);
    }
    follower.isReading = false;
  }

  /** To the end of each log that somebody follows. Whether somebody does. */
  async catchUp(source: Source): Promise<boolean> {
    for (const [account, follower] of this.#followers) {
      for (let page = 0; ; page++) {
        const read = await this.#read(source.of(`${account.owner} ${page}`), account, follower, 100, PATIENT);
        if (read === undefined || read.items.length === 0) break;
      }
    }
    return this.#followers.size > 0;
  }
}
