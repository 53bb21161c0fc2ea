/** Tenants by the dozen, each with two of everything that a path can name. */
import { createApiKey } from "../../src/worker/credentials/api-key.ts";
import { secureRandomBytes } from "../../src/worker/credentials/base62.ts";
import { SCOPES } from "../../src/worker/model/scope.ts";
import { type Digit, databaseOf } from "./databases.ts";
import { newId, signingKeys, tokenFor } from "./world.ts";

/** What a path or a body names. */
export type Ids = Readonly<Record<string, string>>;

export type Tenant = {
  readonly email: string;
  readonly apiKeyId: string;
  readonly key: string;
  readonly token: string;
  /** Two sets of the same idea bank, but for `tenantIds`: each has an idea bank of its own. */
  readonly panelistIds: readonly [Ids, Ids];
  readonly tenantIds: readonly [Ids, Ids];
};

const KINDS = {
  owners: "INSERT INTO owners (email, account_id) SELECT v ->> 0, v ->> 1",
  accounts: "INSERT INTO accounts (id, owner_email, created_at) SELECT v ->> 0, v ->> 1, 1",
  api_keys: `INSERT INTO api_keys (id, account_id, name, secret_hash, scopes, rate_limit, created_at)
    SELECT v ->> 0, v ->> 1, 'A key', v ->> 2, '${JSON.stringify(SCOPES)}', 10000, 1`,
  idea_banks: `INSERT INTO idea_banks (id, account_id, name, status, changelog_enabled, created_at)
    SELECT v ->> 0, v ->> 1, 'An idea bank', 'OPEN', 1, 1`,
  panelists: "INSERT INTO panelists (id, account_id, created_at) SELECT v ->> 0, v ->> 1, 1",
  proposals: `INSERT INTO proposals (id, account_id, idea_bank_id, author_id, title, description, created_at, last_activity_at)
    SELECT v ->> 0, v ->> 1, v ->> 2, v ->> 3, 'A proposal', 'Of use.', 1, 1`,
  comments: `INSERT INTO comments (id, account_id, proposal_id, panelist_id, body, created_at)
    SELECT v ->> 0, v ->> 1, v ->> 2, v ->> 3, 'A comment', 1`,
  surveys: `INSERT INTO surveys (id, account_id, title, description, created_at, updated_at)
    SELECT v ->> 0, v ->> 1, 'A survey', '', 1, 1`,
} as const;
type Rows = Record<keyof typeof KINDS, string[][]>;

/** `digit` is their database's. */
export async function addTenants(count: number, digit: Digit): Promise<Tenant[]> {
  const rows = { 0: noRows(), 1: noRows() };
  const tenants: Tenant[] = [];
  for (let times = 0; times < count; times++) tenants.push(await addTenant(rows, digit));
  const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];
  for (const [at, own] of Object.entries(rows)) {
    const database = databaseOf(at);
    await database.batch(
      kinds.map((kind) =>
        database.prepare(`${KINDS[kind]} FROM (SELECT value AS v FROM json_each(?1))`).bind(JSON.stringify(own[kind])),
      ),
    );
  }
  return tenants;
}

const noRows = (): Rows => ({
  owners: [],
  accounts: [],
  api_keys: [],
  idea_banks: [],
  panelists: [],
  proposals: [],
  comments: [],
  surveys: [],
});

async function addTenant(all: Record<Digit, Rows>, digit: Digit): Promise<Tenant> {
  const rows = all[digit];
  const [account, author] = [newId(digit), newId(digit)];
  const email = `${account.toLowerCase()}@example.com`;
  rows.accounts.push([account, email]);
  // The directory of database 0.
  all[0].owners.push([email, account]);
  rows.panelists.push([author, account]);
  const addKey = async () => {
    const { id, text, secretHash } = await createApiKey(signingKeys, secureRandomBytes, newId(digit));
    rows.api_keys.push([id, account, secretHash]);
    return { id, text };
  };
  const addBank = () => {
    const id = newId(digit);
    rows.idea_banks.push([id, account]);
    return id;
  };
  const addIds = (ideaBankId: string, apiKeyId: string): Ids => {
    const ids = {
      apiKeyId,
      ideaBankId,
      proposalId: newId(digit),
      otherProposalId: newId(digit),
      commentId: newId(digit),
      surveyId: newId(digit),
      panelistId: newId(digit),
    };
    for (const id of [ids.proposalId, ids.otherProposalId]) rows.proposals.push([id, account, ideaBankId, author]);
    rows.comments.push([ids.commentId, account, ids.proposalId, author]);
    rows.surveys.push([ids.surveyId, account]);
    rows.panelists.push([ids.panelistId, account]);
    return ids;
  };
  const { id, text } = await addKey();
  const [spareKey, bank] = [await addKey(), addBank()];
  return {
    email,
    apiKeyId: id,
    key: text,
    token: await tokenFor(bank, author),
    panelistIds: [addIds(bank, id), addIds(bank, spareKey.id)],
    tenantIds: [addIds(addBank(), id), addIds(addBank(), spareKey.id)],
  };
}
