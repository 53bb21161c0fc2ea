/**
 * Identifiers: 12 base62 digits. The first names the database that holds the row (database/choose-database.ts); the other eleven
 * are random (65 bits). They reveal nothing else and fit into a credential.
 *
 *     0 RRRRRRRRRRR
 */
import { digestToBase62, type RandomBytes, randomBase62 } from "./base62.ts";
import { computeHmac, importSigningKey } from "./envelope.ts";

export const ID_WIDTH = 12;

declare const identifier: unique symbol;
/** A text that was checked to be an identifier, or was made as one. */
export type Identifier = string & { readonly [identifier]: true };

/** The digit of the database that holds the row `id`. */
export const databaseDigit = (id: string): string => id.charAt(0);

/** A person with a tenant's `externalId`. */
export type Person = { readonly accountId: string; readonly externalId: string };

/** A new identifier in the same database as `beside`, which is an identifier in it, or its digit. */
export const createId = (beside: string, random: RandomBytes): Identifier =>
  (databaseDigit(beside) + randomBase62(ID_WIDTH - 1, random)) as Identifier;

/**
 * The identifier of the panelist with a tenant's `externalId`. `salt` is that of the account: it never changes, so the identifier
 * does not, and nobody who does not know it can find out whose an identifier is. Null in an account that 1.0.0 made.
 */
export async function deriveId({ accountId, externalId }: Person, salt: string | null): Promise<Identifier> {
  const text = `panelist ${accountId} ${externalId}`;
  const digest =
    salt === null
      ? await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
      : await computeHmac(await importSigningKey(salt), text);
  return (databaseDigit(accountId) + digestToBase62(digest, ID_WIDTH - 1)) as Identifier;
}

/** The identifier of the one event of its kind that `id` has on a day of UTC, in the same database. `now` is in Unix milliseconds. */
export async function dailyEventId(id: string, kind: string, now: number): Promise<Identifier> {
  const day = Math.floor(now / 86_400_000);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${kind} ${id} ${day}`));
  return (databaseDigit(id) + digestToBase62(digest, ID_WIDTH - 1)) as Identifier;
}
