/** The panelist for whom a tenant acts, as expressions of SQL. */
import type { NamedPanelist } from "../model/acting-for.ts";

const FOUND = "SELECT id FROM panelists WHERE account_id = :accountId AND deleted_at IS NULL";

/** What the expression is when no panelist is named. */
export const NOBODY = "NULL";

/** The panelist's id; NULL when none is named, or when there is none. */
export function namedPanelist({ panelistId, panelistExternalId }: NamedPanelist): string {
  if (panelistId !== undefined) return `(${FOUND} AND id = :panelistId)`;
  return panelistExternalId === undefined ? NOBODY : `(${FOUND} AND external_id = :panelistExternalId)`;
}

/** The condition that there is the panelist, if one is named. */
export const panelistExists = (named: NamedPanelist): string => {
  const panelist = namedPanelist(named);
  return panelist === NOBODY ? "1" : `${panelist} IS NOT NULL`;
};

/** The values of both. */
export const namedValues = ({ panelistId, panelistExternalId }: NamedPanelist) => ({
  panelistId,
  panelistExternalId,
});
