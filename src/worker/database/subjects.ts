/**
 * Rows of `subjects`, in the database of the directory: the platform's own identifier of a person, which stays when the e-mail address
 * changes, and the address that the person had last.
 */
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";

export type SubjectOfAddress = { readonly subject: string; readonly email: string };

/** The address of the subject, and the other subject that has the address. */
export async function loadSubject(directory: Session, { subject, email }: SubjectOfAddress) {
  const rows = await directory.all(
    prepare<SubjectOfAddress>(
      "SELECT subject, email FROM subjects WHERE subject = :subject UNION ALL SELECT subject, email FROM subjects WHERE email = :email AND subject <> :subject",
      { subject, email },
    ),
  );
  return {
    known: rows.find((row) => row.subject === subject)?.email,
    other: rows.find((row) => row.subject !== subject)?.subject,
  };
}

/** Takes the address from another subject whose person is a member of no account. False when that subject keeps it. */
export async function freeAddress(directory: Session, { subject, email }: SubjectOfAddress): Promise<boolean> {
  const isAnothers = "email = :email AND subject <> :subject";
  const { left } = await directory.batch({
    freed: prepare(
      `DELETE FROM subjects WHERE ${isAnothers}
         AND NOT EXISTS (SELECT 1 FROM owners WHERE email = :email UNION ALL SELECT 1 FROM memberships WHERE email = :email)`,
      { subject, email },
    ),
    left: prepare(`SELECT 1 FROM subjects WHERE ${isAnothers}`, { subject, email }),
  });
  return left.length === 0;
}

/** Gives the subject this address. False when another subject got it in the meantime. */
export async function setSubject(directory: Session, { subject, email }: SubjectOfAddress): Promise<boolean> {
  const set = await directory.first(
    prepare(
      `INSERT INTO subjects (subject, email) SELECT :subject, :email
       WHERE NOT EXISTS (SELECT 1 FROM subjects WHERE email = :email AND subject <> :subject)
       ON CONFLICT (subject) DO UPDATE SET email = excluded.email RETURNING subject`,
      { subject, email },
    ),
  );
  return set !== null;
}
