/** All entries of a changelog, in pages: one round trip, with the access check. */
import type { ChangelogEntry } from "../../model/changelog.ts";
import type { Page, PageRequest } from "../../model/pagination.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { FIT, FITTING_ROWS, fitOf, ITEM_BYTES, pageValues, toPage } from "../pagination.ts";
import {
  type PanelistAccess,
  selectAccess,
  type TokenClaims,
  toAccess,
  tokenValues,
} from "../panelists/panelist-access.ts";
import { authorStays } from "../proposals/deletions.ts";

type Row = {
  id: string;
  title: string;
  description: string;
  last_activity_at: number;
  fit: number;
  stays: number;
};
type Entry = Omit<ChangelogEntry, "publishedAt">;

/** The order of the changelog itself, by the same index: a page reads its own rows, however many there are. */
const ORDER = "ORDER BY last_activity_at DESC, id DESC";
const PAGE = `SELECT id, last_activity_at, octet_length(title) + octet_length(description) + ${ITEM_BYTES} AS bytes FROM proposals
  WHERE idea_bank_id = :ideaBankId AND status = 'implemented' AND listed = 1 AND (last_activity_at, id) < (:afterKey, :afterId)
  ${ORDER} LIMIT :rows`;
const LISTED = `WITH page AS MATERIALIZED (${PAGE}), ${fitOf("SELECT bytes FROM page")}
  SELECT p.id, p.title, p.description, p.last_activity_at, ${FIT}, ${authorStays("p.author_id")} AS stays
  FROM (SELECT id FROM page ${ORDER} LIMIT ${FITTING_ROWS}) page CROSS JOIN proposals p ON p.id = page.id
  ORDER BY p.last_activity_at DESC, p.id DESC`;

const toEntry = ({ id, title, description, last_activity_at }: Row): Entry => ({
  ...{ id, title, description },
  lastActivityAt: last_activity_at,
});

/** Newest first by last activity, ties by id. Whether the token may read them is for the caller to decide. */
export async function listEntries(
  session: Session,
  { token, request }: { readonly token: TokenClaims; readonly request: PageRequest },
): Promise<{ readonly access: PanelistAccess; readonly page: Page<Entry> }> {
  const { access, listed } = await session.batch({
    access: selectAccess(token),
    listed: prepare<Row>(LISTED, { ...tokenValues(token), ...pageValues(request) }),
  });
  return {
    access: toAccess(access),
    page: toPage(listed, { request, toItem: toEntry, keyOf: ({ last_activity_at }) => last_activity_at }),
  };
}
