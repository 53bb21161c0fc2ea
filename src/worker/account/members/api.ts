/**
 * The members of an account: `/account/api/members`, and the accounts of a person. The account's own database decides; the
 * directory follows.
 */
import type { Context } from "hono";
import { secureRandomBytes } from "../../credentials/base62.ts";
import { createId, type Identifier } from "../../credentials/id.ts";
import { stamp } from "../../database/activity/audit-events.ts";
import {
  answerInvitation,
  findInviter,
  forgetInvited,
  inviteMember as invite,
  rememberInvited,
} from "../../database/members/invitations.ts";
import {
  forgetMembership,
  listMembers,
  rememberMembership,
  removeMember,
  setOwnName,
  setRole,
} from "../../database/members/members.ts";
import { withDeliveries } from "../../deliveries/after-answer.ts";
import { respondNew } from "../../http/etag.ts";
import { respondPage } from "../../http/pagination.ts";
import type { IdempotencyKey } from "../../model/idempotency-key.ts";
import {
  Invitation,
  MAX_MEMBERS,
  Member,
  MemberChanges,
  MemberList,
  NewMember,
  OwnAccount,
  OwnAccountList,
} from "../../model/member.ts";
import { PageQuery } from "../../model/pagination.ts";
import type { Role } from "../../model/role.ts";
import { Problem } from "../../problem.ts";
import { accountsOf, directoryOf, invitationsOf, noMember, openOwn, primaryOf } from "../account-databases.ts";
import { isRepeated, repeatedProblem } from "../frame/repeated.ts";
import { actorsOf } from "../identity/identity.ts";
import { requireNoReader, requireRole, requireRoleNow, whyNotAllowed } from "../identity/role.ts";
import { operation } from "../operation.ts";
import type { OwnerEnv } from "../owner-env.ts";

export async function listOwnMembers(c: Context<OwnerEnv>) {
  const { session, accountId } = await openOwn(c);
  return { accountId, items: await listMembers(session, accountId, Date.now()) };
}

/** Invites a person. Inviting again changes nothing, unless the invitation was declined or has ended, and completes the directory. */
export async function inviteMember(
  c: Context<OwnerEnv>,
  { email, role }: Pick<Member, "email" | "role">,
  idempotencyKey?: IdempotencyKey,
): Promise<Member> {
  const { session, accountId } = await openOwn(c);
  const id = createId(accountId, secureRandomBytes);
  const member = await invite(session, {
    owner: c.var.owner,
    accountId,
    member: { id, email, role },
    stamp: stamp(accountId),
    idempotencyKey,
  });
  if (member === "full")
    throw new Problem("conflict", {
      detail: `An account has at most ${MAX_MEMBERS} members, including pending invitations. Remove one first.`,
    });
  if (isRepeated(member)) throw repeatedProblem(member);
  if (member.state === "invited")
    await rememberInvited(directoryOf(c), { accountId, person: email, invitedAt: Date.parse(member.createdAt) });
  return member;
}

const noSuchInvitation = () => new Problem("not-found", { detail: "There is no such invitation." });

/** Answers an invitation. Repeating the answer changes nothing, and completes the directory. Throws `not-found`. */
export async function answerOwnInvitation(c: Context<OwnerEnv>, id: string, accepts: boolean): Promise<OwnAccount> {
  const session = primaryOf(c, id, noSuchInvitation);
  const { owner } = c.var;
  const accountId = await findInviter(session, id, owner.person);
  const answer = (accountId: Identifier) =>
    withDeliveries(c, { session, account: { accountId }, send: c.var.send }, (watched) =>
      answerInvitation(watched, owner, { accountId, accepts, stamp: stamp(id) }),
    );
  const name = accountId && (await answer(accountId));
  if (!accountId || name === null) throw noSuchInvitation();
  const directory = directoryOf(c);
  if (accepts) await rememberMembership(directory, accountId, owner.person);
  await forgetInvited(directory, { session, accountId, person: owner.person, now: Date.now() });
  return { id: accountId, name };
}

