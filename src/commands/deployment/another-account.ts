/**
 * An address makes one account. Its entry in the directory stays when the other members remove it, so that nobody makes account
 * after account.
 */
import { Failure } from "../command-line/failure.ts";
import { DIRECTORY, type EveryDatabase } from "./every-database.ts";
import { bindingOf, quote } from "./sql.ts";

/**
 * Deletes the entry of a person who has left the account that this person had made, so that the next visit makes another one. The
 * directory's entry is deleted last, because it decides: an interrupted run has changed nothing, and is repeated. Returns the
 * text to print.
 */
export async function allowAnother({ bindings, query }: EveryDatabase, email: string): Promise<readonly string[]> {
  const whose = `email = ${quote(email)}`;
  const [entry] = await query(DIRECTORY, `SELECT account_id FROM owners WHERE ${whose}`);
  if (entry === undefined) throw new Failure(`${email} has never created an account. Nothing was changed.`);
  const id = String(entry.account_id);
  const own = bindingOf(id);
  if (!bindings.includes(own))
    throw new Failure(
      `${email} created the account ${id}, and wrangler.toml has no database ${own}. Nothing was changed.`,
    );
  const [left] = await query(own, `SELECT id FROM accounts WHERE id = ${quote(id)} AND owner_email = id`);
  if (left === undefined)
    throw new Failure(`${email} still has the account ${id}, so they get no other one. Nothing was changed.`);
  const members = await query(DIRECTORY, `SELECT account_id FROM memberships WHERE ${whose} ORDER BY account_id`);
  for (const binding of new Set([own, DIRECTORY])) await query(binding, `DELETE FROM owners WHERE ${whose}`);
  return [
    `The next sign-in of ${email} creates a new account. Their first one, ${id}, stays with its members.`,
    ...(members.length === 0
      ? []
      : [
          `While ${email} is a member of ${members.map(({ account_id }) => account_id).join(", ")}, a sign-in leads there instead.`,
        ]),
  ];
}
