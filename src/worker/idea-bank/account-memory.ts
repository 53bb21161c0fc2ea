/** What an isolate remembers of accounts, once for all of their idea banks: revocations, and what it has written itself. */
import type { TokenRevocation } from "../database/idea-bank-view.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import { TokenRevocations } from "./token-revocations.ts";

type Account = {
  readonly revocations: TokenRevocations;
  /** What this isolate has written of its status, and where D1 stood then. */
  suspension?: { readonly isSuspended: boolean; readonly bookmark: D1SessionBookmark };
};

/** An account of 2,000 revocations has 200 kB. */
export const MEMORY_BYTES = 16 * 1024 * 1024;
/** Accounts that a read of an unknown idea bank names, so that it asks for nothing twice. */
const MAX_NAMED = 64;

export class AccountMemory {
  readonly #accounts = new BoundedMap<Account>({ max: MEMORY_BYTES, weigh: ({ revocations }) => revocations.bytes });

  peek(accountId: string): Account | undefined {
    return this.#accounts.peek(accountId);
  }

  /** To be written to. */
  of(accountId: string): Account {
    const account = this.#accounts.get(accountId) ?? { revocations: new TokenRevocations() };
    this.#accounts.set(accountId, account);
    return account;
  }

  /** Whether its views may be used: its revocations are known, and it was not resumed through this isolate after they were read. */
  accepts(accountId: string, bookmark: D1SessionBookmark): boolean {
    const account = this.#accounts.get(accountId);
    if (!account?.revocations.isRead) return false;
    return bookmark >= this.floorOf(accountId);
  }

  /** Where D1 stood when the account was resumed through this isolate: a read that sees less would still find it suspended. */
  floorOf(accountId: string): D1SessionBookmark {
    const suspension = this.#accounts.peek(accountId)?.suspension;
    return suspension === undefined || suspension.isSuspended ? "" : suspension.bookmark;
  }

  /** Whether it was suspended through this isolate after `bookmark`. */
  isSuspendedAfter(accountId: string, bookmark: D1SessionBookmark): boolean {
    const suspension = this.#accounts.peek(accountId)?.suspension;
    return suspension?.isSuspended === true && suspension.bookmark > bookmark;
  }

  /** The account of an idea bank that is to be read; of an unknown idea bank, those that were used last. */
  known(accountId: string | undefined): ReadonlyMap<string, Account> {
    const ids = accountId === undefined ? [...this.#accounts.keys()].slice(-MAX_NAMED) : [accountId];
    const found = ids.map((id) => [id, this.#accounts.peek(id)] as const);
    return new Map(found.filter((entry): entry is [string, Account] => entry[1] !== undefined));
  }

  /** Adds what was read of an account. `known` are the accounts as they were when the read began: it asked for what came after. */
  add(accountId: string, known: ReadonlyMap<string, Account>, listed: readonly TokenRevocation[]): void {
    const before = known.get(accountId);
    const current = this.#accounts.peek(accountId);
    // A list that was begun since lacks what this read did not ask for.
    const account =
      before !== undefined && before.revocations.seq > (current?.revocations.seq ?? 0)
        ? before
        : (current ?? { revocations: new TokenRevocations() });
    account.revocations.addListed(listed);
    this.#accounts.set(accountId, account);
  }
}