export const noSuchMember = () => new Problem("not-found", { detail: "There is no such member." });

const lastAdmin = (which: string) =>
  new Problem("conflict", {
    detail: `The last admin of an account ${which}. Make somebody else an admin first, and wait until they have accepted.`,
  });
export const lastAdminLeaves = () => lastAdmin("cannot be removed");
export const lastAdminStays = () => lastAdmin("stays one");

/**
 * Removes a member. Only an admin removes others. When it resolves, the person can do nothing for the account, and the invitations that the
 * person had sent have ended, but for those in `kept`. The member `takenBy` gets the person's ideas. Throws `not-found`, and `conflict` for
 * the last admin.
 */
export async function dismissMember(
  c: Context<OwnerEnv>,
  id: string,
  { kept = [], takenBy }: { readonly kept?: readonly string[]; readonly takenBy?: string | undefined } = {},
): Promise<void> {
  const { accountId } = await openOwn(c);
  const session = primaryOf(c, accountId);
  const sentBy = (email: string) => ({ actors: actorsOf(c, email), kept });
  const removal = { owner: c.var.owner, accountId, id, stamp: stamp(accountId), sentBy, takenBy };
  const outcome = await withDeliveries(c, { session, account: { accountId }, send: c.var.send }, (watched) =>
    removeMember(watched, removal),
  );
  if (outcome === null) throw noSuchMember();
  if (outcome === "last") {
    await requireRoleNow(c, "admin");
    throw lastAdminLeaves();
  }
  const entry = { session, accountId, person: outcome.removed };
  if (outcome.isInvited) await forgetInvited(directoryOf(c), { ...entry, now: Date.now() });
  else await forgetMembership(directoryOf(c), entry);
}

/**
 * Gives a member, or an invited person, another role, which ends the invitations that the person has sent to a role above it. Throws
 * `not-found`, `conflict` for the last admin, `forbidden`.
 */
export async function changeRole(
  c: Context<OwnerEnv>,
  { id, email }: Pick<Member, "id" | "email">,
  role: Role,
): Promise<Member> {
  await requireRole(c, "admin");
  const { session, accountId } = await openOwn(c);
  const change = { owner: c.var.owner, accountId, id, role, actors: actorsOf(c, email), stamp: stamp(accountId) };
  const member = await withDeliveries(c, { session, account: { accountId }, send: c.var.send }, (watched) =>
    setRole(watched, change),
  );
  if (member === null) throw noSuchMember();
  if (member.role === role) return member;
  await requireRoleNow(c, "admin");
  throw lastAdminStays();
}

/** Gives the member who asks a name; null for none. Throws `forbidden` for a script that only reads. */
export async function changeOwnName(c: Context<OwnerEnv>, name: string | null): Promise<Member> {
  await requireNoReader(c);
  const { session, accountId } = await openOwn(c);
  const member = await setOwnName(session, { owner: c.var.owner, accountId, name, stamp: stamp(accountId) });
  if (member === null) throw noMember();
  if (member.name !== name) throw await whyNotAllowed(c, "member");
  return member;
}

const notOwnName = () => new Problem("forbidden", { detail: "Only the member changes this name." });

/** What needs more is decided first: who may do only one of both changes nothing. */
async function changeMember(c: Context<OwnerEnv>, id: string, { name, role }: MemberChanges): Promise<Member> {
  const member = (await listOwnMembers(c)).items.find((each) => each.id === id);
  if (member === undefined) throw noSuchMember();
  if (name !== undefined && (member.email !== c.var.owner.person || member.state !== "accepted")) throw notOwnName();
  if (name !== undefined) await requireNoReader(c);
  const changed = role === undefined ? member : await changeRole(c, member, role);
  return name === undefined ? changed : changeOwnName(c, name);
}

const MEMBERS = "/account/api/members";
const INVITATIONS = "/account/api/invitations";
const INVITATION = `${INVITATIONS}/{invitationId}`;

