/**
 * `npm run account`: what an operator does for one account, in its database: its keys, its storage quota, a key's rate limit, the
 * end of a key whose owner cannot sign in, and another account for who has left one.
 */
import { defineCommand, misused } from "../command-line/command.ts";
import { Failure } from "../command-line/failure.ts";
import { main } from "../command-line/main.ts";
import { allowAnother } from "./another-account.ts";
import { ENVIRONMENT, LOCAL } from "./arguments.ts";
import { CONFIGURATION } from "./configuration.ts";
import { type EveryDatabase, openEveryDatabase, type Row } from "./every-database.ts";
import { bindingOf, quote } from "./sql.ts";

const IDENTIFIER = /^[0-9A-Za-z]{12}$/;
/** As Account Settings knows owners: visible ASCII. It holds no space; quotes are doubled. */
const ADDRESS = /^[!-~]+@[!-~]+$/;
const MEBIBYTE = 1_048_576;
/** What the quota counts (schema.sql, `quota_exceeded`). */
const STORED = "stored_bytes + 128 * counted_votes";
/** A gate reads its key's row at least so often. */
const GATE_DELAY = "The key's gate follows within 60 seconds.";

export const account = defineCommand({
  name: "account",
  summary: [
    "Shows an account, or changes it. Changes of a key reach it within 60 seconds. To suspend an account: npm run suspend.",
  ],
  positionals: {
    usage:
      "(show <account> | quota <account> <MiB> | limit <key> <requests> [<seconds>] | revoke <key> | another <address>)",
    help: [
      [
        "show <account>",
        "Its identifier, status, storage and API keys. By the owner's e-mail address or the identifier.",
      ],
      ["quota <account> <MiB>", "How much it may store, in MiB. 512 is the default."],
      [
        "limit <key> <requests> [<seconds>]",
        "The rate limit of an API key, by its identifier: requests in so many seconds (60).",
      ],
      ["revoke <key>", "Ends an API key for good, as its owner would in Account Settings."],
      [
        "another <address>",
        "Lets who has left the account that they had made to others make another one, by the next visit.",
      ],
    ],
  },
  options: { local: LOCAL, env: ENVIRONMENT },
  run: async ({ values, positionals }, context) => {
    const [action = "", subject = "", first = "", second = "60", ...more] = positionals;
    const isAsked =
      { show: 2, quota: 3, revoke: 2, another: 2, limit: positionals.length === 4 ? 4 : 3 }[action] ===
      positionals.length;
    if (!isAsked || more.length > 0) throw misused("Say what to do, and with which account or key.", account);
    const statements = action === "another" ? undefined : statementsOf(action, subject, first, second);
    if (statements === undefined && !ADDRESS.test(subject)) throw new Failure(`${subject}: an owner's e-mail address.`);
    const databases = await openEveryDatabase(context, values.env, values.local);
    await databases.logIn();
    if (statements === undefined) {
      for (const line of await allowAnother(databases, subject.toLowerCase())) context.print(line);
      return;
    }
    const [binding, rows] = await findIn(databases, subject, statements);
    for (const line of describe(action, rows)) context.print(line);
    if (action !== "show") return;
    const keys = await databases.query(
      binding,
      `SELECT id, name, rate_limit, rate_window_seconds, revoked_at FROM api_keys WHERE account_id = ${quote(String(rows[0]?.id))} ORDER BY created_at`,
    );
    for (const { id, name, rate_limit, rate_window_seconds, revoked_at } of keys) {
      const state = revoked_at === null ? "" : ", revoked";
      context.print(`  ${id}  ${name}: ${rate_limit} requests in ${rate_window_seconds} s${state}`);
    }
  },
});

