/**
 * `npm run account`: an operator manages one account. Its keys, its storage quota and a second account for a person who has left
 * one are in its database. Revoking and limiting a key goes through the deployment, because the key's gate must be notified.
 */
import { STORED_BYTES } from "../../worker/database/quota.ts";
import { defineCommand, misused } from "../command-line/command.ts";
import { confirm, YES } from "../command-line/confirm.ts";
import { Failure } from "../command-line/failure.ts";
import { main } from "../command-line/main.ts";
import { unknownWord } from "../command-line/nearest.ts";
import { createProgress } from "../command-line/progress.ts";
import { allowAnother } from "./another-account.ts";
import { commandLine, ENVIRONMENT, type Here, LOCAL, ON_THIS_MACHINE, PERSIST_TO, STATE_FOLDER } from "./arguments.ts";
import { askDeployment, type Call, findDeployment, URL_OF_DEPLOYMENT } from "./ask-deployment.ts";
import { CONFIGURATION } from "./configuration.ts";
import { deleteAccount, describeContents, refuseOpen } from "./delete-account.ts";
import { endAllTokens } from "./end-tokens.ts";
import { type EveryDatabase, openEveryDatabase, type Row } from "./every-database.ts";
import { readAccount } from "./export-account.ts";
import { describeAccount, describeEvent, jsonLine, listAccounts, readEvents, toJson } from "./list-accounts.ts";
import { setQuota } from "./set-quota.ts";
import { bindingOf, quote } from "./sql.ts";

const IDENTIFIER = /^[0-9A-Za-z]{12}$/;
/** A whole API key begins with its identifier. Who is told of a leak pastes what was found, and it is not printed again. */
const WHOLE_KEY = /^ibk_([0-9A-Za-z]{12})[0-9A-Za-z]*$/;
/** The addresses that Account Settings accepts: visible ASCII, so no space. Quotes are doubled. */
const ADDRESS = /^[!-~]+@[!-~]+$/;
const MEBIBYTE = 1_048_576;
const LOOKING = ["show", "events"];
const BY_DEPLOYMENT = ["revoke", "limit", "sign-out", "move-member"];

/** Each action with its words and a line of help. */
const ACTIONS = [
  ["list", "Every account: API keys, members, storage, requests of the last day."],
  [
    "show <account>",
    "Its identifier, status, storage and API keys. By the owner's e-mail address, the identifier, or one of its keys.",
  ],
  ["events <account>", "The whole activity of an account, oldest first. Also by one of its keys."],
  ["export <account>", "All of an account but its secrets: a line of JSON for each row of schema.sql."],
  ["delete <account>", "Deletes all of a suspended account for good. Asks for the owner's address."],
  ["quota <account> <MiB>", "How much it may store, in MiB. 512 is the default."],
  [
    "limit <key> <requests> [<seconds>]",
    "The rate limit of an API key, by its identifier: requests per window, in seconds (default: 60).",
  ],
  [
    "revoke <key>",
    "Ends an API key for good, as its owner would in Account Settings. By its identifier, or the whole key.",
  ],
  [
    "end-tokens <account>",
    "Ends all tokens of an account for good, as its owner would in Account Settings. Asks first.",
  ],
  [
    "another <address>",
    "For a person who is no longer in the account that they created, and needs a new one. Their next sign-in creates it.",
  ],
  ["sign-out <address>", "Ends every handed-over session of a person. It ends no session of Cloudflare Access."],
  [
    "move-member <old> <new>",
    "A person's accounts get the person's new address. Both addresses are told, where the deployment sends e-mail.",
  ],
] as const;

/** Throws a Failure that names the word that is unknown, missing or one too many. */
function checkWords([action, ...words]: readonly string[]): void {
  const usages = ACTIONS.map(([usage]) => usage.split(" "));
  const names = usages.map(([name = ""]) => name);
  const known = `These exist: ${names.join(", ")}. \`npm run account -- --help\` explains them.`;
  if (action === undefined) throw new Failure(`Say what to do. ${known}`);
  const usage = usages.find(([name]) => name === action);
  if (usage === undefined) throw new Failure(`${unknownWord(action, names)} ${known}`);
  const [, ...expected] = usage;
  const [missing, surplus] = [expected[words.length], words.slice(expected.length)];
  const here = `Usage: ${commandLine("account", "", ...usage)}`;
  if (surplus.length > 0) throw new Failure(`${surplus.join(" ")}: too much for ${action}.\n${here}`);
  if (missing !== undefined && !missing.startsWith("["))
    throw new Failure(`${action}: ${missing} is missing.\n${here}`);
}

