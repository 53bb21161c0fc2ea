/** Tenants' integrations, which manage idea banks and panelists; and writes to D1 beside the Worker. */
import { type Actors, type KnownAccount, type KnownBank, pickFrom } from "../actors.ts";
import type { Command, Manner, SqlDoes } from "../plan.ts";
import type { Source } from "../world/random.ts";
import type { Answer } from "../world/world.ts";
import { searchQuery, tagQuery, tagsOf, titleOf } from "./words.ts";

const PATIENT: Manner = { isolate: 0, again: 20, idempotent: true };
const STATUSES = ["implemented", "implemented", "implemented", "submitted", "planned", "declined"] as const;
const VISIBILITIES = ["public", "public", "public", "public", "pending", "hidden"] as const;
const SWITCHES = [
  "internal",
  "changelogEnabled",
  "submissionsEnabled",
  "votingEnabled",
  "commentsEnabled",
  "approvalRequired",
];
const PEOPLE = 4;

/** More than one request moves or deletes: the rest is done in slices. They have no name, and nobody has a token for them. */
const ADD_PANELISTS = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
  INSERT INTO panelists (id, account_id, created_at)
  SELECT printf('%s%011d', substr(b.id, 1, 1), 1000 * ?2 + i), b.account_id, ?3 FROM n, idea_banks b WHERE b.id = ?1`;
const ADD_VOTES = `INSERT INTO votes (proposal_id, panelist_id, account_id, idea_bank_id, created_at)
  SELECT p.id, w.id, p.account_id, p.idea_bank_id, ?2 FROM proposals p JOIN panelists w ON w.account_id = p.account_id
  WHERE p.id = ?1 AND p.duplicate_of IS NULL AND p.idea_bank_id <> p.id AND w.deleted_at IS NULL ON CONFLICT DO NOTHING`;

const ADD_COMMENTS = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
  INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at)
  SELECT printf('%s%07d%04d', substr(p.id, 1, 1), ?3, i), p.account_id, p.idea_bank_id, p.id, w.id, 'Comment', ?4
  FROM n, proposals p JOIN panelists w ON w.account_id = p.account_id
  WHERE p.id = ?1 AND w.id = ?2 AND p.duplicate_of IS NULL AND p.idea_bank_id <> p.id AND w.deleted_at IS NULL
  ON CONFLICT DO NOTHING`;

type Sent = { readonly operation: string; readonly method: string; readonly path: string; readonly body?: unknown };
type WithId = { readonly id: string };
type Issued = { readonly token: string; readonly panelistId: string };

export class Tenants {
  readonly #actors: Actors;

  constructor(actors: Actors) {
    this.#actors = actors;
  }

