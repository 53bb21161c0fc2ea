/**
 * What a member may open and do. Each page, form and operation says what it needs (`needs`), and is refused here before it does anything.
 * The statement that writes asks again (membership.ts): a role may be taken away between reading and writing.
 */
import type { Context } from "hono";
import { databaseDigit } from "../../credentials/id.ts";
import { findMember, listAdmins } from "../../database/members/members.ts";
import { findOwnAccount } from "../../database/members/owners.ts";
import type { Exported } from "../../model/export.ts";
import { isId } from "../../model/id.ts";
import { memberLabel } from "../../model/member.ts";
import { may, mayExport, type Needs } from "../../model/role.ts";
import { Problem } from "../../problem.ts";
import { noMember, openOwn, standingOf } from "../account-databases.ts";
import type { OwnerEnv } from "../owner-env.ts";

/** The person is a member, and has not the role for it. `title` is for the page. */
export class LacksRole extends Problem {
  readonly title: string;

  constructor(title: string, detail: string) {
    super("forbidden", { detail });
    this.title = title;
  }
}

/** "Ana, Ben or cleo@example.com" */
async function namesOfAdmins(c: Context<OwnerEnv>): Promise<string> {
  const { session, accountId } = await openOwn(c);
  const names = (await listAdmins(session, accountId)).map(memberLabel);
  return new Intl.ListFormat("en", { type: "disjunction" }).format(names);
}

const REFUSALS: Readonly<Record<Needs, (admins: string) => LacksRole>> = {
  admin: (admins) => new LacksRole("Only admins can do this", `Only admins can do this. Ask ${admins}.`),
  member: (admins) =>
    new LacksRole(
      "Viewers can’t change this",
      `You can read everything, but not change it. Ask ${admins} to make you a member.`,
    ),
  // Nobody who is a member lacks these.
  viewer: () => new LacksRole("You are not a member", noMember().message),
  anyone: () => new LacksRole("You are not a member", noMember().message),
};

/** Throws `forbidden` for a lesser role than this. */
export async function requireRole(c: Context<OwnerEnv>, needs: Needs): Promise<void> {
  c.set("needs", needs);
  // Whether somebody is a member at all shows with the account.
  if (needs === "viewer" || needs === "anyone") return;
  if (!may((await standingOf(c)).role, needs)) throw REFUSALS[needs](await namesOfAdmins(c));
}

/**
 * The name and the e-mails of members are their own, whatever their role; a script that acts for one has to have a role that changes
 * something. Throws `forbidden`.
 */
export async function requireNoReader(c: Context<OwnerEnv>): Promise<void> {
  const { person, actor } = c.var.owner;
  if (actor !== person) await requireRole(c, "member");
}

/**
 * The same for an operation on what has this identifier, which says its database: neither the directory nor another tenant's database is
 * asked. Somebody who has nothing there is told by the operation.
 */
export async function requireRoleFor(c: Context<OwnerEnv>, needs: Needs, id: string): Promise<void> {
  const { owner, databases } = c.var;
  if (owner.accountId === undefined && c.get("standing") === undefined) {
    const session = isId(id) ? databases.of(c, id)?.withoutSession() : undefined;
    const own = session && (await findOwnAccount(session, owner, databaseDigit(id)));
    if (own?.standing === undefined) {
      c.set("needs", needs);
      return;
    }
    c.set("standing", Promise.resolve(own.standing));
  }
  await requireRole(c, needs);
}

/** Whether a file that this member takes may say who somebody is. */
export const mayNamePeople = async (c: Context<OwnerEnv>): Promise<boolean> => mayExport(await standingOf(c), "people");

/** Throws `forbidden` for a viewer whom no admin has allowed to take such a file. */
export async function requireExport(c: Context<OwnerEnv>, what: Exported): Promise<void> {
  if (mayExport(await standingOf(c), what)) return;
  throw new LacksRole(
    "Viewers can’t export this",
    `Viewers can’t export who people are. Ask ${await namesOfAdmins(c)} to allow it.`,
  );
}

/** Why a statement that asks for a member of this role has done nothing: the role was taken away meanwhile, or the membership. */
export async function whyNotAllowed(c: Context<OwnerEnv>, needs: Needs): Promise<Problem> {
  const { session, accountId } = await openOwn(c);
  const { person, actor } = c.var.owner;
  const member = await findMember(session, { accountId, person, actor });
  if (member === null) return noMember();
  c.set("standing", Promise.resolve(member.standing));
  return REFUSALS[needs](await namesOfAdmins(c));
}

/** Throws `forbidden` if the person has a lesser role by now, whatever the request began with. */
export async function requireRoleNow(c: Context<OwnerEnv>, needs: Needs): Promise<void> {
  const { session, accountId } = await openOwn(c);
  const { person, actor } = c.var.owner;
  const member = await findMember(session, { accountId, person, actor });
  if (member !== null && !may(member.standing.role, needs)) throw REFUSALS[needs](await namesOfAdmins(c));
}

/** The same for what this request needs. */
export async function requireRoleStill(c: Context<OwnerEnv>): Promise<void> {
  const needs = c.get("needs") ?? "anyone";
  if (needs === "admin" || needs === "member") await requireRoleNow(c, needs);
}
