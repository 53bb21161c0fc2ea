/**
 * Who has an idea, and its private tags: for the team alone. Neither is a change that webhooks, panelists or the log of changes learn of, and
 * none moves a time. A member who has left has no ideas: what was theirs is unassigned, without a write.
 */
import type { PrivateTagCount } from "../../model/private-tag.ts";
import type { Session } from "../../store/session.ts";
import { prepare, type Statement } from "../../store/statement.ts";
import { tellMembers } from "../mails/member-outbox.ts";
import { membersOf } from "../members/membership.ts";
import { OWN_PROPOSAL, type ProposalPath } from "./proposals.ts";

/** `assignee`: the member's id, also of one who has left. */
type TeamFields = { readonly assignee: string | null; readonly privateTags: readonly string[] };

type TeamRow = { assignee: string | null; private_tags: string | null };

const toTags = (json: string | null): readonly string[] => JSON.parse(json ?? "[]");

/** No private tags are NULL. */
const toColumn = (tags: readonly string[]): string | null => (tags.length === 0 ? null : JSON.stringify(tags));

export async function loadTeamFields(
  session: Session,
  { accountId, path }: { readonly accountId: string; readonly path: ProposalPath },
): Promise<TeamFields | null> {
  const row = await session.first(
    prepare<TeamRow>(`SELECT assignee, private_tags FROM proposals WHERE ${OWN_PROPOSAL}`, { accountId, ...path }),
  );
  return row && { assignee: row.assignee, privateTags: toTags(row.private_tags) };
}

/** The private tags of the account, the most used first. At most 200. */
export const listPrivateTags = (session: Session, accountId: string): Promise<readonly PrivateTagCount[]> =>
  session.all(
    prepare<PrivateTagCount>(
      "SELECT tag, proposals FROM account_private_tags WHERE account_id = :accountId ORDER BY proposals DESC, tag",
      { accountId },
    ),
  );

/** SQL: the condition that `p` has the private tag `:privateTag`. */
export const HAS_PRIVATE_TAG =
  "EXISTS (SELECT 1 FROM json_each(p.private_tags) WHERE value = :privateTag COLLATE NOCASE)";

/** SQL: the condition that no member has `p`. */
export const IS_UNASSIGNED = `(p.assignee IS NULL OR p.assignee NOT IN (SELECT id FROM (${membersOf()})))`;

/** `assignee`: a member's id; null for nobody. `was`: who must have it still; undefined for whoever has. */
export type Assignment = ProposalPath & {
  readonly assignee: string | null;
  readonly was?: string | null | undefined;
};

/** The ideas of `:assignments` that can be given to somebody: of the account, and not merged. */
const CHOSEN = `SELECT p.id, p.idea_bank_id, p.assignee AS had, e.value ->> 'assignee' AS given, e.value -> 'was' IS NULL OR p.assignee IS e.value ->> 'was' AS stays
  FROM json_each(:assignments) e CROSS JOIN proposals p ON p.id = e.value ->> 'proposalId'
  WHERE p.account_id = :accountId AND p.idea_bank_id = e.value ->> 'ideaBankId' AND p.duplicate_of IS NULL
    AND EXISTS (SELECT 1 FROM idea_banks b WHERE b.id = p.idea_bank_id)`;

const ARE_ASSIGNABLE = `NOT EXISTS (SELECT 1 FROM json_each(:assignments) WHERE value ->> 'assignee' NOT IN (SELECT id FROM (${membersOf()})))`;

/** `person`: the address of the member who decides. */
type Assignments = {
  readonly accountId: string;
  readonly assignments: readonly Assignment[];
  readonly person: string;
  readonly now: number;
};

/** An idea, with the member's id that had it before, or null. */
type Reassigned = { readonly id: string; readonly ideaBankId: string; readonly had: string | null };

/** `changed`: those that somebody else has now. `taken`: those that somebody else had than the one who must have them. */
type Assigned = Readonly<Record<"changed" | "taken", readonly Reassigned[]>>;