  #send(source: Source, account: KnownAccount, sent: Sent, manner: Manner): Promise<Answer | undefined> {
    const key = account.integration;
    if (key === undefined) return Promise.resolve(undefined);
    const headers = { "x-api-key": key.text };
    return this.#actors.send(source, { client: `key ${key.id}`, isolate: manner.isolate, headers, ...sent }, manner);
  }

  async setUp(source: Source, account: KnownAccount, panelists: number): Promise<void> {
    const bank = await this.#createBank(source.of("bank"), account, PATIENT);
    if (bank === undefined) throw new Error("a first idea bank was refused");
    for (const number of [1, 2, 3]) {
      const status = number < 3 ? "implemented" : "submitted";
      await this.#createProposal(
        source.of(`proposal ${number}`),
        bank,
        { title: `Proposal ${number}`, status },
        PATIENT,
      );
    }
    for (let person = 0; person < panelists; person++) {
      await this.#issueToken(source.of(`token ${person}`), bank, person, {}, PATIENT);
    }
  }

  async #createBank(source: Source, account: KnownAccount, manner: Manner): Promise<KnownBank | undefined> {
    const body = { name: "An idea bank", status: "OPEN", changelogEnabled: true };
    const answer = await this.#send(
      source,
      account,
      { operation: "createIdeaBank", method: "POST", path: "/tenant/ideabanks", body },
      manner,
    );
    if (answer?.status !== 201) return undefined;
    const bank = { id: (answer.body as WithId).id, account, proposals: [] };
    account.banks.push(bank);
    return bank;
  }

  async #createProposal(source: Source, bank: KnownBank, body: object, manner: Manner): Promise<void> {
    const path = `/tenant/ideabanks/${bank.id}/proposals`;
    const answer = await this.#send(
      source,
      bank.account,
      { operation: "createProposal", method: "POST", path, body },
      manner,
    );
    if (answer?.status === 201) bank.proposals.push((answer.body as WithId).id);
  }

  async #issueToken(source: Source, bank: KnownBank, person: number, more: object, manner: Manner): Promise<void> {
    const externalId = `person-${person}`;
    const body = { externalId, ...more };
    const path = `/tenant/ideabanks/${bank.id}/tokens`;
    const answer = await this.#send(
      source,
      bank.account,
      { operation: "issueToken", method: "POST", path, body },
      manner,
    );
    if (answer?.status !== 201) return;
    const { token, panelistId } = answer.body as Issued;
    bank.account.people.set(externalId, panelistId);
    this.#actors.tokens.push({ text: token, bank, person: externalId });
  }

  async perform(source: Source, command: Command & { readonly kind: "tenant" }): Promise<void> {
    const { does, pick, draw } = command;
    const account = pickFrom(this.#actors.accounts, command.account);
    const bank = account && pickFrom(account.banks, pick);
    if (account === undefined || bank === undefined) return;
    const proposals = `/tenant/ideabanks/${bank.id}/proposals`;
    const proposal = pickFrom(bank.proposals, draw >> 3);
    const one = `${proposals}/${proposal}`;
    const panelistId = pickFrom([...account.people.values()], draw >> 3);
    const panelist = `/tenant/panelists/${panelistId}`;
    const send = (operation: string, method: string, path: string, body?: unknown) =>
      this.#send(source, account, { operation, method, path, ...(body !== undefined && { body }) }, command);
    switch (does) {
      case "createProposal": {
        const body = {
          title: `Proposal ${draw}`,
          status: pickFrom(STATUSES, draw),
          visibility: pickFrom(VISIBILITIES, draw >> 2),
        };
        return this.#createProposal(source, bank, body, command);
      }
      case "createTagged": {
        const body = {
          title: titleOf(draw),
          status: pickFrom(STATUSES, draw),
          visibility: pickFrom(VISIBILITIES, draw >> 2),
          tags: tagsOf(draw >> 4),
          externalId: `TRACK-${draw}`,
          metadata: { source: `kept-${draw}` },
          ...(draw % 2 === 0 && panelistId !== undefined && { panelistId }),
        };
        return this.#createProposal(source, bank, body, command);
      }
      case "findProposals":
        await send(
          "listProposals",
          "GET",
          `${proposals}?${draw % 3 === 0 ? tagQuery(draw >> 2) : searchQuery("q", draw)}`,
        );
        return;
      case "createIdeaBank":
        await this.#createBank(source, account, command);
        return;
      case "issueToken": {
        const more = draw % 3 === 0 ? { displayName: `Name ${draw}` } : draw % 7 === 0 ? { lifetimeSeconds: 60 } : {};
        return this.#issueToken(source, bank, draw % PEOPLE, more, command);
      }
      case "listProposals":
        await send(does, "GET", proposals);
        return;
      case "updateIdeaBank":
        await send(does, "PATCH", `/tenant/ideabanks/${bank.id}`, bankChange(draw));
        return;
      case "deleteIdeaBank":
        await send(does, "DELETE", `/tenant/ideabanks/${bank.id}`);
        return;
    }
    if (panelistId !== undefined) {
      if (does === "revokeTokens") await send(does, "DELETE", `${panelist}/tokens`);
      if (does === "updatePanelist")
        await send(
          does,
          "PATCH",
          panelist,
          draw % 3 === 0 ? { displayName: `Name ${draw}` } : { active: draw % 2 === 0 },
        );
      if (does === "deletePanelist") await send(does, "DELETE", panelist);
    }
    if (proposal === undefined) return;
    if (does === "updateProposal") await send(does, "PATCH", one, proposalChange(draw));
    if (does === "deleteProposal") await send(does, "DELETE", one);
    if (does === "mergeProposal")
      await send(does, "POST", `${one}/merge`, { into: pickFrom(bank.proposals, draw >> 5) });
    if (does === "createComment") await send(does, "POST", `${one}/comments`, { body: `Comment ${draw}` });
    if (does === "setTags") {
      const title = draw % 2 === 0 ? { title: titleOf(draw >> 1) } : {};
      await send("updateProposal", "PATCH", one, { ...title, tags: tagsOf(draw >> 4) });
    }
    if (does === "listVotes") await send(does, "GET", `${one}/votes`);
    if (panelistId !== undefined) {
      if (does === "commentFor")
        await send("createComment", "POST", `${one}/comments`, { body: `Comment ${draw}`, panelistId });
      if (does === "voteFor" && draw % 2 === 0) await send("voteFor", "POST", `${one}/votes`, { panelistId });
      if (does === "voteFor" && draw % 2 === 1) await send("putVote", "PUT", `${one}/votes/${panelistId}`);
      if (does === "unvoteFor") await send("deleteVote", "DELETE", `${one}/votes/${panelistId}`);
    }
    if (does === "listComments") await send(does, "GET", `${one}/comments`);
  }

  writeSql({ does, account: index, pick, draw }: Command & { readonly kind: "sql" }, now: number): void {
    const account = pickFrom(this.#actors.accounts, index);
    const bank = account && pickFrom(account.banks, pick);
    if (account === undefined || bank === undefined) return;
    const database = this.#actors.databaseOf(bank.id);
    const proposal = pickFrom(bank.proposals, draw >> 3) ?? "";
    const person = pickFrom([...account.people.values()], draw >> 3) ?? "";
    if (does === "addVoters") {
      database.execute(ADD_PANELISTS, account.banks[0]?.id, draw, Math.floor(now));
      database.execute(ADD_VOTES, proposal, Math.floor(now));
      return;
    }
    if (does === "addComments") {
      database.execute(ADD_COMMENTS, proposal, person, draw, Math.floor(now));
      return;
    }
    const sql = {
      editProposal: [
        "UPDATE proposals SET title = ?2, last_activity_at = ?3 WHERE id = ?1",
        proposal,
        `Edited ${draw}`,
        Math.floor(now),
      ],
      closeIdeaBank: ["UPDATE idea_banks SET status = 'CLOSED' WHERE id = ?1", bank.id],
      openIdeaBank: ["UPDATE idea_banks SET status = 'OPEN', changelog_enabled = 1 WHERE id = ?1", bank.id],
      deactivatePanelist: ["UPDATE panelists SET active = 0 WHERE id = ?1", person],
      deleteProposal: ["DELETE FROM proposals WHERE id = ?1", proposal],
    } as const satisfies Record<Exclude<SqlDoes, "addVoters" | "addComments">, readonly [string, ...unknown[]]>;
    const [text, ...values] = sql[does];
    database.execute(text, ...values);
  }
}

function proposalChange(draw: number): object {
  if (draw % 4 === 0) return { status: pickFrom(STATUSES, draw >> 2) };
  if (draw % 4 === 1) return { visibility: pickFrom(VISIBILITIES, draw >> 2) };
  return { title: `Title ${draw}` };
}

function bankChange(draw: number): object {
  if (draw % 5 === 0) return { status: (draw >> 3) % 2 === 0 ? "CLOSED" : "OPEN" };
  if (draw % 5 === 1) return { changelogMaxEntries: 1 + ((draw >> 3) % 4) };
  // Mostly on again: what is off hides what is to be seen.
  return { status: "OPEN", [pickFrom(SWITCHES, draw >> 3) ?? ""]: (draw >> 6) % 3 !== 0 };
}