export const account = defineCommand({
  name: "account",
  summary: [
    "Shows an account, or changes it. A change of a key holds everywhere when the command ends. To suspend an account: npm run suspend.",
    "limit, revoke, sign-out and move-member ask the deployment at --url, with its operator secret from the environment variable OPERATOR_SECRET.",
  ],
  positionals: { usage: `(${ACTIONS.map(([usage]) => usage).join(" | ")})`, help: ACTIONS },
  options: {
    url: URL_OF_DEPLOYMENT,
    json: { type: "boolean", default: false, help: "For list and events: a line of JSON for each." },
    "dry-run": {
      type: "boolean",
      default: false,
      help: "For revoke and delete: says what would end, and ends nothing.",
    },
    yes: YES,
    [ON_THIS_MACHINE]: LOCAL,
    [PERSIST_TO]: STATE_FOLDER,
    env: ENVIRONMENT,
  },
  run: async ({ values, positionals }, context) => {
    checkWords(positionals);
    const [action = "", given = "", first = "", second = "60"] = positionals;
    const subject = WHOLE_KEY.exec(given)?.[1] ?? given;
    if (values.json && action !== "list" && action !== "events")
      throw misused("--json is for list and events.", account);
    if (values["dry-run"] && action !== "revoke" && action !== "delete")
      throw misused("--dry-run is for revoke and delete.", account);
    if (values["dry-run"] && action === "revoke") {
      pathOf(subject);
      const databases = await openEveryDatabase(context, values.env, values);
      await databases.logIn();
      const [, row] = await findIn(databases, {
        ...{ subject, sql: keyAndOwner(subject) },
        ...{ whose: "API key", changes: false },
      });
      const state = row.revoked_at === null ? "Would revoke" : "Is revoked already:";
      return context.print(
        `${state} the API key ${subject} (${row.name}) of ${row.owner_email}. A dry run: nothing was done.`,
      );
    }
    if (values.env !== "" && BY_DEPLOYMENT.includes(action))
      throw misused(`${action} asks the deployment at --url: --env is for the databases.`, account);
    if (action === "sign-out") {
      const call = signOutOf(subject);
      const { email, ended } = await askDeployment(context, await findDeployment(values, account, context), call);
      return context.print(
        `${email} is signed out everywhere: ${ended} handed-over sessions and unused links have ended.`,
      );
    }
    if (action === "move-member") {
      const call = moveOf(subject, first);
      const deployment = await findDeployment(values, account, context);
      await confirm(context, {
        isAgreed: values.yes,
        what: `Every account of ${subject} at ${deployment.origin} gets the address ${first}.`,
      });
      const { accountIds } = await askDeployment(context, deployment, call);
      return context.print(`${first} has the accounts of ${subject} now: ${[accountIds].flat().join(", ")}.`);
    }
    if (action === "revoke" || action === "limit") {
      const call = action === "revoke" ? revocationOf(subject) : limitOf(subject, first, second);
      const deployment = await findDeployment(values, account, context);
      if (action === "revoke")
        await confirm(context, {
          isAgreed: values.yes,
          what: `The API key ${subject} of ${deployment.origin} is revoked for good.`,
        });
      await askDeployment(context, deployment, call);
      context.print(`${capitalized(call.done)}. Its Durable Object has confirmed it: every request is decided by it.`);
      return;
    }
    if (values.url !== undefined)
      throw misused(`--url is for revoke, limit, sign-out and move-member: ${action} asks the database.`, account);
    if (action === "list") {
      const databases = await openEveryDatabase(context, values.env, values);
      await databases.logIn();
      const accounts = await listAccounts(databases, Date.now());
      if (accounts.length === 0 && !values.json) context.print("No accounts yet. The first sign-in makes one.");
      for (const row of accounts) context.print(values.json ? jsonLine(row) : describeAccount(row));
      return;
    }
    const sql = action === "another" ? undefined : sqlOf(action, subject, first);
    if (sql === undefined && !ADDRESS.test(subject)) throw new Failure(`${subject}: an owner's e-mail address.`);
    const databases = await openEveryDatabase(context, values.env, values);
    await databases.logIn();
    if (sql === undefined) {
      for (const line of await allowAnother(databases, subject.toLowerCase())) context.print(line);
      return;
    }
    const [binding, row] = await findIn(databases, {
      ...{ subject, sql },
      whose: LOOKING.includes(action) ? "account and no API key" : "account",
      changes: !["show", "events", "export"].includes(action),
    });
    if (action === "events") {
      let isEmpty = true;
      for await (const event of readEvents(databases, binding, String(row.id))) {
        context.print(values.json ? jsonLine(event) : describeEvent(event));
        isEmpty = false;
      }
      if (isEmpty && !values.json) context.print(`No activity of ${row.owner_email} yet.`);
      return;
    }
    if (action === "export") {
      const progress = createProgress(context);
      let rows = 0;
      for await (const line of readAccount(databases, binding, String(row.id))) {
        context.print(toJson(line));
        if (++rows % 1_000 === 0) progress(`Exported so far: ${rows.toLocaleString("en-US")} rows`);
      }
      return;
    }
    const maxBytes = action === "quota" ? bytesOf(first) : undefined;
    context.print(describe(maxBytes === undefined ? row : await setQuota(databases, { binding, row, maxBytes })));
    if (action === "end-tokens") return endAllTokens(databases, { binding, row, isAgreed: values.yes });
    if (action === "delete") return endAccount(databases, { binding, row, given: values });
    if (action !== "show") return;
    const keys = await databases.query(
      binding,
      `SELECT id, name, rate_limit, rate_window_seconds, revoked_at, expires_at, paused_at FROM api_keys
       WHERE account_id = ${quote(String(row.id))} ORDER BY created_at`,
    );
    if (keys.length === 0) context.print("  No API keys yet.");
    for (const key of keys) context.print(describeKey(key, Date.now()));
  },
});

