/** What a member may do for an account. */
import type { Exported } from "./export.ts";

/** In the order of their rights, the most first, which is also that of the alphabet: SQL takes the smaller one of two (membership.ts). */
export const ROLES = ["admin", "member", "viewer"] as const;
export type Role = (typeof ROLES)[number];

/** What a page or an operation needs: this role, or one with more rights. `anyone`: to be signed in, also without an account. */
export type Needs = Role | "anyone";

export const ROLE_NAMES: Readonly<Record<Role, string>> = { admin: "Admin", member: "Member", viewer: "Viewer" };

/** What each role has beyond the one below it, for people. docs/roles.md has what each page needs. */
export const ROLE_HINTS: Readonly<Record<Role, string>> = {
  admin: "Also API keys, webhooks, members, tokens, account settings, and deleting a board",
  member: "Ideas, comments, people, surveys, publishing and boards",
  viewer: "Reads everything about ideas, people and surveys, and changes nothing",
};

/** A role that a later release has stored has no rights here but to read. */
export const toRole = (text: unknown): Role => ROLES.find((role) => role === text) ?? "viewer";

export const may = (role: Role, needs: Needs): boolean =>
  needs === "anyone" || ROLES.indexOf(role) <= ROLES.indexOf(needs);

/** The role with fewer rights. */
export const lesserRole = (one: Role, other: Role): Role => (may(one, other) ? other : one);

/** These files say who somebody is: a viewer takes them only where an admin allows it. */
const OF_PEOPLE: readonly Exported[] = ["people", "voters", "responses", "person"];

/** What a member is in an account, as its row says now. */
export type Standing = {
  readonly role: Role;
  /** Null for a member without a name. */
  readonly name: string | null;
  /** The account's switch for viewers. */
  readonly viewersExport: boolean;
};

export const mayExport = ({ role, viewersExport }: Pick<Standing, "role" | "viewersExport">, what: Exported): boolean =>
  role !== "viewer" || viewersExport || !OF_PEOPLE.includes(what);
