/** The members of an account, by e-mail address. They may act for it. */
import * as z from "zod/mini";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import { may, ROLES } from "./role.ts";
import { Name, oneOf, Timestamp } from "./text.ts";

/** An account's members, including invited people who have not answered. */
export const MAX_MEMBERS = 50;
/** An invitation that is not answered ends after this time, in milliseconds. */
export const INVITED_MS = 30 * 86_400_000;

/** At most 320 characters, the longest address of SMTP. */
const ADDRESS = /^(?=.{1,320}$)[!-?A-~]+@[!-?A-~]+$/;

/**
 * The address in lower case, because identity providers write the same address in different cases. Undefined for a text with
 * other characters than visible ASCII. That is checked first, because the lower case of the Kelvin sign is a `k`.
 */
export const foldAddress = (text: string): string | undefined => (ADDRESS.test(text) ? text.toLowerCase() : undefined);

export const Email = z.string({ error: "must be an e-mail address" }).check(
  z.trim(),
  z.refine((text) => foldAddress(text) !== undefined, {
    error: "must be an e-mail address of ASCII characters, at most 320",
  }),
  z.overwrite((text) => foldAddress(text) ?? text),
);

const EXAMPLE_EMAIL = "colleague@example.com";
const EXAMPLE_MEMBER = {
  id: "Memb3r000001",
  email: EXAMPLE_EMAIL,
  name: "Ana Ortiz",
  role: "member" as const,
  state: "accepted" as const,
  addedBy: "owner@example.com",
  createdAt: "2026-11-20T12:00:00.000Z",
  expiresAt: null,
};
const EXAMPLE_ACCOUNT = { id: "Acc0unt00001", name: "owner@example.com" };

const EXAMPLE_INVITATION = {
  id: EXAMPLE_MEMBER.id,
  accountId: EXAMPLE_ACCOUNT.id,
  name: EXAMPLE_ACCOUNT.name,
  invitedBy: EXAMPLE_MEMBER.addedBy,
  role: EXAMPLE_MEMBER.role,
  createdAt: EXAMPLE_MEMBER.createdAt,
  expiresAt: "2026-12-20T12:00:00.000Z",
};

/** `invited` is not answered yet. Only after accepting is a person a member. */
const MEMBER_STATES = ["accepted", "invited", "declined"] as const;

const ROLE =
  "`admin`: everything. `member`: ideas, comments, people, surveys, publishing and boards; no keys, webhooks, members, tokens, account " +
  "settings, and no deletion of a board. `viewer`: reads.";

export const NewMember = describe(z.strictObject({ email: Email, role: z._default(oneOf(ROLES), "member") }), {
  name: "NewMember",
  example: { email: EXAMPLE_EMAIL, role: "member" },
  fields: {
    email: "The e-mail address, as Cloudflare Access knows the person.",
    role: `${ROLE} The default is \`member\`.`,
  },
});

export const MemberChanges = describe(
  z.strictObject({ name: z.optional(z.nullable(Name)), role: z.optional(oneOf(ROLES)) }),
  {
    name: "MemberChanges",
    example: { role: "admin" },
    fields: {
      name: "Your own name, of one line with at most 100 characters. `null` for none. Nobody else can change it.",
      role: `${ROLE} Only an admin changes it, and the last admin stays one.`,
    },
  },
);
export type MemberChanges = z.infer<typeof MemberChanges>;

export const Member = describe(
  z.object({
    id: Id,
    email: z.string(),
    name: z.nullable(z.string()),
    role: oneOf(ROLES),
    state: oneOf(MEMBER_STATES),
    addedBy: z.nullable(z.string()),
    createdAt: Timestamp,
    expiresAt: z.nullable(Timestamp),
  }),
  {
    name: "Member",
    example: EXAMPLE_MEMBER,
    fields: {
      id: "The member's identifier. For the person who made the account, it is the account's.",
      email: "The e-mail address.",
      name: "As the team reads it. `null`: the team reads the address.",
      role: ROLE,
      state: "`accepted`: a member. `invited`: has not answered the invitation. `declined`: has declined it.",
      addedBy: "The member who invited this person. `null` for the person who made the account.",
      createdAt: "When the person became a member, or was invited: ISO 8601, UTC, with milliseconds.",
      expiresAt: "When an unanswered invitation ends, 30 days after it was sent. Otherwise `null`.",
    },
  },
);
export type Member = z.infer<typeof Member>;

/** A member as the team reads it: the name, or without one the address. */
export const memberLabel = ({ email, name }: { readonly email: string; readonly name?: string | null }): string =>
  name ?? email;

/** Who an event says did it: a member as the team reads it, and anybody else as recorded. */
export function actorLabel(
  actor: string | null,
  members: readonly { readonly email: string; readonly name?: string | null }[],
): string | null {
  const member = members.find(({ email }) => email === actor);
  return member === undefined ? actor : memberLabel(member);
}

export const MemberList = describe(z.object({ accountId: Id, items: z.array(Member) }), {
  name: "MemberList",
  example: { accountId: "Acc0unt00001", items: [EXAMPLE_MEMBER] },
  fields: {
    accountId: "The account.",
    items:
      `Its members, the first one first, then who was invited: at most ${MAX_MEMBERS} together. Beside them the last ` +
      `${MAX_MEMBERS} who have declined in 30 days.`,
  },
});

export const OwnAccount = describe(z.object({ id: Id, name: z.string() }), {
  name: "OwnAccount",
  example: EXAMPLE_ACCOUNT,
  fields: {
    id: "The account's identifier: send it as `?account=`.",
    name: "The e-mail address of the person who made it. If that person is no member any more: its identifier.",
  },
});
export type OwnAccount = z.infer<typeof OwnAccount>;

export const Invitation = describe(
  z.object({
    id: Id,
    accountId: Id,
    name: z.string(),
    invitedBy: z.string(),
    role: oneOf(ROLES),
    createdAt: Timestamp,
    expiresAt: Timestamp,
  }),
  {
    name: "Invitation",
    example: EXAMPLE_INVITATION,
    fields: {
      id: "The invitation's identifier: that of the member, when it is accepted.",
      accountId: "The account that the person can become a member of.",
      name: "The e-mail address of the person who made the account. If that person is no member any more: its identifier.",
      invitedBy: "The e-mail address or the service token that has invited the person.",
      role: ROLE,
      createdAt: "When: ISO 8601, UTC, with milliseconds.",
      expiresAt: "When it ends, 30 days later.",
    },
  },
);
export type Invitation = z.infer<typeof Invitation>;

export const OwnAccountList = describe(z.object({ items: z.array(OwnAccount) }), {
  name: "OwnAccountList",
  example: { items: [EXAMPLE_ACCOUNT] },
  fields: { items: "The accounts that this person is a member of: at most 20." },
});

/** The members who can be given an idea, and told of one: viewers change nothing. */
export const whoCanAct = (members: readonly Member[]): readonly Member[] =>
  members.filter(({ state, role }) => state === "accepted" && may(role, "member"));
