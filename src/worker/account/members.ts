/** The members of an account: its own database decides, and the directory follows. `/account/api/members`, and whose accounts somebody is a member of. */
import type { Context } from "hono";
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import { stamp } from "../database/audit-events.ts";
import { addMember, forgetMembership, listMembers, rememberMembership, removeMember } from "../database/members.ts";
import { openAccount } from "../database/owners.ts";
import type { IdempotencyKey } from "../model/idempotency-key.ts";
import { MAX_MEMBERS, Member, MemberList, NewMember, OwnAccountList } from "../model/member.ts";
import { Problem } from "../problem.ts";
import { accountsOf, directoryOf, visitAccount } from "./account-databases.ts";
import { isRepeated, primaryOf, repeatedProblem } from "./actions.ts";
import { operation } from "./operation.ts";
import type { OwnerEnv } from "./owner-env.ts";

export async function findMembers(c: Context<OwnerEnv>) {
  const { accountId } = await visitAccount(c, openAccount);
  return { accountId, items: await listMembers(primaryOf(c, accountId), accountId) };
}

/** Adding a member again changes nothing, and completes the directory. */
export async function inviteMember(
  c: Context<OwnerEnv>,
  email: string,
  idempotencyKey?: IdempotencyKey,
): Promise<Member> {
  const { session, accountId } = await visitAccount(c, openAccount);
  const id = createId(accountId, secureRandomBytes);
  const member = await addMember(session, c.var.owner, accountId, { id, email }, stamp(accountId), idempotencyKey);
  if (member === "full")
    throw new Problem("conflict", { detail: `An account has at most ${MAX_MEMBERS} members. Remove one first.` });
  if (isRepeated(member)) throw repeatedProblem(member);
  if (member.id !== accountId) await rememberMembership(directoryOf(c), accountId, email);
  return member;
}

export const noSuchMember = () => new Problem("not-found", { detail: "There is no such member." });

/** From the answer on the person may do nothing for the account. Throws `not-found`, and `conflict` for the last member. */
export async function dismissMember(c: Context<OwnerEnv>, id: string): Promise<void> {
  const { accountId } = await visitAccount(c, openAccount);
  const outcome = await removeMember(primaryOf(c, accountId), c.var.owner, accountId, id, stamp(accountId));
  if (outcome === null) throw noSuchMember();
  if (outcome === "last")
    throw new Problem("conflict", {
      detail: "The last member of an account cannot be removed. Add another one first.",
    });
  const session = primaryOf(c, accountId);
  await forgetMembership(directoryOf(c), session, accountId, outcome.removed);
}

const MEMBERS = "/account/api/members";

export const MEMBER_OPERATIONS = {
  listAccounts: operation({
    method: "GET",
    path: "/account/api/accounts",
    answer: OwnAccountList,
    summary: "List the accounts that you are a member of",
    description:
      "Every path of Account Settings takes one of them as `?account=`. Without it, it is the account that you have made.",
    handle: async (c) => c.json({ items: await accountsOf(c, c.var.owner.person) }),
  }),

  listMembers: operation({
    method: "GET",
    path: MEMBERS,
    answer: MemberList,
    summary: "List the account's members",
    handle: async (c) => c.json(await findMembers(c)),
  }),

  addMember: operation({
    method: "POST",
    path: MEMBERS,
    body: NewMember,
    answer: Member,
    problems: ["conflict"],
    untilDone: true,
    summary: "Add a member",
    description:
      "A member can do everything. Adding the same person again changes nothing. Who is a member signs in as every owner does: with " +
      "Cloudflare Access. A request with an `Idempotency-Key` that was done before adds nobody who was removed since: 409 `conflict`.",
    handle: async (c, { body, idempotencyKey }) => c.json(await inviteMember(c, body.email, idempotencyKey), 201),
  }),

  removeMember: operation({
    method: "DELETE",
    path: `${MEMBERS}/{memberId}`,
    problems: ["conflict"],
    untilDone: true,
    summary: "Remove a member",
    description:
      "After this answer the person can do nothing for the account. Its API keys stay. The last member cannot be removed: 409 `conflict`.",
    handle: async (c, { ids }) => {
      await dismissMember(c, ids.memberId);
      return c.body(null, 204);
    },
  }),
};