/** An account whose owner was removed has its identifier in the place of the address. */
async function endAccount(
  databases: EveryDatabase,
  {
    binding,
    row,
    given,
  }: {
    readonly binding: string;
    readonly row: Row;
    readonly given: Here & { readonly yes: boolean; readonly "dry-run": boolean };
  },
): Promise<void> {
  const { context } = databases;
  const [id, owner] = [String(row.id), String(row.owner_email)];
  context.print(await describeContents(databases, binding, id));
  refuseOpen(row, given);
  if (given["dry-run"]) return context.print("Would delete all of it. A dry run: nothing was done.");
  await confirm(context, {
    isAgreed: given.yes,
    what: `All of the account ${id} of ${owner} is deleted for good.`,
    word: owner.toLowerCase(),
  });
  await deleteAccount(databases, binding, id);
  context.print(
    `The account ${id} of ${owner} is deleted. Backups have it still, and so has D1 Time Travel for 30 days.`,
  );
}

/** Throws a Failure for a text that is not the identifier of a key. */
function pathOf(apiKeyId: string): string {
  if (IDENTIFIER.test(apiKeyId)) return `/operator/keys/${apiKeyId}`;
  throw new Failure(
    `${apiKeyId}: an API key's identifier has 12 letters and digits. \`${commandLine("account", "", "show", "<e-mail>")}\` lists them.`,
  );
}

const revocationOf = (id: string): Call => ({
  method: "DELETE",
  path: pathOf(id),
  confirms: (answer) => answer.id === id && answer.state === "revoked",
  done: `the API key ${id} is revoked`,
});

/** Throws a Failure for a text that is no address. */
function signOutOf(address: string): Call {
  if (!ADDRESS.test(address)) throw new Failure(`${address}: an owner's e-mail address.`);
  const email = address.toLowerCase();
  return {
    method: "POST",
    path: "/operator/sign-outs",
    body: { email },
    confirms: (answer) => answer.email === email && typeof answer.ended === "number",
    done: `${email} is signed out`,
  };
}

/** Throws a Failure for a text that is no address. */
function moveOf(old: string, next: string): Call {
  for (const address of [old, next])
    if (!ADDRESS.test(address)) throw new Failure(`${address}: an owner's e-mail address.`);
  const [from, to] = [old.toLowerCase(), next.toLowerCase()];
  return {
    method: "POST",
    path: "/operator/moves",
    body: { from, to },
    confirms: (answer) => answer.from === from && answer.to === to && Array.isArray(answer.accountIds),
    done: `${to} has the accounts of ${from}`,
  };
}

