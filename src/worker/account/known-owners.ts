/** What an isolate remembers of owners, so that a page need not ask first who comes (confirm.ts). */
import type { Identifier } from "../credentials/id.ts";
import { BoundedMap } from "../memory/bounded-map.ts";

const MAX_OWNERS = 1_000;

/** Of this isolate. Each entry is found by what the request proves, or is confirmed before it is used. */
export class KnownOwners {
  /** The owners' own accounts, by the owner's address. */
  readonly accounts = new BoundedMap<Identifier>({ max: MAX_OWNERS });
  /**
   * The addresses that find the rows of accounts, by the account and its member. Nobody else has an entry: for who is no member, nothing of
   * the account is read, and how long an answer takes says nothing of it.
   */
  readonly addresses = new BoundedMap<string>({ max: MAX_OWNERS });
  /** The sessions of owners whom the platform has signed in, by the session's id. `until`: Unix milliseconds. */
  readonly sessions = new BoundedMap<{ readonly email: string; readonly until: number }>({ max: MAX_OWNERS });
}
