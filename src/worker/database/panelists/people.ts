/** Finds panelists for an owner, and the proposals, comments and votes of one of them. */
import { mailboxOf, readAddress } from "../../model/mailbox.ts";
import type { Panelist } from "../../model/panelist.ts";
import type { ProposalStatus, Visibility } from "../../model/proposal.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { ACCESSIBLE_PROPOSAL } from "../proposals/proposals.ts";
import type { ResourceRow } from "../resource.ts";
import { PANELISTS } from "./panelists.ts";

const FOUND_AT_MOST = 50;

/** Any part of a name or an id is looked for in this many panelists. */
export const SEARCHED_AT_MOST = 1_000;

type Found = {
  readonly people: readonly Panelist[];
  /** There are older panelists. For them, only the beginning of the name and the ids was compared. */
  readonly isPartial: boolean;
};

/**
 * At most 50 panelists: of all, those whose name, external id, address or identifier begins with the text; of the newest 1,000,
 * those in whose name, external id or address it stands anywhere. The case of a to z does not matter in names and addresses, and not in
 * the newest. First those whose name, id or address is the whole text.
 */
export async function findPanelists(session: Session, accountId: string, text: string): Promise<Found> {
  const beginning = (column: string, collation = "", condition = `${column} IS NOT NULL`) =>
    `SELECT id FROM (SELECT id FROM panelists WHERE account_id = :accountId AND deleted_at IS NULL AND ${condition}
       AND ${column} ${collation} >= :text AND ${column} ${collation} < :text || char(1114111)
     ORDER BY ${column} ${collation} LIMIT ${FOUND_AT_MOST})`;
  // Addresses are in the order of their mailboxes, which have neither tags nor Google's dots: of old ones with dots, the whole is needed.
  const whole = readAddress(text);
  const address = whole ?? text.toLowerCase();
  const mailbox = whole === undefined ? address.replace(/\+.*/, "") : mailboxOf(whole);
  const byAddress = `SELECT id FROM (SELECT id FROM (SELECT id, email FROM panelists WHERE account_id = :accountId AND mailbox IS NOT NULL
         AND mailbox >= :mailbox AND mailbox < :mailbox || char(1114111) ORDER BY mailbox LIMIT ${SEARCHED_AT_MOST})
       WHERE substr(email, 1, length(:address)) = :address LIMIT ${FOUND_AT_MOST})`;
  const newest = `(SELECT id, display_name, external_id, email FROM panelists WHERE account_id = :accountId AND deleted_at IS NULL
       ORDER BY created_at DESC, id DESC LIMIT ${SEARCHED_AT_MOST})`;
  const within = (column: string) => `instr(lower(${column}), lower(:text)) > 0`;
  const anywhere = `SELECT id FROM (SELECT id FROM ${newest} WHERE ${["display_name", "external_id", "email"].map(within).join(" OR ")} LIMIT ${FOUND_AT_MOST})`;
  const ids = `${beginning("display_name", "COLLATE NOCASE")} UNION ${beginning("external_id")}
    UNION ${byAddress} UNION ${anywhere} UNION SELECT :text`;
  const { found, last } = await session.batch({
    found: prepare<ResourceRow>(PANELISTS.select(`SELECT id FROM (${ids})`), {
      ...{ accountId, text, address, mailbox },
    }),
    last: prepare(
      `SELECT 1 FROM panelists WHERE account_id = :accountId AND deleted_at IS NULL
       ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ${SEARCHED_AT_MOST}`,
      { accountId },
    ),
  });
  const isExact = ({ id, externalId, displayName, email }: Panelist) =>
    [id, externalId].includes(text) || email === address || displayName?.toLowerCase() === text.toLowerCase();
  const people = PANELISTS.toItems(found).toSorted((one, other) => Number(isExact(other)) - Number(isExact(one)));
  return { people: people.slice(0, FOUND_AT_MOST), isPartial: last.length > 0 };
}

/** So many people of a mailbox are shown. */
const SHARING_AT_MOST = 10;

/** Others with an address of the same mailbox: `ana+two@example.com` is read where `ana@example.com` is. */
export async function listSameMailbox(session: Session, accountId: string, panelistId: string) {
  const ids = `SELECT o.id FROM panelists p CROSS JOIN panelists o ON o.account_id = p.account_id AND o.mailbox = p.mailbox
    WHERE p.id = :panelistId AND p.account_id = :accountId AND o.id <> p.id LIMIT ${SHARING_AT_MOST}`;
  return PANELISTS.toItems(await session.all(prepare<ResourceRow>(PANELISTS.select(ids), { accountId, panelistId })));
}

/** Those of the panelists whose mailbox somebody else has, too. */
export async function findSharing(session: Session, panelists: readonly Panelist[]): Promise<ReadonlySet<string>> {
  const ids = JSON.stringify(panelists.filter(({ email }) => email !== null).map(({ id }) => id));
  const rows = await session.all(
    prepare<{ id: string }>(
      `SELECT p.id FROM json_each(:ids) CROSS JOIN panelists p ON p.id = value WHERE EXISTS (SELECT 1 FROM panelists o
         WHERE o.account_id = p.account_id AND o.mailbox = p.mailbox AND o.id <> p.id AND o.deleted_at IS NULL)`,
      { ids },
    ),
  );
  return new Set(rows.map(({ id }) => id));
}

