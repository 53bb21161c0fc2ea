/**
 * Rows of `subjects`, in the database of the directory: the platform's own identifier of a person, which stays when the e-mail address
 * changes, and the address that the person had last.
 *
 * While the accounts of a subject are moved to a new address, a second row reserves that address: `reserved for <subject>`, which no
 * subject can be called, because it has spaces. So of several subjects that come with one address, one gets it, and an interrupted move
 * is completed.
 */
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";

export type SubjectOfAddress = { readonly subject: string; readonly email: string };

const reservationOf = (subject: string): string => `reserved for ${subject}`;
const valuesOf = ({ subject, email }: SubjectOfAddress) => ({ subject, email, reservation: reservationOf(subject) });

/** SQL: the address has accounts, as the directory knows them. */
const HAS_ACCOUNTS =
  "EXISTS (SELECT 1 FROM owners WHERE email = :email UNION ALL SELECT 1 FROM memberships WHERE email = :email)";
/** SQL: the address is somebody's: it has accounts, or was invited to one. */
const IS_SOMEBODYS = `(${HAS_ACCOUNTS} OR EXISTS (SELECT 1 FROM invited WHERE email = :email))`;
const IS_ANOTHERS = "email = :email AND subject NOT IN (:subject, :reservation)";

/**
 * `known` is the address of the subject, `reserved` the one to which its accounts are being moved, and `other` a further subject that has
 * the address. `hasAccounts` and `isSomebodys` are about the address itself.
 */
export async function loadSubject(directory: Session, person: SubjectOfAddress) {
  const { rows, address } = await directory.batch({
    rows: prepare<SubjectOfAddress>(
      `SELECT subject, email FROM subjects WHERE subject IN (:subject, :reservation)
       UNION SELECT subject, email FROM subjects WHERE email = :email`,
      valuesOf(person),
    ),
    address: prepare<{ has_accounts: number; is_somebodys: number }>(
      `SELECT ${HAS_ACCOUNTS} AS has_accounts, ${IS_SOMEBODYS} AS is_somebodys`,
      { email: person.email },
    ),
  });
  const { subject, reservation } = valuesOf(person);
  const emailOf = (name: string) => rows.find((row) => row.subject === name)?.email;
  return {
    known: emailOf(subject),
    reserved: emailOf(reservation),
    other: rows.find((row) => row.subject !== subject && row.subject !== reservation)?.subject,
    hasAccounts: address[0]?.has_accounts === 1,
    isSomebodys: address[0]?.is_somebodys === 1,
  };
}

/**
 * Takes the address from another subject whose person is a member of no account, and invited to none; with `isForced` from any. False when
 * that subject keeps it.
 */
export async function freeAddress(
  directory: Session,
  person: SubjectOfAddress,
  { isForced }: { readonly isForced: boolean },
): Promise<boolean> {
  const values = valuesOf(person);
  const { left } = await directory.batch({
    freed: prepare(`DELETE FROM subjects WHERE ${IS_ANOTHERS} AND (:isForced OR NOT ${IS_SOMEBODYS})`, {
      ...values,
      isForced,
    }),
    left: prepare(`SELECT 1 FROM subjects WHERE ${IS_ANOTHERS}`, values),
  });
  return left.length === 0;
}

/** `isSure`: the address may have accounts, because its person or the operator has said that it is this subject's. */
export type NewAddress = SubjectOfAddress & { readonly isSure: boolean };

/**
 * The statement that reserves the address, and the condition of what belongs to it in the same transaction, with the parameters of both.
 */
export const reserveAddress = ({ isSure, ...person }: NewAddress) => ({
  reserved: prepare(
    `INSERT INTO subjects (subject, email) SELECT :reservation, :email
     WHERE NOT EXISTS (SELECT 1 FROM subjects WHERE email = :email) AND (:isSure OR NOT ${IS_SOMEBODYS}) ON CONFLICT DO NOTHING`,
    { ...valuesOf(person), isSure },
  ),
  condition: "EXISTS (SELECT 1 FROM subjects WHERE subject = :reservation AND email = :reservedEmail)",
  values: { reservation: reservationOf(person.subject), reservedEmail: person.email },
});

/** Gives the subject this address, or what was reserved for it. False when it became another's in the meantime. */
export async function setSubject(directory: Session, { isSure, ...person }: NewAddress): Promise<boolean> {
  const values = { ...valuesOf(person), isSure };
  const isReserved = "EXISTS (SELECT 1 FROM subjects WHERE subject = :reservation AND email = :email)";
  const { set } = await directory.batch({
    left: prepare(`DELETE FROM subjects WHERE subject = :subject AND ${isReserved}`, values),
    taken: prepare("UPDATE subjects SET subject = :subject WHERE subject = :reservation AND email = :email", values),
    set: prepare(
      `INSERT INTO subjects (subject, email) SELECT :subject, :email
       WHERE NOT EXISTS (SELECT 1 FROM subjects WHERE ${IS_ANOTHERS})
         AND (:isSure OR NOT ${HAS_ACCOUNTS} OR EXISTS (SELECT 1 FROM subjects WHERE subject = :subject AND email = :email))
       ON CONFLICT (subject) DO UPDATE SET email = excluded.email RETURNING subject`,
      values,
    ),
  });
  return set.length > 0;
}
