import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, pathOf, succeeded } from "./seen/calls.ts";
import { databaseOf, ideaBankIdOf, keyIdOf, tokenOf } from "./seen/credentials.ts";
import { accountOfIdeaBank } from "./seen/expected.ts";
import { accountIdOf, rowsOf } from "./seen/rows.ts";

const IDENTIFIER = /(?<![0-9A-Za-z])[0-9A-Za-z]{12}(?![0-9A-Za-z])/g;
const TABLES = [
  "accounts",
  "api_keys",
  "panelists",
  "idea_banks",
  "proposals",
  "comments",
  "surveys",
  "audit_events",
] as const;

const accountOf = (history: History, call: Call): string | undefined => {
  const rows = rowsOf(history);
  const token = tokenOf(call);
  if (token !== undefined) return accountOfIdeaBank(rows, ideaBankIdOf(token));
  const row = rows.versions("api_keys", keyIdOf(call) ?? "").find((version) => version.row !== null)?.row;
  return row ? accountIdOf("api_keys", row) : undefined;
};

/**
 * Three ways to meet another tenant: an identifier in an answer that the request did not name itself, a success for a path that names
 * one, a commit of its rows. Owners: all identifiers in the answers of one client are of one account.
 */
function* find(history: History): Iterable<Finding> {
  const rows = rowsOf(history);
  const tenants = new Map<string, string>();
  for (const table of TABLES) {
    for (const id of rows.keys(table)) {
      const row = rows.versions(table, id).find((version) => version.row !== null)?.row;
      const account = row ? accountIdOf(table, row) : undefined;
      if (account !== undefined) tenants.set(id, account);
    }
  }
  const owners = new Map<string, string>();
  for (const call of callsOf(history)) {
    const isOwners = call.path.startsWith("/account/");
    let own = isOwners ? owners.get(call.client) : accountOf(history, call);
    if (own === undefined && !isOwners) continue;
    const found = (what: string): Finding => ({
      at: call.answeredAt,
      found: `${call.operation} of account ${own}: ${what}`,
      calls: [call.call],
    });
    const named = new Set(`${call.path} ${JSON.stringify(call.body ?? "")}`.match(IDENTIFIER));
    for (const id of new Set(JSON.stringify([call.answer?.headers, call.answer?.body]).match(IDENTIFIER))) {
      const account = tenants.get(id);
      if (account === undefined || named.has(id)) continue;
      if (isOwners && own === undefined) {
        own = account;
        owners.set(call.client, account);
      } else if (account !== own) yield found(`the answer holds ${id} of account ${account}`);
    }
    if (own === undefined) continue;
    for (const part of pathOf(call).split("/")) {
      const account = tenants.get(part);
      if (account !== undefined && account !== own && succeeded(call))
        yield found(`it succeeded with ${part} of account ${account}`);
    }
    for (const { table, before, after } of call.commits.flatMap((commit) => commit.changes)) {
      const account = accountIdOf(table, after ?? before ?? {});
      if (account !== undefined && account !== own && !isOwners)
        yield found(`it wrote to ${table} of account ${account}`);
    }
  }
}

export const tenants = oracle(
  {
    name: "tenants-isolated",
    promise: "Tenants are apart",
    words: "No request shows or changes a resource of another tenant.",
  },
  find,
);

/** An answer's own stores, and those called for it afterwards. Account Settings asks the directory, too: it is left out. */
export const oneDatabase = oracle(
  {
    name: "one-database",
    promise: "Tenants are apart",
    words: "Everything of an account is in one database, and no request with a key or a token asks another one.",
  },
  function* (history: History): Iterable<Finding> {
    for (const call of callsOf(history)) {
      const token = tokenOf(call);
      const id = token === undefined ? keyIdOf(call) : ideaBankIdOf(token);
      const foreign = call.stores.find((one) => one.store === "d1" && id !== undefined && one.name !== databaseOf(id));
      if (foreign === undefined) continue;
      yield {
        at: foreign.at,
        found: `${call.operation} with a credential of database ${databaseOf(id ?? "")} asked database ${foreign.name}`,
        calls: [call.call],
      };
    }
  },
);

/** At every commit, and in the directory: one e-mail address has one account, in whichever database. */
export const oneAccount = oracle(
  {
    name: "one-account-for-an-owner",
    promise: "Members",
    words: "An e-mail address has one account, however many first visits come at once and whatever fails.",
  },
  function* (history: History): Iterable<Finding> {
    const accounts = new Map<string, string>();
    const own = (email: unknown, id: unknown): string | undefined => {
      const before = accounts.get(String(email));
      accounts.set(String(email), before ?? String(id));
      return before === undefined || before === id ? undefined : `${email} has the accounts ${before} and ${id}`;
    };
    for (const commit of rowsOf(history).commits) {
      for (const { table, before, after } of commit.changes) {
        if (table === "accounts" && after === null) accounts.delete(String(before?.owner_email));
        const two = table === "accounts" && after ? own(after.owner_email, after.id) : undefined;
        if (two !== undefined)
          yield { at: commit.at, found: two, calls: commit.call === undefined ? [] : [commit.call] };
      }
    }
    for (const tables of Object.values(history.settled)) {
      for (const row of tables.accounts ?? []) {
        const two = own(row.owner_email, row.id);
        if (two !== undefined) yield { at: Infinity, found: `settled: ${two}`, calls: [] };
      }
    }
    for (const tables of Object.values(history.settled)) {
      for (const row of tables.owners ?? []) {
        const account = accounts.get(String(row.email));
        if (account === undefined || account === row.account_id) continue;
        yield {
          at: Infinity,
          found: `settled: the directory has ${row.account_id} for ${row.email}, whose account is ${account}`,
          calls: [],
        };
      }
    }
  },
);
