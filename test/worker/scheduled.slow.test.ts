/** The scheduled job: rows whose time is over go, in slices, within a deadline, safely twice; all others stay. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { RetentionEnv } from "../../src/worker/settings.ts";
import { countRows, databaseOf } from "../support/databases.ts";
import { holdTimers } from "../support/hang.ts";
import { interceptDatabase, meterDatabase } from "../support/intercept-binding.ts";
import { runJob } from "../support/job.ts";
import { createTenant } from "../support/tenant.ts";
import { addWebhook } from "../support/webhooks.ts";
import { addAccount, addApiKey, addIdeaBank, addPanelist, tokenFor } from "../support/world.ts";

const NOW = 1_900_000_000_000;
const DAY = 86_400_000;
/** What each database gets is shown for one of them. */
const HERE = { digit: "0" } as const;
/** An account there; the job has looked at its log of changes. */
async function addAccountHere(): Promise<string> {
  const id = await addAccount(HERE);
  await env.DB.prepare("UPDATE accounts SET changes_due_at = ?2 WHERE id = ?1")
    .bind(id, 2 * NOW)
    .run();
  return id;
}
const job = (database: D1Database = env.DB, now = () => NOW) => runJob({ DB: database }, now);
const count = (table: string) => env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<number>("n");
const numbers = (rows: number) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})`;

/** Inserts `rows` rows, each as old as `age` says. */
const INSERTS = {
  undo_texts: async (rows: number, age: number) =>
    env.DB.prepare(`${numbers(rows)} INSERT INTO undo_texts SELECT ?2 || i, ?1, '{}', NULL, ?3 FROM n`)
      .bind(await addAccountHere(), `event ${age} `, NOW - age)
      .run(),
  idempotency_keys: async (rows: number, age: number) =>
    env.DB.prepare(`${numbers(rows)} INSERT INTO idempotency_keys SELECT ?1, ?2 || i, 'h', '{}', ?3 FROM n`)
      .bind(await addAccountHere(), `key ${age} `, NOW - age)
      .run(),
  api_key_usage: async (rows: number, age: number) =>
    env.DB.prepare(
      `${numbers(rows)} INSERT INTO api_key_usage (api_key_id, hour, admitted, limited) SELECT ?1, ?2 - i, 1, 0 FROM n`,
    )
      .bind((await addApiKey({ accountId: await addAccountHere() })).id, NOW - age + 1)
      .run(),
  audit_events: async (rows: number, age: number) =>
    env.DB.prepare(
      `${numbers(rows)} INSERT INTO audit_events (id, account_id, event, api_key_name, created_at)
       SELECT ?2 || i, ?1, 'created', 'A key', ?3 FROM n`,
    )
      .bind(await addAccountHere(), `event ${age} `, NOW - age)
      .run(),
  token_revocations: async (rows: number, age: number) =>
    env.DB.prepare(
      `${numbers(rows)} INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at)
       SELECT ?1, ?2 || i, ?3, ?3 FROM n`,
    )
      .bind(await addAccountHere(), `panelist ${age} `, NOW - age)
      .run(),
};

const KEPT: [keyof typeof INSERTS, number][] = [
  ["idempotency_keys", DAY],
  ["undo_texts", 120_000],
  ["api_key_usage", 31 * DAY],
  ["audit_events", 400 * DAY],
  ["token_revocations", 91 * DAY],
];

describe.each(KEPT)("%s", (table, keptMs) => {
  it("is emptied of what is too old, and of nothing else", async () => {
    await INSERTS[table](1_201, keptMs + 1);
    await INSERTS[table](1, keptMs);
    await job();
    expect(await count(table)).toBe(1);
  });

  it("is emptied in slices: none writes or reads many rows, however many are too old", async () => {
    await INSERTS[table](1_201, keptMs + 1);
    await INSERTS[table](3_000, 0);
    const most = { written: 0, read: 0 };
    let slices = 0;
    const database = meterDatabase(env.DB, (results) => {
      for (const { meta } of results) {
        if (meta.changes > 0) slices += 1;
        most.written = Math.max(most.written, meta.rows_written);
        most.read = Math.max(most.read, meta.rows_read);
      }
    });
    await job(database);
    expect(slices).toBe(3);
    expect(most.written).toBeLessThan(500 * 5);
    expect(most.read).toBeLessThan(500 * 8);
  });
});

const withDays = (setting: keyof RetentionEnv, days: string) =>
  Object.assign<{ DB: D1Database }, RetentionEnv>({ DB: env.DB }, { [setting]: days });

describe.each([
  ["audit_events", "AUDIT_EVENT_DAYS", 30, ["29", "3651", "1.5", ""]],
  ["api_key_usage", "USAGE_DAYS", 1, ["0", "32", "-1", "a week"]],
] as const)("%s by the setting %s", (table, setting, days, wrong) => {
  it("is kept as long as the deployment says", async () => {
    await INSERTS[table](3, days * DAY + 1);
    await INSERTS[table](1, days * DAY);
    await runJob(withDays(setting, String(days)), () => NOW);
    expect(await count(table)).toBe(1);
  });

  it.each(wrong)("that is %j deletes nothing of it, fails the run, and keeps nothing else", async (value) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    await INSERTS[table](3, 4_000 * DAY);
    await INSERTS.token_revocations(3, 92 * DAY);
    const failed = runJob(withDays(setting, value), () => NOW);
    await expect(failed).rejects.toMatchObject({ errors: [{ message: expect.stringContaining(setting) }] });
    expect([await count(table), await count("token_revocations")]).toEqual([3, 0]);
  });
});

it("costs little when there is nothing to do", async () => {
  for (const [table] of KEPT) await INSERTS[table](3_000, 0);
  let rows = 0;
  await job(
    meterDatabase(env.DB, (results) => {
      for (const { meta } of results) rows += meta.rows_read + 1_000 * meta.rows_written;
    }),
  );
  expect(rows).toBeLessThan(2_000);
});

it("two runs at once do what one does", async () => {
  for (const [table, keptMs] of KEPT) {
    await INSERTS[table](600, keptMs + 1);
    await INSERTS[table](5, keptMs - 10);
  }
  await Promise.all([job(), job()]);
  for (const [table] of KEPT) expect(await count(table)).toBe(5);
});

it("a backlog of one kind does not hold up the others, and the next run continues", async () => {
  await INSERTS.idempotency_keys(4_000, 2 * DAY);
  await INSERTS.token_revocations(10, 92 * DAY);
  let clock = NOW;
  // 21 slices: each kind has its turn.
  await job(env.DB, () => (clock += 1_400));
  expect(await count("token_revocations")).toBe(0);
  expect(await count("idempotency_keys")).toBeGreaterThan(2_000);
  await job();
  expect(await count("idempotency_keys")).toBe(0);
});

it("a run ends within the statements that Workers allows, however long the backlog", async () => {
  let statements = 0;
  const endless = interceptDatabase(env.DB, async (_, makeCall) => {
    statements += 1;
    const result = await makeCall();
    const isOne = typeof result === "object" && result !== null && !Array.isArray(result);
    return isOne ? { ...result, meta: { changes: 1 } } : result;
  });
  await job(endless);
  expect(statements).toBeGreaterThan(60);
  expect(statements).toBeLessThanOrEqual(1_000);
});

it("a kind that fails does not stop the others: the run is a failed one, and the next run continues", async () => {
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  for (const [table, keptMs] of KEPT) await INSERTS[table](10, keptMs + 1);
  await env.DB.exec(
    "CREATE TRIGGER injected BEFORE DELETE ON idempotency_keys BEGIN SELECT RAISE(ABORT, 'injected fault'); END",
  );
  const failed = await job().catch((reason: unknown) => reason);
  await env.DB.exec("DROP TRIGGER injected");
  expect(failed).toMatchObject({ message: "the scheduled job failed in part" });
  expect(error).toHaveBeenCalledTimes(1);
  expect(await count("idempotency_keys")).toBe(10);
  for (const [table] of KEPT.slice(1)) expect(await count(table)).toBe(0);
  await job();
  expect(await count("idempotency_keys")).toBe(0);
});

it("the oldest token that can still be valid stays refused after the job, and an expired outcome frees its bytes", async () => {
  const bank = await addIdeaBank();
  const panelist = await addPanelist(bank.accountId);
  const tenant = await createTenant({ accountId: bank.accountId });
  const used = () =>
    databaseOf(bank.accountId).prepare("SELECT stored_bytes FROM accounts WHERE id = ?1").bind(bank.accountId).first();
  const before = await used();
  await databaseOf(bank.accountId)
    .prepare("INSERT INTO idempotency_keys VALUES (?1, 'k', 'h', '{}', ?2)")
    .bind(bank.accountId, Date.now() - 2 * DAY)
    .run();
  expect(await used()).not.toEqual(before);
  expect((await tenant.send("DELETE", `/tenant/panelists/${panelist}/tokens`)).status).toBe(204);
  await runJob(env);
  expect(await used()).toEqual(before);
  const Authorization = await tokenFor(bank.id, panelist, Math.floor(Date.now() / 1000) - 5);
  expect((await tenant.isolate.request("/ideabank", { headers: { Authorization } })).status).toBe(401);
});

it("a revocation is kept by the later of its times: the clock of one may have been behind", async () => {
  await env.DB.prepare(
    "INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at) VALUES ('a', 'kept', ?1, ?2), ('a', 'gone', ?2, ?2)",
  )
    .bind(NOW - 90 * DAY, NOW - 92 * DAY)
    .run();
  await job();
  expect((await env.DB.prepare("SELECT panelist_id FROM token_revocations").all()).results).toEqual([
    { panelist_id: "kept" },
  ]);
});

it("the row of a blocked person stays, and holds up no other one, however many there are", async () => {
  const blocked = `${numbers(600)} INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at)
    SELECT ?1, ?1 || i, 9007199254740991, ?2 FROM n`;
  const accountId = await addAccountHere();
  await env.DB.prepare(blocked)
    .bind(accountId, NOW - 400 * DAY + 2 ** 52)
    .run();
  await INSERTS.token_revocations(10, 92 * DAY);
  await job();
  expect(await count("token_revocations")).toBe(600);
});

it("every database is cleaned, also when another one is down", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  await INSERTS.idempotency_keys(10, 2 * DAY);
  const there = await addAccount({ digit: "1" });
  await env.DB_1.prepare("INSERT INTO idempotency_keys VALUES (?1, 'k', 'h', '{}', ?2)")
    .bind(there, NOW - 2 * DAY)
    .run();
  const down = interceptDatabase(env.DB_1, () => Promise.reject(new Error("D1_ERROR: injected fault")));
  const both = { DB: env.DB, DB_1: down };
  await expect(runJob(both, () => NOW)).rejects.toThrow("the scheduled job failed in part");
  expect(await countRows("idempotency_keys")).toBe(1);
  await runJob(env, () => NOW);
  expect(await countRows("idempotency_keys")).toBe(0);
});

it("a database that hangs holds up no other one", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  for (const [table, keptMs] of KEPT) await INSERTS[table](10, keptMs + 1);
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  const hanging = interceptDatabase(env.DB_1, () => {
    resolve();
    return new Promise(() => {});
  });
  holdTimers();
  const both = { DB: hanging, DB_1: env.DB };
  const run = runJob(both, () => NOW);
  await reached;
  await expect.poll(() => count("audit_events")).toBe(0);
  for (const [table] of KEPT) expect(await count(table), table).toBe(0);
  const ended = expect(run).rejects.toThrow("the scheduled job failed in part");
  await vi.advanceTimersByTimeAsync(200_000);
  await ended;
});

it("every one of 62 databases is cleaned in a run that has little to do, within the statements that Workers allows", async () => {
  await INSERTS.idempotency_keys(10, 2 * DAY);
  let statements = 0;
  const idle = interceptDatabase(env.DB_1, (_, makeCall) => {
    statements += 1;
    return makeCall();
  });
  const digits = [..."123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxy"];
  const others = Object.fromEntries(digits.map((digit) => [`DB_${digit}`, idle]));
  const all = { DB: idle, ...others, DB_z: env.DB };
  await runJob(all, () => NOW);
  expect(await count("idempotency_keys")).toBe(0);
  expect(statements).toBeLessThanOrEqual(950);
});

describe("the log of changes", () => {
  /** Changes with these numbers, each as old as `age` says. */
  const addChanges = async (accountId: string, from: number, to: number, age: number) => {
    const insert = `INSERT INTO change_log (account_id, number, type, actor, changed_at)
      SELECT ?1, i + ?2 - 1, 'panelist.updated', 'tenant', ?3 FROM n`;
    await env.DB.prepare(`${numbers(to - from + 1)} ${insert}`)
      .bind(accountId, from, NOW - age)
      .run();
  };
  const kept = async (accountId: string) => {
    const { results } = await env.DB.prepare("SELECT number FROM change_log WHERE account_id = ?1 ORDER BY number")
      .bind(accountId)
      .all<{ number: number }>();
    return results.map(({ number }) => number);
  };

  it("is emptied of what is older than 30 days, in slices, but for the last of those: whoever has read that one has missed none", async () => {
    const [long, short, old, none] = [
      await addAccount(HERE),
      await addAccount(HERE),
      await addAccount(HERE),
      await addAccount(HERE),
    ];
    await addChanges(long, 1, 1_201, 30 * DAY + 1);
    await addChanges(long, 1_202, 1_203, 30 * DAY);
    await addChanges(short, 1, 3, 30 * DAY);
    await addChanges(old, 1, 3, 400 * DAY);
    let most = 0;
    const metered = meterDatabase(env.DB, (results) => {
      for (const { meta } of results) most = Math.max(most, meta.rows_written, meta.rows_read / 8);
    });
    await job(metered);
    expect(await kept(long)).toEqual([1_201, 1_202, 1_203]);
    expect(await kept(short)).toEqual([1, 2, 3]);
    expect(await kept(old)).toEqual([3]);
    expect(await kept(none)).toEqual([]);
    expect(most).toBeLessThanOrEqual(500);
  });

  it("counts for a webhook that is behind what it has missed: the changes that it would have been sent", async () => {
    const account = await addAccount(HERE);
    await addChanges(account, 1, 700, 30 * DAY + 1);
    const missedBy = async (types: readonly string[] | undefined, number: number) => {
      const id = await addWebhook(account, { state: "paused", ...(types && { types }) });
      await env.DB.prepare("UPDATE webhooks SET number = ?2 WHERE id = ?1").bind(id, number).run();
      return () => env.DB.prepare("SELECT number, missed FROM webhooks WHERE id = ?1").bind(id).first();
    };
    await env.DB.batch([
      env.DB.prepare("UPDATE change_log SET type = 'vote.added' WHERE account_id = ?1 AND number % 2 = 0").bind(
        account,
      ),
      env.DB.prepare(
        "UPDATE change_log SET event_id = 'e', type = 'api-key.created' WHERE account_id = ?1 AND number > 690",
      ).bind(account),
    ]);
    const all = await missedBy(undefined, 0);
    const votes = await missedBy(["vote.added"], 0);
    const keys = await missedBy(["api-key.created"], 0);
    const nearlyThere = await missedBy(["api-key.created"], 698);
    const done = await missedBy(undefined, 700);
    await job();
    expect(await kept(account)).toEqual([700]);
    expect(await all()).toEqual({ number: 699, missed: 690 });
    expect(await votes()).toEqual({ number: 699, missed: 345 });
    expect(await keys()).toEqual({ number: 699, missed: 9 });
    expect(await nearlyThere()).toEqual({ number: 699, missed: 1 });
    expect(await done()).toEqual({ number: 700, missed: 0 });
  });

  it("is kept for as long as CHANGE_DAYS says", async () => {
    const account = await addAccount(HERE);
    await addChanges(account, 1, 3, 60 * DAY + 1);
    await addChanges(account, 4, 5, 60 * DAY);
    const run = (CHANGE_DAYS: string) => runJob({ DB: env.DB, CHANGE_DAYS }, () => NOW);
    vi.spyOn(console, "error").mockImplementation(() => {});
    for (const wrong of ["29", "366", "sixty"]) await expect(run(wrong)).rejects.toThrow();
    expect(await kept(account)).toEqual([1, 2, 3, 4, 5]);
    await run("60");
    expect(await kept(account)).toEqual([3, 4, 5]);
  });

  it("is looked at again when one more change is too old, and once a day at most", async () => {
    const [busy, quiet] = [await addAccount(HERE), await addAccount(HERE)];
    await addChanges(busy, 1, 1, 29.5 * DAY);
    await addChanges(busy, 2, 2, 29 * DAY);
    await addChanges(busy, 3, 3, 0);
    await job();
    await addChanges(quiet, 1, 2, 0);
    const at = async (days: number) => {
      await job(env.DB, () => NOW + days * DAY);
      return [await kept(busy), await kept(quiet)];
    };
    expect(await at(0.99)).toEqual([
      [1, 2, 3],
      [1, 2],
    ]);
    const next = [
      [2, 3],
      [1, 2],
    ];
    expect(await at(1.01)).toEqual(next);
    expect(await at(29.9)).toEqual(next);
    expect(await at(30.1)).toEqual([[3], [2]]);
  });
});
