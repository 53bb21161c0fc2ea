/** The attacks of docs/attack-costs.md: what comes before each, and the one request that is counted. */
import { vi } from "vitest";
import { createApiKey } from "../../src/worker/credentials/api-key.ts";
import { secureRandomBytes } from "../../src/worker/credentials/base62.ts";
import { titleWords } from "../../src/worker/model/words.ts";
import { createPeople, giveVotes, writeComments } from "./batch-attacks.ts";
import { databaseOf } from "./databases.ts";
import { changeEverything, editOwnTitle } from "./edit-attacks.ts";
import { createGitHub } from "./github.ts";
import {
  deleteBusyPanelist,
  deletePopular,
  eraseBusyPanelist,
  listByTag,
  mergePopular,
  withdrawPopular,
} from "./large-attacks.ts";
import { addWebhook } from "./webhooks.ts";
import { addApiKey, addIdeaBank, addProposal, newId, signingKeys, tokenFor } from "./world.ts";

export const NOW = 1_900_000_000_000;
const WHOAMI = "/tenant/whoami";
const CHANGELOG = "/public/ideabank/changelog";

export type Send = (path: string, init?: RequestInit) => Promise<Response>;

export const github = await createGitHub();

const SIX_WORDS = "alpha bravo charly delta echo foxtrott";
const TWELVE_WORDS = `${SIX_WORDS} golf hotel india juliett kilo lima`;

const withKey = (key: string) => ({ headers: { "X-API-Key": key } });
const withToken = (token: string) => ({ headers: { Authorization: token } });

const post = (credential: Record<string, string>, fields = {}) => ({
  method: "POST",
  headers: { ...credential, "Content-Type": "application/json", "Idempotency-Key": "one" },
  body: JSON.stringify({ title: TWELVE_WORDS, description: "D", ...fields }),
});

async function addChangelog(entries: number) {
  const bank = await addIdeaBank();
  for (let index = 0; index < entries; index++) await addProposal(bank);
  return bank;
}

/** Keys with a right tag. They are of one account when it is named; without it, of none that exists. */
const keysOf = (count: number, accountId?: string) =>
  Promise.all(
    Array.from({ length: count }, async () =>
      accountId === undefined
        ? (await createApiKey(signingKeys, secureRandomBytes, newId())).text
        : (await addApiKey({ accountId, revokedAt: NOW - 1 })).text,
    ),
  );

const report = (send: Send, keys: readonly string[], headers?: Record<string, string>) =>
  github.report(
    { request: send },
    keys.map((token) => ({ token, type: "edge_access_api_key", url: "u" })),
    headers,
  );

/** An isolate reads GitHub's published keys once an hour. */
const readGitHubsKeys = async (send: Send) => report(send, await keysOf(1));

async function paste(send: Send, keys: readonly string[]) {
  const body = new URLSearchParams({ key: keys.join("\n"), foundAt: "a forum" });
  const answer = await send("/leaks/reports", { method: "POST", body });
  if (answer.headers.get("Location") !== "/leaks/thanks") throw new Error("what was pasted was not looked at");
  return answer;
}

/** The read that reads the most rows. */
async function readChanges(send: Send): Promise<Response> {
  const { id, accountId, panelistId } = await addChangelog(100);
  await databaseOf(id)
    .prepare(
      `INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at, on_behalf)
       SELECT substr(id, 1, 9) || (100 + rowid % 900), account_id, idea_bank_id, id, ?1, 'B', 1, 1 FROM proposals`,
    )
    .bind(panelistId)
    .run();
  const { text } = await addApiKey({ accountId });
  const first = await send("/tenant/changes?limit=100", withKey(text));
  const { nextCursor } = await first.json<{ nextCursor: string }>();
  const after = new URLSearchParams({ after: nextCursor, limit: "100" });
  return send(`/tenant/changes?${after}`, withKey(text));
}

