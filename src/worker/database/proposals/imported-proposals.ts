/**
 * Writes proposals of a file that a member imports, with their people, votes and comments, in one transaction. What exists stays as it
 * is, so a file that is sent again adds what is missing, and nothing twice.
 */
import type { Owner } from "../../model/account-key.ts";
import type { KnownPerson } from "../../model/panelist.ts";
import type { ProposalUpsert } from "../../model/proposal.ts";
import type { Session } from "../../store/session.ts";
import { prepare, type Statement } from "../../store/statement.ts";
import { isMember } from "../members/membership.ts";
import { insertPeople } from "../panelists/panelists.ts";
import { proposalStays, votesOnTheWay } from "./merges.ts";
import { FIELD_COLUMNS, NEW_FIELDS_OF_EACH, valuesOf } from "./proposal-fields.ts";
import { TERM_COLUMNS, termsOf } from "./words.ts";

/** People are named by the tenant's own ids. `id` and the comments' are new. */
type ImportedProposal = {
  readonly id: string;
  readonly externalId: string;
  readonly fields: Omit<ProposalUpsert, "createdAt" | "panelistId" | "panelistExternalId" | "minor">;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Null: the team's own. */
  readonly author: string | null;
  readonly voters: readonly string[];
  /** What has no place elsewhere is a note for the team, with an id of its own. Only a new proposal gets it. */
  readonly note: { readonly id: string; readonly body: string } | undefined;
  readonly comments: readonly {
    readonly id: string;
    readonly author: string | null;
    readonly body: string;
    readonly createdAt: number;
  }[];
};

/** A part of a file. `eventId`: the same for all parts of it on a day, so that they are one event. */
type Imported = {
  readonly accountId: string;
  readonly ideaBankId: string;
  readonly owner: Owner;
  readonly eventId: string;
  readonly fileName: string;
  readonly people: readonly (KnownPerson & { readonly id: string })[];
  readonly proposals: readonly ImportedProposal[];
  readonly now: number;
};

const OWNED = "EXISTS (SELECT 1 FROM idea_banks WHERE account_id = :accountId AND id = :ideaBankId)";
/** The panelist with the tenant's own id that the SQL names, who is neither deleted nor blocked: a file brings nobody's words back. */
const panelistOf = (externalId: string): string =>
  `(SELECT id FROM panelists WHERE account_id = :accountId AND external_id = ${externalId} AND deleted_at IS NULL AND active = 1)`;
/** The proposal of the file with the id that the SQL names, as FROM … WHERE …. */
const proposalOf = (externalId: string): string =>
  `CROSS JOIN proposals p ON p.idea_bank_id = :ideaBankId AND p.external_id = ${externalId}
   WHERE p.account_id = :accountId AND ${OWNED} AND ${proposalStays("p")}`;

/** The rows that this part has written. */
const COUNTED = "(SELECT count(*) FROM proposals WHERE id IN (SELECT value ->> 'id' FROM json_each(:list)))";

/**
 * The statements around a part. The first one fails the transaction for who may not write any more (`isNoMember`). A part that has made
 * no idea is no event, and pushes no other one out.
 */
function recordImport(values: Parameters<typeof prepare>[1]): {
  readonly before: readonly Statement[];
  readonly after: readonly Statement[];
} {
  return {
    before: [
      prepare(
        `INSERT INTO undo_texts (event_id, account_id, created_at) SELECT :eventId, iif(${isMember(":accountId", ":person", "member")}, :accountId, NULL), :now`,
        values,
      ),
    ],
    after: [
      prepare("DELETE FROM undo_texts WHERE event_id = :eventId", values),
      prepare(
        `INSERT INTO audit_events (id, account_id, event, api_key_name, actor, address, created_at, subject_id, idea_bank_id, changes)
         SELECT :eventId, :accountId, 'proposals-imported', :fileName, :actor, :address, :now, :ideaBankId, :ideaBankId,
           json_object('before', NULL, 'after', json_object('count', written)) FROM (SELECT ${COUNTED} AS written) WHERE written > 0
         ON CONFLICT (id) DO UPDATE SET changes =
           json_set(changes, '$.after.count', (changes ->> '$.after.count') + (excluded.changes ->> '$.after.count'))`,
        values,
      ),
    ],
  };
}

/**
 * `isNew`: of each proposal, whether it is new or was here; undefined where it could not be written, because its author is being deleted or is
 * blocked. `blocked`: whom of the people of this part nothing is imported of.
 */
type ImportOutcome = {
  readonly isNew: readonly (boolean | undefined)[];
  readonly blocked: ReadonlySet<string>;
};

/** When an imported comment became public: never later than anything that people are told of, so nobody is told of it. */
const SHOWN_BEFORE_ALL = 0;

