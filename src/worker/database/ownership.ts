/**
 * Tells whether a path's resource is the tenant's. It is queried only when a request is refused for another reason, because 403
 * comes first.
 */
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";
import { proposalStays } from "./proposals/merges.ts";

/** A deleted resource does not exist, even while its row remains. */
const STAYS: Readonly<Record<string, string>> = {
  panelist: "deleted_at IS NULL",
  proposal: proposalStays("proposals"),
};

/**
 * One round trip, or none when the path has no identifier. `path` is an operation's, and gives the table of each identifier:
 * `/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}` is a row of `idea_banks`, and one of `proposals` in it. A panelist
 * only belongs to the account; `{externalId}` names no row. Any other name without a table causes an SQL error, never an owned
 * resource.
 */
export async function ownsPath(
  session: Session,
  {
    accountId,
    path,
    ids,
  }: { readonly accountId: string; readonly path: string; readonly ids: Readonly<Record<string, string>> },
): Promise<boolean> {
  const names = [...path.matchAll(/\{(\w+)Id\}/g)].map(([, noun = ""]) => noun).filter((noun) => noun !== "external");
  if (names.length === 0) return true;
  const conditions = names.map((noun, index) => {
    const parent = names[index - 1];
    const inParent = parent === undefined || noun === "panelist" ? "" : ` AND ${toColumn(parent)}_id = :${parent}Id`;
    return `EXISTS (SELECT 1 FROM ${toColumn(noun)}s WHERE account_id = :accountId AND id = :${noun}Id${inParent} AND ${STAYS[noun] ?? "TRUE"})`;
  });
  const values = Object.fromEntries(names.map((noun) => [`${noun}Id`, ids[`${noun}Id`] ?? ""]));
  const row = await session.first(prepare(`SELECT 1 WHERE ${conditions.join(" AND ")}`, { ...values, accountId }));
  return row !== null;
}

const toColumn = (noun: string): string => noun.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