function limitOf(id: string, first: string, second: string): Call {
  const path = `${pathOf(id)}/limit`;
  const [limit, windowSeconds] = [
    integer("the limit", { text: first, min: 1, max: 10_000 }),
    integer("the seconds", { text: second, min: 1, max: 3_600 }),
  ];
  return {
    method: "PUT",
    path,
    body: { limit, windowSeconds },
    confirms: (answer) => answer.id === id && answer.limit === limit && answer.windowSeconds === windowSeconds,
    done: `the API key ${id} may make ${limit} requests in ${windowSeconds} seconds`,
  };
}

const keyAndOwner = (id: string): string =>
  `SELECT k.name, k.revoked_at, a.owner_email FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.id = ${quote(id)}`;

/** A statement that returns the row that it found. Throws a Failure for values that are out of bounds. */
function sqlOf(action: string, subject: string, first: string): string {
  if (!IDENTIFIER.test(subject) && !ADDRESS.test(subject))
    throw new Failure(
      `${subject}: an owner's e-mail address, or an account's identifier of 12 letters and digits${LOOKING.includes(action) ? ", or one of its API keys" : ""}.`,
    );
  // Owners' addresses are stored in lower case.
  const which = IDENTIFIER.test(subject) ? `id = ${quote(subject)}` : `owner_email = ${quote(subject.toLowerCase())}`;
  // The log names the key of a request. Only looking is so generous.
  const orOfKey = LOOKING.includes(action)
    ? ` OR id = (SELECT account_id FROM api_keys WHERE id = ${quote(subject)})`
    : "";
  const columns = `id, owner_email, status, ${STORED_BYTES} AS stored_bytes, max_bytes`;
  if (action === "quota") bytesOf(first);
  return `SELECT ${columns} FROM accounts WHERE ${which}${orOfKey}`;
}

/** Throws a Failure. */
const bytesOf = (quota: string): number => integer("the quota in MiB", { text: quota, min: 1, max: 10_240 }) * MEBIBYTE;

function integer(
  what: string,
  { text, min, max }: { readonly text: string; readonly min: number; readonly max: number },
): number {
  if (/^\d{1,6}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new Failure(`${text}: ${what} is a number from ${min} to ${max}.`);
}

/** An identifier says where it lives; an address may be in any database. `whose`: the noun of what has the identifier. */
async function findIn(
  { bindings, query }: EveryDatabase,
  { subject, sql, whose, changes }: { readonly [key in "subject" | "sql" | "whose"]: string } & { changes: boolean },
) {
  const isIdentifier = IDENTIFIER.test(subject);
  const none = isIdentifier ? `No ${whose} has the ID ${subject}` : `No account has the owner ${subject}`;
  const end = changes ? ". Nothing was changed." : ".";
  if (isIdentifier && !bindings.includes(bindingOf(subject)))
    throw new Failure(`${none}: ${CONFIGURATION} has no database ${bindingOf(subject)}${end}`);
  for (const binding of isIdentifier ? [bindingOf(subject)] : bindings) {
    const [row] = await query(binding, sql);
    if (row !== undefined) return [binding, row] as const;
  }
  throw new Failure(`${none}${end}`);
}

function describe({ id, owner_email, status, stored_bytes, max_bytes }: Row): string {
  const mebibytes = (bytes: unknown) => (Number(bytes) / MEBIBYTE).toFixed(1);
  return `${owner_email} (account ${id}) is ${status}. It stores ${mebibytes(stored_bytes)} of ${mebibytes(max_bytes)} MiB.`;
}

function describeKey({ id, name, rate_limit, rate_window_seconds, ...key }: Row, now: number): string {
  const [revokedAt, expiresAt, pausedAt] = [key.revoked_at, key.expires_at, key.paused_at].map(Number);
  const at = (time: number | undefined) => new Date(time ?? 0).toISOString();
  const states = [
    revokedAt && `revoked ${at(revokedAt)}`,
    !revokedAt && expiresAt && `${expiresAt <= now ? "expired" : "expires"} ${at(expiresAt)}`,
    !revokedAt && pausedAt && `paused since ${at(pausedAt)}`,
  ];
  return [`  ${id}  ${name}: ${rate_limit} requests in ${rate_window_seconds} s`, ...states].filter(Boolean).join(", ");
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

if (import.meta.main) await main(account);
