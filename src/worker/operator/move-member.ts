/** `/operator/moves`: a person whose e-mail address has changed keeps the accounts; the sessions of the old address end. */
import type { Context } from "hono";
import { withDeliveries } from "../changes/deliver.ts";
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId, type Identifier } from "../credentials/id.ts";
import { stamp } from "../database/audit-events.ts";
import { announceMove, completeMove, loadMovable, type Move, moveMember } from "../database/moved-members.ts";
import { endSignInsOf } from "../database/sign-ins.ts";
import { freeAddress, loadSubject, type SubjectOfAddress, setSubject } from "../database/subjects.ts";
import type { AppEnv } from "../http/app-env.ts";
import { MemberMove, MovedMember } from "../model/operator.ts";
import { Problem } from "../problem.ts";
import { type OperatorMemory, operation } from "./operation.ts";

type Memory = Pick<OperatorMemory, "databases" | "send">;

/** Returns the accounts that the new address is a member of afterwards. Repeating completes a move that was interrupted. */
async function movePerson(c: Context<AppEnv>, memory: Memory, move: Move): Promise<readonly Identifier[]> {
  const directory = memory.databases.directory(c).withoutSession();
  const movable = await loadMovable(directory, move);
  const { accountIds, madeByNew } = movable;
  if (accountIds.length === 0) return [];
  await announceMove(directory, move, movable);
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
  c: Context<AppEnv>,
  { databases, send }: Memory,
  {
    accountId,
    move,
    ownsAnother,
  }: { readonly accountId: Identifier; readonly move: Move; readonly ownsAnother: boolean },
): Promise<boolean> {
  const session = databases.of(c, accountId)?.withoutSession();
  if (session === undefined)
    throw new Problem("conflict", {
      detail: `This deployment does not have the database of the account ${accountId}.`,
    });
  const memberId = createId(accountId, secureRandomBytes);
  return withDeliveries(c, { session, account: { accountId }, send }, (watched) =>
    moveMember(watched, { accountId, move, memberId, ownsAnother, stamp: stamp(accountId) }),
  );
}

const takenBySubject = () =>
  new Problem("conflict", {
    detail:
      "This address belongs to another `subject`, which has accounts. If its person has another address now, sign that person in with " +
      "it, or run `npm run account -- move-member <old> <new>`. Nobody was signed in.",
  });

/**
 * The address of a subject. With a new address, the subject's person keeps the accounts. Throws `conflict` for an address of another
 * subject.
 */
export async function bindSubject(c: Context<AppEnv>, memory: Memory, person: SubjectOfAddress): Promise<void> {
  const directory = memory.databases.directory(c).withoutSession();
  const { known, other } = await loadSubject(directory, person);
  if (known === person.email) return;
  if (other !== undefined && !(await freeAddress(directory, person))) throw takenBySubject();
  if (known !== undefined) await movePerson(c, memory, { from: known, to: person.email });
  if (!(await setSubject(directory, person))) throw takenBySubject();
}

export const MOVE_OPERATIONS = {
  moveMember: operation({
    method: "POST",
    path: "/operator/moves",
    effect: "overwrites",
    credential: { kind: "operator" },
    body: MemberMove,
    answer: MovedMember,
    status: 200,
    untilDone: true,
    problems: ["not-found", "conflict"],
    summary: "Give an owner's accounts to a new e-mail address",
    description:
      "The new address is a member of each account of the old one, which is a member of none, and whose handed-over sessions end. The " +
      "activity of each account says so, and both addresses are told by e-mail where the binding `NOTICES` is. If the new address has " +
      "made an account, it keeps that one. Invitations of the old address stay. Sending it again completes a move that was interrupted.",
    handle: async (c, { body: { from, to } }, memory) => {
      if (from === to) throw new Problem("conflict", { detail: "These are the same address." });
      const accountIds = await movePerson(c, memory, { from, to });
      if (accountIds.length === 0) throw new Problem("not-found", { detail: `${from} is a member of no account.` });
      return c.json({ from, to, accountIds });
    },
  }),
};