/** A count stops here: a page of 50 people reads 4,500 rows at most. */
export const COUNTED_AT_MOST = 30;

/** What a panelist did, counted up to 30 of each kind. `lastAt` is the newest of what was counted, in Unix milliseconds. */
export type Activity = Readonly<Record<"ideas" | "votes" | "comments", number>> & { readonly lastAt: number | null };

/** Counts by panelist, without panelists who have none. */
export async function loadActivity(
  session: Session,
  panelists: readonly Panelist[],
): Promise<ReadonlyMap<string, Activity>> {
  const done = (kind: string, table: string, column: string) =>
    `SELECT value AS id, '${kind}' AS kind, (SELECT json_array(count(*), max(created_at)) FROM (
       SELECT created_at FROM ${table} WHERE ${column} = value ORDER BY idea_bank_id DESC, created_at DESC LIMIT ${COUNTED_AT_MOST})) AS counted
     FROM json_each(:ids)`;
  const rows = await session.all(
    prepare<{ id: string; kind: "ideas" | "votes" | "comments"; counted: string }>(
      [
        done("ideas", "proposals", "author_id"),
        done("votes", "votes", "panelist_id"),
        done("comments", "comments", "panelist_id"),
      ].join(" UNION ALL "),
      { ids: JSON.stringify(panelists.map(({ id }) => id)) },
    ),
  );
  const all = new Map<string, Activity>();
  for (const { id, kind, counted } of rows) {
    const [count, at] = JSON.parse(counted) as [number, number | null];
    const known = all.get(id) ?? { ideas: 0, votes: 0, comments: 0, lastAt: null };
    all.set(id, { ...known, [kind]: count, lastAt: at === null ? known.lastAt : Math.max(at, known.lastAt ?? 0) });
  }
  return all;
}

export type ContributionRow = {
  idea_bank_id: string;
  id: string;
  title: string;
  status: ProposalStatus;
  visibility: Visibility;
  duplicate_of: string | null;
  comment_id: string | null;
  body: string | null;
  created_at: number;
};

/** Something that a panelist did on a proposal. `commentId` and `body`, which is its beginning, are those of a comment. */
export type Contribution = {
  readonly ideaBankId: string;
  readonly proposalId: string;
  readonly title: string;
  readonly status: ProposalStatus;
  readonly visibility: Visibility;
  readonly isMerged: boolean;
  readonly commentId: string | null;
  readonly body: string | null;
  readonly createdAt: string;
};

export const toContribution = (row: ContributionRow): Contribution => ({
  ideaBankId: row.idea_bank_id,
  proposalId: row.id,
  title: row.title,
  status: row.status,
  visibility: row.visibility,
  isMerged: row.duplicate_of !== null,
  commentId: row.comment_id,
  body: row.body,
  createdAt: toTimestamp(row.created_at),
});

export const CONTRIBUTIONS_AT_MOST = 50;
/** Reads this many of each kind, because those on deleted rows are skipped. */
const LOOKED_AT = 500;

/** A list shows this much of a comment. */
export const BEGINNING_OF_COMMENT = "substr(body, 1, 300) AS body";

/**
 * At most 50 of each kind: by idea bank the newest proposals and votes, and the newest comments of 500 that are found so. Empty for
 * another account's panelist.
 */
export async function listContributions(session: Session, accountId: string, panelistId: string) {
  const on = (what: string, comment = "NULL AS comment_id, NULL AS body") =>
    prepare<ContributionRow>(
      `SELECT proposals.idea_bank_id, proposals.id, title, status, visibility, duplicate_of, ${comment}, done.at AS created_at
       FROM (${what} LIMIT ${LOOKED_AT}) done CROSS JOIN proposals ON proposals.id = done.proposal_id
       WHERE proposals.account_id = :accountId AND ${ACCESSIBLE_PROPOSAL} LIMIT ${CONTRIBUTIONS_AT_MOST}`,
      { accountId, panelistId },
    );
  const newest = "ORDER BY idea_bank_id DESC, created_at DESC";
  const rows = await session.batch({
    proposals: on(
      `SELECT id AS proposal_id, created_at AS at FROM proposals WHERE author_id = :panelistId ${newest}, id DESC`,
    ),
    comments: on(
      // In the order of the index: sorting all comments of a person would read each of them.
      `SELECT proposal_id, created_at AS at, id AS comment_id, body FROM (
         SELECT found, found_at FROM (SELECT rowid AS found, created_at AS found_at FROM comments
           WHERE panelist_id = :panelistId ${newest}, id DESC LIMIT ${LOOKED_AT})
         ORDER BY found_at DESC, found DESC LIMIT ${LOOKED_AT})
       CROSS JOIN comments ON comments.rowid = found`,
      `comment_id, ${BEGINNING_OF_COMMENT}`,
    ),
    votes: on(`SELECT proposal_id, created_at AS at FROM votes WHERE panelist_id = :panelistId ${newest}`),
  });
  return {
    proposals: rows.proposals.map(toContribution),
    comments: rows.comments.map(toContribution),
    votes: rows.votes.map(toContribution),
  };
}
