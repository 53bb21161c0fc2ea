/**
 * An address makes one account. Its entry in the directory stays when the other members remove it, so that nobody makes account
 * after account. The operator allows another one.
 */
import { databaseDigit } from "../../credentials/id.ts";
import { DIRECTORY_DIGIT } from "../../store/bindings.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";

/** `accountId` is the account that the person has created. */
type AllowedAnother =
  | { readonly outcome: "never-created-one" }
  | { readonly outcome: "no-database"; readonly accountId: string }
  | { readonly outcome: "still-theirs"; readonly accountId: string }
  | { readonly outcome: "allowed"; readonly accountId: string; readonly memberOf: readonly string[] };

/**
 * Deletes the entry of a person who has left the account that this person had made, so that the next visit makes another one. The
 * directory's entry is deleted last, because it decides: an interrupted run has changed nothing, and is repeated. `open` gives the
 * database of an account.
 */
export async function allowAnotherAccount(
  directory: Session,
  open: (accountId: string) => Session | undefined,
  email: string,
): Promise<AllowedAnother> {
  const { entries, memberships } = await directory.batch({
    entries: prepare<{ accountId: string }>("SELECT account_id AS accountId FROM owners WHERE email = :email", {
      email,
    }),
    memberships: prepare<{ accountId: string }>(
      "SELECT account_id AS accountId FROM memberships WHERE email = :email ORDER BY account_id",
      { email },
    ),
  });
  const [entry] = entries;
  if (entry === undefined) return { outcome: "never-created-one" };
  const { accountId } = entry;
  const own = open(accountId);
  if (own === undefined) return { outcome: "no-database", accountId };
  const left = await own.first(
    prepare("SELECT id FROM accounts WHERE id = :accountId AND owner_email = id", { accountId }),
  );
  if (left === null) return { outcome: "still-theirs", accountId };
  const forget = prepare("DELETE FROM owners WHERE email = :email AND account_id = :accountId", { email, accountId });
  if (databaseDigit(accountId) !== DIRECTORY_DIGIT) await own.run(forget);
  await directory.run(forget);
  return { outcome: "allowed", accountId, memberOf: memberships.map((each) => each.accountId) };
}