/** Gives ideas to members, who are told by e-mail. `no-member`: one has left. Null when none of the ideas is there. */
export async function assignIdeas(
  session: Session,
  { assignments, ...who }: Assignments,
): Promise<Assigned | "no-member" | null> {
  const values = { ...who, assignments: JSON.stringify(assignments) };
  const { found, assignable } = await session.batch({
    found: prepare<{ id: string; idea_bank_id: string; had: string | null; given: string | null; stays: number }>(
      CHOSEN,
      values,
    ),
    assignable: prepare(`SELECT 1 WHERE ${ARE_ASSIGNABLE}`, values),
    told: tellMembers(
      "assigned",
      `SELECT given AS member_id, id AS subject_id FROM (${CHOSEN}) WHERE stays AND given IS NOT had AND ${ARE_ASSIGNABLE}`,
      values,
    ),
    assigned: prepare(
      `UPDATE proposals SET assignee = c.given FROM (SELECT id AS chosen_id, had, given, stays FROM (${CHOSEN})) c
       WHERE id = c.chosen_id AND c.stays AND c.given IS NOT c.had AND ${ARE_ASSIGNABLE}`,
      values,
    ),
  });
  if (found.length === 0) return null;
  if (assignable.length === 0) return "no-member";
  const differing = found.filter(({ had, given }) => had !== given);
  const of = (stays: number) =>
    differing
      .filter((row) => row.stays === stays)
      .map(({ id, idea_bank_id: ideaBankId, had }) => ({ id, ideaBankId, had }));
  return { changed: of(1), taken: of(0) };
}

/** A count stops here, and so many ideas change hands at once. */
export const HANDED_OVER_AT_MOST = 1_000;

const OF_MEMBER = `SELECT id FROM proposals WHERE assignee = :id AND account_id = :accountId AND duplicate_of IS NULL
  AND idea_bank_id <> id ORDER BY created_at DESC, id DESC LIMIT ${HANDED_OVER_AT_MOST}`;

/** How many ideas a member has, counted up to 1,000. */
export async function countAssigned(session: Session, accountId: string, id: string): Promise<number> {
  const row = await session.first(
    prepare<{ ideas: number }>(`SELECT count(*) AS ideas FROM (${OF_MEMBER})`, { accountId, id }),
  );
  return row?.ideas ?? 0;
}

/**
 * The statements that give a member's ideas to another one, the newest 1,000, in the transaction that removes the member: `condition`, with
 * `values`, says whether it did. The new one is told.
 */
export function handOver(
  takenBy: string,
  {
    values,
    condition,
  }: {
    readonly condition: string;
    readonly values: Readonly<Record<string, string | number | null>> & {
      readonly accountId: string;
      readonly id: string;
      readonly person: string;
      readonly now: number;
    };
  },
): Readonly<Record<"toldOfIdeas" | "handedOver", Statement>> {
  const all = { ...values, takenBy };
  const mayTake = `${condition} AND :takenBy IN (SELECT id FROM (${membersOf()}))`;
  return {
    toldOfIdeas: tellMembers(
      "assigned",
      `SELECT :takenBy AS member_id, id AS subject_id FROM (${OF_MEMBER}) WHERE ${mayTake}`,
      all,
    ),
    handedOver: prepare(`UPDATE proposals SET assignee = :takenBy WHERE id IN (${OF_MEMBER}) AND ${mayTake}`, all),
  };
}

/** An idea with the private tags that it had, and those that it gets. */
export type Retagging = {
  readonly path: ProposalPath;
  readonly was: readonly string[];
  readonly tags: readonly string[];
};

/** Sets private tags where they are still as they were. Returns the ideas that have changed. */
export const setPrivateTags = (
  session: Session,
  accountId: string,
  retagged: readonly Retagging[],
): Promise<readonly { readonly id: string }[]> =>
  session.all(
    prepare<{ id: string }>(
      `UPDATE proposals SET private_tags = c.given FROM (
         SELECT p.id AS changed_id, e.value ->> 'tags' AS given FROM json_each(:retagged) e CROSS JOIN proposals p ON p.id = e.value ->> 'proposalId'
         WHERE p.account_id = :accountId AND p.idea_bank_id = e.value ->> 'ideaBankId' AND p.duplicate_of IS NULL
           AND p.private_tags IS e.value ->> 'was' AND EXISTS (SELECT 1 FROM idea_banks b WHERE b.id = p.idea_bank_id)) c
       WHERE id = c.changed_id RETURNING id`,
      {
        accountId,
        retagged: JSON.stringify(
          retagged.map(({ path, was, tags }) => ({ ...path, was: toColumn(was), tags: toColumn(tags) })),
        ),
      },
    ),
  );
