/** The tags of an idea bank, and the lists by tag. Triggers keep `proposal_tags` and `idea_bank_tags`. */
import { PROPOSAL_STATUSES, type ProposalStatus, VISIBILITIES, type Visibility } from "../../model/proposal.ts";
import type { TagCount } from "../../model/tag.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import {
  type PanelistAccess,
  selectAccess,
  type TokenClaims,
  toAccess,
  tokenValues,
} from "../panelists/panelist-access.ts";
import { mergeSelects } from "./merge-statuses.ts";

/** The condition that a proposal has `:tag`. */
export const hasTag = (proposal: string): string =>
  `EXISTS (SELECT 1 FROM json_each(${proposal}.tags) WHERE value = :tag COLLATE NOCASE)`;

type Shown = { readonly status?: readonly ProposalStatus[] | undefined; readonly visibility?: Visibility | undefined };

/**
 * The proposals with `:tag` after a position, as `id, sort_key, bytes`, to be ordered by creation; a page reads only the rows
 * that it shows. `bytes` is the expression for a row's size; `condition` is about `p`.
 */
export const selectTagged = ({ status, visibility }: Shown, bytes: string, condition: string): string =>
  mergeSelects(
    (visibility === undefined ? VISIBILITIES : [visibility]).flatMap((shown) =>
      (status ?? PROPOSAL_STATUSES).map(
        (each) => `SELECT p.id AS id, t.created_at AS sort_key, ${bytes} AS bytes
          FROM proposal_tags t CROSS JOIN proposals p ON p.id = t.proposal_id
          WHERE t.idea_bank_id = :ideaBankId AND t.tag = :tag AND t.visibility = '${shown}' AND t.status = '${each}'
            AND (t.created_at, t.proposal_id) < (:afterKey, :afterId) AND ${condition}`,
      ),
    ),
  );

/** The latest public proposals with `:tag`, as `id`, at most `atMost`: for orders without an index. */
export const latestTagged = (status: ProposalStatus | undefined, atMost: number): string => {
  const latest = mergeSelects(
    (status === undefined ? PROPOSAL_STATUSES : [status]).map(
      (each) => `SELECT proposal_id AS id, created_at AS sort_key, 0 AS bytes FROM proposal_tags
        WHERE idea_bank_id = :ideaBankId AND tag = :tag AND visibility = 'public' AND status = '${each}'`,
    ),
  );
  return `SELECT id FROM (${latest} ORDER BY sort_key DESC, id DESC LIMIT ${atMost})`;
};

/** A list over several idea banks is made of this many rows. */
const LOOKED_AT = 1_000;

/** The tags of the account's idea banks, with their numbers of proposals, the most used first. At most 200. */
export const listOwnTags = (
  session: Session,
  accountId: string,
  ideaBankIds: readonly string[],
): Promise<readonly TagCount[]> =>
  session.all(
    prepare<TagCount>(
      `SELECT tag, sum(proposals) AS proposals FROM (SELECT tag, proposals FROM idea_bank_tags
         WHERE idea_bank_id IN (SELECT id FROM idea_banks WHERE id IN (SELECT value FROM json_each(:ideaBankIds)) AND +account_id = :accountId)
         LIMIT ${LOOKED_AT})
       GROUP BY tag ORDER BY 2 DESC, tag LIMIT 200`,
      { accountId, ideaBankIds: JSON.stringify(ideaBankIds) },
    ),
  );

/** The tags of public proposals, the most used first. One round trip. */
export async function listTags(
  session: Session,
  token: TokenClaims,
): Promise<{ access: PanelistAccess; tags: readonly TagCount[] }> {
  const { access, tags } = await session.batch({
    access: selectAccess(token),
    tags: prepare<TagCount>(
      `SELECT tag, public_proposals AS proposals FROM idea_bank_tags WHERE idea_bank_id = :ideaBankId AND public_proposals > 0
       ORDER BY public_proposals DESC, tag`,
      tokenValues(token),
    ),
  });
  return { access: toAccess(access), tags };
}
