/** `/operator/moves`, `/operator/subjects`: the operator says which e-mail address a person has. */
import { bindSubject, movePerson, UnknownDatabase } from "../deliveries/move-person.ts";
import { BoundSubject, MemberMove, MovedMember, NewSubject } from "../model/operator.ts";
import { Problem } from "../problem.ts";
import { operation } from "./operation.ts";

/** Throws `conflict` for an account whose database this deployment does not have. */
export async function inKnownDatabases<Answer>(move: Promise<Answer>): Promise<Answer> {
  try {
    return await move;
  } catch (error) {
    if (!(error instanceof UnknownDatabase)) throw error;
    throw new Problem("conflict", {
      detail: `This deployment does not have the database of the account ${error.accountId}.`,
    });
  }
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
      const accountIds = (await inKnownDatabases(movePerson(c, memory, { from, to }))) ?? [];
      if (accountIds.length === 0) throw new Problem("not-found", { detail: `${from} is a member of no account.` });
      return c.json({ from, to, accountIds });
    },
  }),

  bindSubject: operation({
    method: "POST",
    path: "/operator/subjects",
    effect: "overwrites",
    credential: { kind: "operator" },
    body: NewSubject,
    answer: BoundSubject,
    status: 200,
    untilDone: true,
    problems: ["not-found", "conflict"],
    summary: "Say which e-mail address a subject has",
    description:
      "For an address that had accounts before your server sent subjects, and for a person whose subject is another one now. You have made " +
      "sure that this person has the address. If the subject had another address, its accounts get this one, as with `POST /operator/moves`. " +
      "Another subject that had the address has none afterwards. Sending it again is harmless.",
    handle: async (c, { body }, memory) => {
      await inKnownDatabases(bindSubject(c, memory, { ...body, by: "operator" }));
      return c.json(body);
    },
  }),
};