/** Each with its status. `newIsolate` is another one, whose cost does not count. */
export const ATTACKS: [string, number, (send: Send, newIsolate: () => Send) => Promise<Response>][] = [
  ["forged or garbage credential", 401, (send) => send(WHOAMI, withKey("ibk_garbage"))],
  [
    "expired token",
    401,
    async (send) => {
      const { id, panelistId } = await addIdeaBank();
      return send(CHANGELOG, withToken(await tokenFor(id, panelistId, NOW / 1000 - 86_400)));
    },
  ],
  ["unknown path", 404, (send) => send("/wp-login.php")],
  [
    "API key over its limit",
    429,
    async (send) => {
      const { text } = await addApiKey({ limit: 1 });
      for (let times = 0; times < 2; times++) await send(WHOAMI, withKey(text));
      return send(WHOAMI, withKey(text));
    },
  ],
  [
    "revoked API key (expired, unknown: the same)",
    401,
    async (send) => send(WHOAMI, withKey((await addApiKey({ revokedAt: NOW })).text)),
  ],
  [
    "token: changelog, fresh in the isolate",
    200,
    async (send) => {
      const { token } = await addChangelog(20);
      await send(CHANGELOG, withToken(token));
      return send(CHANGELOG, withToken(token));
    },
  ],
  [
    "token: changelog, past the freshness window",
    200,
    async (send) => {
      const { token } = await addChangelog(20);
      await send(CHANGELOG, withToken(token));
      vi.setSystemTime(NOW + 60_000);
      return send(CHANGELOG, withToken(token));
    },
  ],
  [
    "token: changelog, a new isolate each time",
    200,
    async (send, newIsolate) => {
      const { token } = await addChangelog(20);
      await newIsolate()(CHANGELOG, withToken(token));
      return send(CHANGELOG, withToken(token));
    },
  ],
  [
    "token: changelog of 20 entries, changed before each read",
    200,
    async (send) => send(CHANGELOG, withToken((await addChangelog(20)).token)),
  ],
  [
    "token: 100 proposals with author and own vote",
    200,
    async (send) => {
      const bank = await addIdeaBank();
      for (let index = 0; index < 120; index++)
        await addProposal(bank, { status: index % 2 ? "planned" : "submitted" });
      const database = databaseOf(bank.id);
      await database.prepare("UPDATE proposals SET author_id = ?1").bind(bank.panelistId).run();
      await database
        .prepare("INSERT INTO votes SELECT id, ?1, account_id, idea_bank_id, 1 FROM proposals")
        .bind(bank.panelistId)
        .run();
      return send("/ideabank/proposals?sort=hot&limit=100", withToken(bank.token));
    },
  ],
  ["token: 100 proposals by tag and votes, with author and own vote", 200, listByTag],
  [
    "token: a search for six words that many titles have",
    200,
    async (send) => {
      const bank = await addIdeaBank();
      await addProposal(bank, { status: "submitted" });
      const database = databaseOf(bank.id);
      await database
        .prepare("UPDATE proposals SET author_id = ?1, words = ?2")
        .bind(bank.panelistId, titleWords(SIX_WORDS))
        .run();
      await database
        .prepare(`INSERT INTO proposals (id, account_id, idea_bank_id, author_id, title, description, created_at, last_activity_at, words)
          SELECT substr(proposals.id, 1, 8) || (value + 1000), account_id, idea_bank_id, author_id, title, '', value, value, words
          FROM proposals, json_each(?1)`)
        .bind(JSON.stringify(Array.from({ length: 120 }, (_, index) => index)))
        .run();
      await database
        .prepare("INSERT INTO votes SELECT id, ?1, account_id, idea_bank_id, 1 FROM proposals")
        .bind(bank.panelistId)
        .run();
      return send(`/ideabank/proposals?q=${encodeURIComponent(SIX_WORDS)}`, withToken(bank.token));
    },
  ],
  [
    "token: a vote",
    200,
    async (send) => {
      const bank = await addIdeaBank();
      const id = await addProposal(bank, { status: "planned" });
      return send(`/ideabank/proposals/${id}/vote`, { method: "PUT", ...withToken(bank.token) });
    },
  ],
  [
    "token: submit a proposal",
    201,
    async (send) => send("/ideabank/proposals", post({ Authorization: (await addIdeaBank()).token })),
  ],
  ["token: edit one's own proposal that waits for approval again, 4 webhooks", 200, editOwnTitle],
  ["token: withdraw a proposal with many votes and comments", 204, withdrawPopular],
  [
    "leaks: a thousand reports without GitHub's signature",
    401,
    async (send) => {
      await readGitHubsKeys(send);
      return report(send, await keysOf(1_000), { "Github-Public-Key-Signature": await github.sign("[]") });
    },
  ],
  [
    "leaks: more than 1 MiB",
    413,
    async (send) => {
      await readGitHubsKeys(send);
      return report(send, ["x".repeat(1024 * 1024)]);
    },
  ],
  [
    "leaks: guesses that fill a form of 64 KiB, pasted",
    303,
    async (send) =>
      paste(
        send,
        Array.from({ length: 1_100 }, (_, each) => `ibk_${String(each).padStart(47, "0")}`),
      ),
  ],
  [
    "leaks: 20 made-up secrets of webhooks and 20 for signing, pasted",
    303,
    async (send) =>
      paste(
        send,
        Array.from({ length: 20 }, (_, each) => [
          `whsec_${String(each).padStart(32, "0")}`,
          `ibs_${String(each).padStart(43, "0")}`,
        ]).flat(),
      ),
  ],
  [
    "leaks: 30 keys that an owner has just ended, pasted: 20 are looked at",
    303,
    async (send) => paste(send, await keysOf(30, (await addIdeaBank()).accountId)),
  ],
  ["leaks: one key that is alive, pasted", 303, async (send) => paste(send, [(await addApiKey()).text])],
  [
    "leaks: a thousand reports by GitHub, of keys with a right tag that nobody has",
    200,
    async (send) => {
      await readGitHubsKeys(send);
      return report(send, await keysOf(1_000));
    },
  ],
  ["key: whoami", 200, async (send) => send(WHOAMI, withKey((await addApiKey()).text))],
  [
    "key: 100 proposals with author",
    200,
    async (send) => {
      const { id, accountId, panelistId } = await addChangelog(110);
      await databaseOf(id).prepare("UPDATE proposals SET author_id = ?1").bind(panelistId).run();
      const { text } = await addApiKey({ accountId });
      return send(`/tenant/ideabanks/${id}/proposals?limit=100`, withKey(text));
    },
  ],
  ["key: 100 changes, each of a comment on another proposal", 200, readChanges],
  [
    "key: create an implemented proposal",
    201,
    async (send) => {
      const { id, accountId } = await addIdeaBank();
      const { text } = await addApiKey({ accountId });
      return send(`/tenant/ideabanks/${id}/proposals`, post({ "X-API-Key": text }, { status: "implemented" }));
    },
  ],
  ["key: change everything of a proposal, 4 webhooks", 200, changeEverything],
  [
    "key: change a proposal, and deliver that to a webhook",
    200,
    async (send) => {
      const bank = await addIdeaBank();
      const id = await addProposal(bank);
      const { text } = await addApiKey({ accountId: bank.accountId });
      await addWebhook(bank.accountId);
      return send(`/tenant/ideabanks/${bank.id}/proposals/${id}`, {
        method: "PATCH",
        headers: { "X-API-Key": text, "Content-Type": "application/json" },
        body: JSON.stringify({ status: "planned" }),
      });
    },
  ],
  ["key: create 100 panelists in a request, 4 webhooks", 200, createPeople],
  ["key: give 100 votes in a request", 200, giveVotes],
  ["key: write 100 comments in a request, 4 webhooks", 201, writeComments],
  ["key: delete a panelist with many votes, proposals and comments", 204, deleteBusyPanelist],
  ["key: delete a proposal with many votes and comments, which many were merged into", 204, deletePopular],
  ["key: merge a proposal with many votes, which many were merged into", 200, mergePopular],
  ["key: delete a panelist with many votes, and the proposals and comments with it", 204, eraseBusyPanelist],
];
