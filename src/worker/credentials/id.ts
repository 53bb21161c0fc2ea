/**
 * Identifiers: 12 base62 digits. The first names the database that holds the row (database/choose-database.ts); the other eleven
 * are random (65 bits). They reveal nothing else and fit into a credential.
 *
 *     0 RRRRRRRRRRR
 */
import { digestToBase62, type RandomBytes, randomBase62 } from "./base62.ts";

export const ID_WIDTH = 12;

declare const identifier: unique symbol;
/** A text that was checked to be an identifier, or was made as one. */
export type Identifier = string & { readonly [identifier]: true };

/** The digit of the database that holds the row `id`. */
export const databaseDigit = (id: string): string => id.charAt(0);

/** A new identifier in the same database as `beside`, which is an identifier in it, or its digit. */
export const createId = (beside: string, random: RandomBytes): Identifier =>
  (databaseDigit(beside) + randomBase62(ID_WIDTH - 1, random)) as Identifier;

/**
 * The identifier of the panelist whom a tenant calls `externalId`. It follows from the two arguments alone, so no rotation of a
 * secret changes it.
 */
export async function deriveId(accountId: string, externalId: string): Promise<Identifier> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`panelist ${accountId} ${externalId}`));
  return (databaseDigit(accountId) + digestToBase62(digest, ID_WIDTH - 1)) as Identifier;
}
