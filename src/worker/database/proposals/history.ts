/** The history of a proposal: rows of `proposal_steps`, which triggers write with each change. */
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { membersOf } from "../members/membership.ts";
import { authorStays, WITHOUT_WORDS } from "./deletions.ts";

/** The newest steps that are kept, as in the trigger `step_added`. */
export const STEPS_KEPT = 200;

/** Who made a step. A person, a key and a member may be gone: then there is no name. `service`: it followed from something else. */
export type StepMaker =
  | { readonly kind: "member"; readonly email: string; readonly name: string | null }
  | { readonly kind: "key"; readonly id: string; readonly name: string | null }
  | { readonly kind: "author"; readonly id: string | null; readonly name: string | null }
  | { readonly kind: "service" };

/** What a field was and became. Empty where its words went with the person who wrote them. */
type Sides = readonly [before: unknown, after: unknown] | readonly [];

export type Step = {
  /** 1, 2, 3, … in each proposal. */
  readonly number: number;
  readonly at: string;
  readonly by: StepMaker;
  readonly changes: Readonly<Record<string, Sides>>;
  /** Long texts are only how they begin. */
  readonly isCut: boolean;
  /** The proposal that this one was merged into, or that was merged into this one. */
  readonly other: { readonly id: string; readonly title: string } | undefined;
  /** Who got the proposal, by name or address. Null for nobody, and for a member who has left. */
  readonly assignee: string | null;
};

type StepRow = {
  number: number;
  made_at: number;
  changes: string;
  member_email: string | null;
  member_name: string | null;
  actor: string | null;
  api_key_id: string | null;
  api_key_name: string | null;
  by_author: number;
  author_id: string | null;
  author_name: string | null;
  is_cut: number;
  other_id: string | null;
  other_title: string | null;
  assignee: string | null;
};

/** From the moment in which an author is deleted, nobody reads the words that are not erased yet. */
const STEPS = `SELECT s.number, s.made_at, s.actor, m.email AS member_email, m.name AS member_name, s.api_key_id, k.name AS api_key_name, s.by_author, s.cut_bytes <> 0 AS is_cut,
    p.id AS author_id, coalesce(p.display_name, p.external_id) AS author_name,
    iif(s.author_id IS NOT NULL AND p.id IS NULL, ${WITHOUT_WORDS}, s.changes) AS changes, t.id AS other_id, t.title AS other_title, coalesce(g.name, g.email) AS assignee
  FROM proposal_steps s
    LEFT JOIN (${membersOf()}) m ON m.id = s.member_id
    LEFT JOIN (${membersOf()}) g ON g.id = s.changes ->> '$.assignee[1]'
    LEFT JOIN api_keys k ON k.id = s.api_key_id AND k.account_id = :accountId
    LEFT JOIN panelists p ON p.id = s.author_id AND p.account_id = :accountId AND p.deleted_at IS NULL
    LEFT JOIN proposals t ON t.id = coalesce(s.changes ->> '$.duplicateOf[1]', s.changes ->> '$.merged[1]') AND t.account_id = :accountId
      AND t.idea_bank_id <> t.id AND ${authorStays("t.author_id")}
  WHERE s.proposal_id = :proposalId AND s.account_id = :accountId`;

type Whose = { readonly accountId: string; readonly proposalId: string };

/** The newest first. */
export async function listSteps(
  session: Session,
  { most, ...whose }: Whose & { readonly most: number },
): Promise<readonly Step[]> {
  const rows = await session.all(prepare<StepRow>(`${STEPS} ORDER BY s.number DESC LIMIT :most`, { ...whose, most }));
  return rows.map(toStep);
}

export async function loadStep(session: Session, whose: Whose & { readonly number: number }): Promise<Step | null> {
  const row = await session.first(prepare<StepRow>(`${STEPS} AND s.number = :number`, whose));
  return row && toStep(row);
}

const toStep = (row: StepRow): Step => ({
  ...{ number: row.number, at: toTimestamp(row.made_at), by: toMaker(row), changes: JSON.parse(row.changes) },
  ...{ isCut: row.is_cut === 1, assignee: row.assignee },
  other: row.other_id === null ? undefined : { id: row.other_id, title: row.other_title ?? "" },
});

function toMaker(row: StepRow): StepMaker {
  const { actor, member_email, api_key_id: id } = row;
  if (row.by_author === 1) return { kind: "author", id: row.author_id, name: row.author_name };
  if (id !== null) return { kind: "key", id, name: row.api_key_name };
  // A service token acts for a member, and says so itself.
  if (actor !== null)
    return actor.includes("@")
      ? { kind: "member", email: member_email ?? actor, name: row.member_name }
      : { kind: "member", email: actor, name: null };
  return { kind: "service" };
}
