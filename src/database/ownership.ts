/** Whether what a path names is the tenant's: asked only when a request is refused for another reason, so that 403 comes first. */

/**
 * One round trip, or none when the path names nothing. `path` is an operation's, and says where each identifier lives:
 * `/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}` is a row of `idea_banks`, and one of `proposals` in it. A name
 * without a table is an SQL error, never an owned resource.
 */
export async function ownsPath(
  session: D1DatabaseSession,
  accountId: string,
  path: string,
  ids: Readonly<Record<string, string>>,
): Promise<boolean> {
  const names = [...path.matchAll(/\{(\w+)Id\}/g)].map(([, noun = ""]) => noun);
  if (names.length === 0) return true;
  const rows = names.map((noun, index) => {
    const inParent = index === 0 ? "" : ` AND ${toColumn(names[index - 1] ?? "")}_id = ?${index + 1}`;
    return `EXISTS (SELECT 1 FROM ${toColumn(noun)}s WHERE account_id = ?1 AND id = ?${index + 2}${inParent})`;
  });
  const row = await session
    .prepare(`SELECT 1 WHERE ${rows.join(" AND ")}`)
    .bind(accountId, ...names.map((noun) => ids[`${noun}Id`] ?? ""))
    .first();
  return row !== null;
}

const toColumn = (noun: string): string => noun.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
