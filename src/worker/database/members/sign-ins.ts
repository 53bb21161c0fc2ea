/**
 * Rows of `sign_ins`, in the database of the directory: owners who were signed in by the platform's own server. A row is a link first,
 * then a session. Times are Unix milliseconds.
 */
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";

/** A link can be used for this long. */
export const LINK_MS = 60_000;
/** A link that asks for a code from an e-mail can be used for this long. */
export const CODE_MS = 900_000;
/** A session lasts this long after its link was used. */
export const SIGNED_IN_MS = 12 * 3_600_000;

/** `returnTo` is a path of Account Settings. */
export type SignIn = { readonly email: string; readonly returnTo: string };
type Row = { readonly email: string; readonly return_to: string };

const toSignIn = (row: Row | null): SignIn | null => row && { email: row.email, returnTo: row.return_to };

export const offerSignIn = (
  directory: Session,
  { id, signIn: { email, returnTo }, now }: { readonly id: string; readonly signIn: SignIn; readonly now: number },
) =>
  directory.run(
    prepare("INSERT INTO sign_ins (id, email, return_to, created_at) VALUES (:id, :email, :returnTo, :now)", {
      ...{ id, email, returnTo, now },
    }),
  );

/** At most this many codes are sent to an address in an hour: each belongs to a link that was not used. */
export const CODES_AN_HOUR = 5;

/** Offers a sign-in that asks for a code. False when the address has unused links enough. */
export async function offerCode(directory: Session, { id, signIn, now }: Parameters<typeof offerSignIn>[1]) {
  const offered = await directory.run(
    prepare(
      `INSERT INTO sign_ins (id, email, return_to, created_at) SELECT :id, :email, :returnTo, :now
       WHERE ${CODES_AN_HOUR} > (SELECT count(*) FROM (SELECT 1 FROM sign_ins
         WHERE email = :email AND opened_at IS NULL AND created_at > :now - 3600000 LIMIT ${CODES_AN_HOUR}))`,
      { id, ...signIn, now },
    ),
  );
  return offered > 0;
}

const IS_OFFERED = "id = :id AND opened_at IS NULL AND created_at > :now - :keptMs";

/** A link, and how long it can be used: `LINK_MS`, or `CODE_MS`. */
type OfferedLink = { readonly id: string; readonly now: number; readonly keptMs: number };

/** Null for a link that was used, or is too old. */
export const findOffered = async (directory: Session, link: OfferedLink): Promise<SignIn | null> =>
  toSignIn(await directory.first(prepare<Row>(`SELECT email, return_to FROM sign_ins WHERE ${IS_OFFERED}`, link)));

/** Uses the link: of several uses at the same moment, one gets the sign-in, and the others null. */
export const openSignIn = async (directory: Session, link: OfferedLink): Promise<SignIn | null> =>
  toSignIn(
    await directory.first(
      prepare<Row>(`UPDATE sign_ins SET opened_at = :now WHERE ${IS_OFFERED} RETURNING email, return_to`, link),
    ),
  );

/** The signed-in person, and the end of the session. Null for a session that was ended, or has lasted 12 hours. */
export const findSignedIn = (
  directory: Session,
  id: string,
  now: number,
): Promise<{ readonly email: string; readonly until: number } | null> =>
  directory.first(
    prepare<{ email: string; until: number }>(
      `SELECT email, opened_at + ${SIGNED_IN_MS} AS until FROM sign_ins WHERE id = :id AND opened_at > :now - ${SIGNED_IN_MS}`,
      { id, now },
    ),
  );

/** Ends every session, and every link that was not used, of these people. Returns how many. */
export const endSignInsOf = (directory: Session, emails: readonly string[]): Promise<number> =>
  directory.run(
    prepare(
      `UPDATE sign_ins SET opened_at = 0
       WHERE email IN (SELECT value FROM json_each(:emails)) AND opened_at IS NOT 0`,
      { emails: JSON.stringify(emails) },
    ),
  );

/** The row stays for a while: a restore from a backup has to know of it. */
export const endSignIn = (directory: Session, id: string) =>
  directory.run(prepare("UPDATE sign_ins SET opened_at = 0 WHERE id = :id", { id }));