export const MEMBER_OPERATIONS = {
  listAccounts: operation({
    method: "GET",
    needs: "anyone",
    effect: "reads",
    path: "/account/api/accounts",
    answer: OwnAccountList,
    summary: "List the accounts that you are a member of",
    description:
      "Every path of Account Settings takes one of them as `?account=`. Without it, it is the account that you have made.",
    handle: async (c) => c.json({ items: await accountsOf(c, c.var.owner.person) }),
  }),

  listInvitations: operation({
    method: "GET",
    needs: "anyone",
    effect: "reads",
    path: INVITATIONS,
    query: PageQuery,
    answer: Invitation,
    summary: "List the invitations that you have not answered",
    description:
      "Newest first. An invitation ends after 30 days. A page may have fewer items than `limit`, and another one after it.",
    handle: async (c, { page }) => respondPage(c, await invitationsOf(c, c.var.owner.person, page)),
  }),

  acceptInvitation: operation({
    method: "PUT",
    needs: "anyone",
    effect: "adds",
    idempotent: true,
    path: INVITATION,
    answer: OwnAccount,
    untilDone: true,
    summary: "Accept an invitation",
    description: "From this answer on you are a member of the account. Accepting again changes nothing.",
    handle: async (c, { ids }) => c.json(await answerOwnInvitation(c, ids.invitationId, true)),
  }),

  declineInvitation: operation({
    method: "DELETE",
    needs: "anyone",
    effect: "ends",
    path: INVITATION,
    untilDone: true,
    summary: "Decline an invitation",
    description: "The members of the account see it. Declining again changes nothing; a member can invite you again.",
    handle: async (c, { ids }) => {
      await answerOwnInvitation(c, ids.invitationId, false);
      return c.body(null, 204);
    },
  }),

  listMembers: operation({
    method: "GET",
    effect: "reads",
    path: MEMBERS,
    answer: MemberList,
    summary: "List the account's members",
    handle: async (c) => c.json(await listOwnMembers(c)),
  }),

  addMember: operation({
    method: "POST",
    needs: "admin",
    effect: "adds",
    path: MEMBERS,
    body: NewMember,
    answer: Member,
    problems: ["conflict"],
    untilDone: true,
    summary: "Invite somebody to be a member",
    description:
      "The person finds the invitation in their own Account Settings, and becomes a member by accepting it. " +
      "Inviting the same person again changes nothing, unless it was declined or has ended, after 30 days. Everybody signs in as every owner does. " +
      "A request with an `Idempotency-Key` that was done before invites nobody who was removed since: 409 `conflict`.",
    handle: async (c, { body, idempotencyKey }) =>
      respondNew(c, { collection: MEMBERS, body: await inviteMember(c, body, idempotencyKey) }),
  }),

  changeMember: operation({
    method: "PATCH",
    needs: "viewer",
    effect: "overwrites",
    path: `${MEMBERS}/{memberId}`,
    body: MemberChanges,
    answer: Member,
    problems: ["conflict"],
    summary: "Change a member's role, or your own name",
    description:
      "An admin changes roles, also of somebody who was invited; each member changes the own name. After this answer the person can do " +
      "only what the role allows. The last admin stays one: 409 `conflict`. API keys and webhooks of the member stay; the invitations that " +
      "the member has sent to a role above the new one are canceled.",
    handle: async (c, { ids, body }) => c.json(await changeMember(c, ids.memberId, body)),
  }),

  removeMember: operation({
    method: "DELETE",
    needs: "viewer",
    effect: "ends",
    path: `${MEMBERS}/{memberId}`,
    problems: ["conflict"],
    untilDone: true,
    summary: "Remove a member, or take an invitation back",
    description:
      "After this answer the person can do nothing for the account, and the invitations that the person had sent are canceled. Its API " +
      "keys stay. Everybody may leave, and an admin removes others. The last admin cannot be removed: 409 `conflict`.",
    handle: async (c, { ids }) => {
      await dismissMember(c, ids.memberId);
      return c.body(null, 204);
    },
  }),
};
