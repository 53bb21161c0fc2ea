/** The panelist for whom a tenant acts, as SQL expressions. */
import type { NamedPanelist } from "../model/acting-for.ts";

const FOUND = "SELECT id FROM panelists WHERE account_id = :accountId AND deleted_at IS NULL";

/** The expression when no panelist is named. */
export const NOBODY = "NULL";

/** The panelist's id; NULL when none is named, or the named one does not exist. */
export function namedPanelist({ panelistId, panelistExternalId }: NamedPanelist): string {
  if (panelistId !== undefined) return `(${FOUND} AND id = :panelistId)`;
  return panelistExternalId === undefined ? NOBODY : `(${FOUND} AND external_id = :panelistExternalId)`;
}

/** True when no panelist is named, or the named one exists. */
export const panelistExists = (named: NamedPanelist): string => {
  const panelist = namedPanelist(named);
  return panelist === NOBODY ? "1" : `${panelist} IS NOT NULL`;
};

/** The values for both expressions. */
export const namedValues = ({ panelistId, panelistExternalId }: NamedPanelist) => ({
  panelistId,
  panelistExternalId,
});