/** The last one returns the row that it found. Throws a Failure for values that are out of bounds. */
function statementsOf(action: string, subject: string, first: string, second: string): readonly string[] {
  const isKey = action === "limit" || action === "revoke";
  if (isKey && !IDENTIFIER.test(subject))
    throw new Failure(
      `${subject}: an API key's identifier has 12 letters and digits. \`npm run account -- show <e-mail>\` lists them.`,
    );
  if (!isKey && !IDENTIFIER.test(subject) && !ADDRESS.test(subject))
    throw new Failure(`${subject}: an owner's e-mail address, or an account's identifier of 12 letters and digits.`);
  // Owners' addresses are stored in lower case.
  const which = IDENTIFIER.test(subject) ? `id = ${quote(subject)}` : `owner_email = ${quote(subject.toLowerCase())}`;
  const columns = `id, owner_email, status, ${STORED} AS stored_bytes, max_bytes`;
  if (action === "show") return [`SELECT ${columns} FROM accounts WHERE ${which}`];
  if (action === "quota") {
    const bytes = integer("the quota in MiB", first, 1, 10_240) * MEBIBYTE;
    return [`UPDATE accounts SET max_bytes = ${bytes} WHERE ${which} RETURNING ${columns}`];
  }
  if (action === "limit") {
    const [limit, seconds] = [integer("the limit", first, 1, 10_000), integer("the seconds", second, 1, 3_600)];
    return [
      audit(
        subject,
        "changed",
        `json_object('before', json_object('limit', rate_limit, 'windowSeconds', rate_window_seconds),
           'after', json_object('limit', ${limit}, 'windowSeconds', ${seconds}))`,
        `(rate_limit, rate_window_seconds) <> (${limit}, ${seconds})`,
      ),
      `UPDATE api_keys SET rate_limit = ${limit}, rate_window_seconds = ${seconds} WHERE ${which} RETURNING id, rate_limit, rate_window_seconds`,
    ];
  }
  return [
    audit(subject, "revoked", "NULL", "revoked_at IS NULL"),
    `UPDATE api_keys SET revoked_at = coalesce(revoked_at, unixepoch() * 1000) WHERE ${which} RETURNING id`,
  ];
}

/** The event of a change that is made after it, for the owner and for a restore: under a condition, in terms of the key's row. */
const audit = (apiKeyId: string, event: string, changes: string, condition: string): string =>
  `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, created_at, changes)
   SELECT substr(id, 1, 1) || substr(hex(randomblob(6)), 2), account_id, ${quote(event)}, id, name, 'the operator', unixepoch() * 1000, ${changes}
   FROM api_keys WHERE id = ${quote(apiKeyId)} AND ${condition}`;

function integer(what: string, text: string, min: number, max: number): number {
  if (/^\d{1,6}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new Failure(`${text}: ${what} is a number from ${min} to ${max}.`);
}

/** An identifier says where it lives; an address may be in any database. */
async function findIn({ bindings, query }: EveryDatabase, subject: string, statements: readonly string[]) {
  const isIdentifier = IDENTIFIER.test(subject);
  if (isIdentifier && !bindings.includes(bindingOf(subject)))
    throw new Failure(
      `${subject}: there is none. Its database would be ${bindingOf(subject)}, which has no binding in ${CONFIGURATION}. Nothing was changed.`,
    );
  for (const binding of isIdentifier ? [bindingOf(subject)] : bindings) {
    const rows = await query(binding, ...statements);
    if (rows.length > 0) return [binding, rows] as const;
  }
  throw new Failure(`${subject}: there is none. Nothing was changed.`);
}

function describe(action: string, [row = {}]: readonly Row[]): readonly string[] {
  const mebibytes = (bytes: unknown) => (Number(bytes) / MEBIBYTE).toFixed(1);
  if (action === "revoke") return [`The API key ${row.id} is revoked. ${GATE_DELAY}`];
  if (action === "limit")
    return [
      `The API key ${row.id} may make ${row.rate_limit} requests in ${row.rate_window_seconds} seconds. ${GATE_DELAY}`,
    ];
  return [
    `${row.owner_email} (account ${row.id}) is ${row.status}. It stores ${mebibytes(row.stored_bytes)} of ${mebibytes(row.max_bytes)} MiB.`,
  ];
}

if (import.meta.main) await main(account);
