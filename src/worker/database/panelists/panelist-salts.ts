/** The salt with which an account's panelist identifiers are derived. It is made with the account and never changes. */
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";

/** Null in an account that 1.0.0 made. */
export type PanelistSalt = string | null;

/** Undefined when there is no such account. */
export async function loadPanelistSalt(session: Session, accountId: string): Promise<PanelistSalt | undefined> {
  const row = await session.first(
    prepare<{ salt: PanelistSalt }>("SELECT panelist_salt AS salt FROM accounts WHERE id = :accountId", { accountId }),
  );
  return row?.salt;
}
