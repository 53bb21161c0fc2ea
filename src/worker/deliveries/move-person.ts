/**
 * A person whose e-mail address changes keeps the accounts, and the sessions of the old address end: by the operator's word, or when the
 * platform sends its own identifier of the person, the subject, with another address.
 *
 * A subject proves nothing about an address that already is somebody's. It gets such an address when the person who reads its e-mail has
 * said so, or the operator. A subject that has no address yet gets one that was only invited: a colleague's first sign-in is that.
 */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId, type Identifier } from "../credentials/id.ts";
import { stamp } from "../database/activity/audit-events.ts";
import { announceMove, completeMove, loadMovable, type Move, moveMember } from "../database/members/moved-members.ts";
import { endSignInsOf } from "../database/members/sign-ins.ts";
import {
  freeAddress,
  loadSubject,
  type NewAddress,
  type SubjectOfAddress,
  setSubject,
} from "../database/members/subjects.ts";
import type { Caller, Databases } from "../store/databases.ts";
import { withDeliveries } from "./after-answer.ts";
import type { Send } from "./send.ts";

type MoveCaller = Caller & { readonly env: { readonly OWN_ZONES?: string } };
type MoveMemory = { readonly databases: Databases; readonly send: Send };

/** This deployment does not have the database of the account. */
export class UnknownDatabase extends Error {
  readonly accountId: Identifier;

  constructor(accountId: Identifier) {
    super(`no database of the account ${accountId}`);
    this.accountId = accountId;
  }
}

/**
 * Returns the accounts that the new address is a member of afterwards. Repeating completes a move that was interrupted. With
 * `newAddress`, null when the address became somebody's in the meantime. Throws UnknownDatabase.
 */
export async function movePerson(
  c: MoveCaller,
  memory: MoveMemory,
  { newAddress, ...move }: Move & { readonly newAddress?: NewAddress },
): Promise<readonly Identifier[] | null> {
  const directory = memory.databases.directory(c).withoutSession();
  const movable = await loadMovable(directory, move);
  const { accountIds, madeByNew } = movable;
  if (accountIds.length === 0) return [];
  if (!(await announceMove(directory, move, { ...movable, newAddress }))) return null;
  const moved: Identifier[] = [];
  for (const accountId of accountIds) {
    const ownsAnother = madeByNew !== undefined && madeByNew !== accountId;
    if (await moveIn(c, memory, { accountId, move, ownsAnother })) moved.push(accountId);
  }
  await completeMove(directory, move, movable);
  await endSignInsOf(directory, [move.from]);
  return moved;
}

function moveIn(
  c: MoveCaller,
  { databases, send }: MoveMemory,
  {
    accountId,
    move,
    ownsAnother,
  }: { readonly accountId: Identifier; readonly move: Move; readonly ownsAnother: boolean },
): Promise<boolean> {
  const session = databases.of(c, accountId)?.withoutSession();
  if (session === undefined) throw new UnknownDatabase(accountId);
  const memberId = createId(accountId, secureRandomBytes);
  return withDeliveries(c, { session, account: { accountId }, send }, (watched) =>
    moveMember(watched, { accountId, move, memberId, ownsAnother, stamp: stamp(accountId) }),
  );
}

/** Who says that the address is the subject's: the platform, which believes its customer; the reader of its e-mail; the operator. */
type By = "platform" | "address" | "operator";

/**
 * The address of a subject. With a new address, the subject's person keeps the accounts. `"unconfirmed"`: the address is somebody's, and
 * nothing but the platform says that it is this subject's. `"another's"`: another subject has it, or it became somebody's in this moment.
 * Then nothing has changed. Throws UnknownDatabase.
 */
export async function bindSubject(
  c: MoveCaller,
  memory: MoveMemory,
  person: SubjectOfAddress & { readonly by: By },
): Promise<"bound" | "unconfirmed" | "another's"> {
  const directory = memory.databases.directory(c).withoutSession();
  const { subject, email, by } = person;
  const { known, reserved, other, hasAccounts, isSomebodys } = await loadSubject(directory, { subject, email });
  if (known === email) return "bound";
  if (reserved !== undefined && reserved !== email) {
    // An earlier move was interrupted: the accounts are on their way to that address.
    const before = await bindSubject(c, memory, { subject, email: reserved, by });
    return before === "bound" ? bindSubject(c, memory, person) : before;
  }
  if (other !== undefined && !(await freeAddress(directory, { subject, email }, { isForced: by === "operator" })))
    return "another's";
  const isMine = reserved === email;
  if (by === "platform" && !isMine && (known === undefined ? hasAccounts : isSomebodys)) return "unconfirmed";
  const newAddress = { subject, email, isSure: by !== "platform" || isMine };
  const isMoved = known === undefined || (await movePerson(c, memory, { from: known, to: email, newAddress })) !== null;
  return isMoved && (await setSubject(directory, newAddress)) ? "bound" : "another's";
}
