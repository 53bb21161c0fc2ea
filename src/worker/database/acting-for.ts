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

/**
 * The panelists that the objects of the JSON array `:list` name, as a common table `named`: `key` is the place in the array, and
 * `panelist` is null where nobody is named, or nobody who exists.
 */
export const NAMED_LIST = `named AS MATERIALIZED (SELECT key, value,
  CASE WHEN value ->> 'panelistId' IS NOT NULL THEN (${FOUND} AND id = value ->> 'panelistId')
    WHEN value ->> 'panelistExternalId' IS NOT NULL THEN (${FOUND} AND external_id = value ->> 'panelistExternalId') END AS panelist,
  coalesce(value ->> 'panelistId', value ->> 'panelistExternalId') IS NULL AS is_nobody
  FROM json_each(:list))`;

/** The first of `named` who does not exist. */
export const FIRST_UNKNOWN = "SELECT key FROM named WHERE panelist IS NULL AND NOT is_nobody ORDER BY key LIMIT 1";