/** Null when the idea bank is not the tenant's. Throws an error of `isNoMember` for a person who is no member any more. */
export async function importProposals(
  session: Session,
  { accountId, ideaBankId, owner, eventId, fileName, people, proposals, now }: Imported,
): Promise<ImportOutcome | null> {
  const list = proposals.map(({ id, externalId, fields, createdAt, author }) => ({
    ...valuesOf({ ...fields, externalId }),
    ...termsOf(fields),
    ...{ id, createdAt, author },
  }));
  const votes = proposals.flatMap(({ externalId, voters }) => voters.map((voter) => [externalId, voter]));
  const comments = proposals.flatMap((proposal) =>
    proposal.comments.map((comment) => ({ ...comment, of: proposal.externalId })),
  );
  const notes = proposals.flatMap(({ id, note }) => (note === undefined ? [] : [{ ...note, of: id }]));
  const { person, actor, address } = owner;
  const shared = { accountId, ideaBankId, now };
  const values = { ...shared, list: JSON.stringify(list) };
  const { before, after } = recordImport({ ...values, person, actor, address, eventId, fileName });
  const named = new Set([
    ...proposals.flatMap(({ author, voters }) => [author ?? [], voters].flat()),
    ...comments.flatMap(({ author }) => author ?? []),
  ]);
  const { owned, found, blocked } = await session.batch({
    before,
    people: people.length === 0 ? undefined : insertPeople({ accountId, people, now }),
    written: prepare(
      `INSERT INTO proposals (id, account_id, idea_bank_id, author_id, ${FIELD_COLUMNS}, responded_at, ${TERM_COLUMNS}, created_at, last_activity_at, by_tenant)
       SELECT value ->> 'id', :accountId, :ideaBankId, author, ${NEW_FIELDS_OF_EACH},
         iif(value ->> 'response' IS NULL, NULL, value ->> 'createdAt'), value ->> 'words', value ->> 'titleTerms', value ->> 'textTerms', 1, value ->> 'createdAt', value ->> 'createdAt', author IS NULL
       FROM (SELECT value, ${panelistOf("value ->> 'author'")} AS author FROM json_each(:list))
       WHERE ${OWNED} AND (value ->> 'author' IS NULL OR author IS NOT NULL)
       ON CONFLICT DO NOTHING`,
      values,
    ),
    votes: prepare(
      `INSERT INTO votes (proposal_id, panelist_id, account_id, idea_bank_id, created_at)
       SELECT proposal, panelist, :accountId, :ideaBankId, :now
       FROM (SELECT p.id AS proposal, ${panelistOf("e.value ->> 1")} AS panelist
         FROM json_each(:votes) e ${proposalOf("e.value ->> 0")} AND p.duplicate_of IS NULL)
       WHERE panelist IS NOT NULL AND NOT EXISTS (SELECT 1 ${votesOnTheWay("proposal", "panelist")})
       ON CONFLICT DO NOTHING`,
      { ...shared, votes: JSON.stringify(votes) },
    ),
    comments: prepare(
      `INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at, by_tenant, on_behalf, shown_at)
       SELECT id, :accountId, :ideaBankId, proposal, panelist, body, at, author IS NULL, author IS NOT NULL, ${SHOWN_BEFORE_ALL}
       FROM (SELECT e.value ->> 'id' AS id, e.value ->> 'body' AS body, e.value ->> 'createdAt' AS at, e.value ->> 'author' AS author,
           p.id AS proposal, ${panelistOf("e.value ->> 'author'")} AS panelist
         FROM json_each(:comments) e ${proposalOf("e.value ->> 'of'")})
       WHERE (author IS NULL OR panelist IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM comments c
         WHERE c.proposal_id = proposal AND c.created_at = at AND c.body = body AND c.panelist_id IS panelist)`,
      { ...shared, comments: JSON.stringify(comments) },
    ),
    notes:
      notes.length === 0
        ? undefined
        : prepare(
            `INSERT INTO notes (id, account_id, proposal_id, body, created_at)
             SELECT e.value ->> 'id', p.account_id, p.id, e.value ->> 'body', :now
             FROM json_each(:notes) e CROSS JOIN proposals p ON p.id = e.value ->> 'of' WHERE p.account_id = :accountId`,
            { accountId, now, notes: JSON.stringify(notes) },
          ),
    after,
    owned: prepare(`SELECT 1 WHERE ${OWNED}`, shared),
    found: prepare<{ place: number; isNew: number }>(
      `SELECT e.key AS place, p.id = e.value ->> 'id' AS isNew
       FROM json_each(:list) e ${proposalOf("e.value ->> 'externalId'")}`,
      values,
    ),
    blocked: prepare<{ externalId: string }>(
      `SELECT external_id AS externalId FROM panelists
       WHERE account_id = :accountId AND external_id IN (SELECT value FROM json_each(:named)) AND deleted_at IS NULL AND active = 0`,
      { accountId, named: JSON.stringify([...named]) },
    ),
  });
  if (owned.length === 0) return null;
  const places = new Map(found.map(({ place, isNew }) => [place, isNew === 1]));
  return {
    isNew: proposals.map((_, place) => places.get(place)),
    blocked: new Set(blocked.map(({ externalId }) => externalId)),
  };
}
