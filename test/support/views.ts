/** An isolate's views of idea banks, asked directly. */

import type { TokenRevocation } from "../../src/worker/database/idea-banks/idea-bank-view.ts";
import { Databases } from "../../src/worker/store/databases.ts";
import { IdeaBankViews, type OpenTerms } from "../../src/worker/view/views.ts";
import { databaseOf, openDatabase } from "./databases.ts";
import { interceptDatabase, meterDatabase } from "./intercept-binding.ts";
import { newId } from "./world.ts";

/** Of the clock, in Unix milliseconds. */
export const START = 1_900_000_000_000;
/** When a token was issued that is not young, in Unix seconds. */
const LONG_AGO = START / 1000 - 3_600;
const YOUNG_MS = 11_000;

export type Asked = Partial<OpenTerms> & {
  readonly ideaBankId: string;
  readonly panelistId?: string;
  readonly issuedAt?: number;
};

/** The views of a new isolate. `pending` are the reads after answers. */
export function createViews() {
  const views = new IdeaBankViews();
  const databases = new Databases();
  const pending: Promise<unknown>[] = [];
  const prepare = (binding: D1Database, asked: Asked) => {
    const { ideaBankId, panelistId = newId(ideaBankId), issuedAt = LONG_AGO, ...terms } = asked;
    return [
      { ideaBankId, panelistId, issuedAt },
      {
        database: openDatabase(binding, databases),
        store: undefined,
        freshMs: 5_000,
        youngMs: YOUNG_MS,
        floor: undefined,
        capability: null,
        admitLookup: async () => {},
        waitUntil: (promise: Promise<unknown>) => void pending.push(promise),
        ...terms,
      },
    ] as const;
  };
  return {
    views,
    databases,
    pending,
    open: (binding: D1Database, asked: Asked) => views.open(...prepare(binding, asked)),
    settle: async () => void (await Promise.all(pending.splice(0))),
  };
}

export async function revocationOf(panelistId: string): Promise<TokenRevocation> {
  const revocation = await databaseOf(panelistId)
    .prepare(
      "SELECT seq, panelist_id AS panelistId, revoked_at AS revokedAt FROM token_revocations WHERE panelist_id = ?1",
    )
    .bind(panelistId)
    .first<TokenRevocation>();
  if (revocation === null) throw new Error("nothing was revoked");
  return revocation;
}

/** As many panelists of the account whose tokens have been revoked: after all tokens, if nothing else is said. */
export const fillRevocations = (accountId: string, count: number, recordedAt = START) =>
  databaseOf(accountId)
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at) SELECT ?1, ?1 || i, 1, ?3 FROM n`,
    )
    .bind(accountId, count, recordedAt)
    .run();

/** Idea banks `bank1`, `bank2` and so on, each with a changelog of 256 KiB. */
export const fillLargeIdeaBanks = (accountId: string, count: number) =>
  databaseOf(accountId).batch([
    databaseOf(accountId)
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
         INSERT INTO idea_banks (id, account_id, name, status, changelog_enabled, changelog_max_entries, created_at)
         SELECT 'bank' || i, ?1, 'Old', 'OPEN', 1, 100, 1 FROM n`,
      )
      .bind(accountId, count),
    databaseOf(accountId)
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
         INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, created_at, last_activity_at)
         SELECT b.id || 'p' || i, ?1, b.id, 'T', replace(hex(zeroblob(2500)), '0', 'x'), 'implemented', i, i
         FROM n JOIN idea_banks b ON b.account_id = ?1`,
      )
      .bind(accountId),
  ]);

/** What is asked of the database, and D1's count of rows read. */
export function meter(id: string) {
  const cost = { trips: 0, rows: 0 };
  const database = meterDatabase(databaseOf(id), (results) => {
    cost.trips += 1;
    for (const { meta } of results) cost.rows += meta.rows_read;
  });
  const costOf = async (work: () => Promise<unknown>) => {
    Object.assign(cost, { trips: 0, rows: 0 });
    await work();
    return { ...cost };
  };
  return { database, costOf };
}

/** Holds the answers of the sessions that `isHeld` says: by what they were opened with, and how many were before. */
export function holding(database: D1Database, isHeld: (constraint: string, count: number) => boolean) {
  const [taken, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let count = 0;
  const slow = new Proxy(database, {
    get(target, name) {
      if (name !== "withSession") return Reflect.get(target, name);
      return (constraint: string) => {
        const session = target.withSession(constraint);
        if (!isHeld(constraint, count++)) return session;
        return interceptDatabase(session, async (_: unknown, makeCall: () => Promise<unknown>) => {
          const answer = await makeCall();
          taken.resolve();
          await held.promise;
          return answer;
        });
      };
    },
  });
  return { slow, taken, held };
}
