/** Who may act for an account: its members, by e-mail address. */
import * as z from "zod/mini";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import { Timestamp } from "./text.ts";

export const MAX_MEMBERS = 50;

/** As Cloudflare Access names people: visible ASCII, in lower case. */
const Email = z.string({ error: "must be an e-mail address" }).check(
  z.trim(),
  z.toLowerCase(),
  z.refine((text) => text.length <= 320 && /^[!-?A-~]+@[!-?A-~]+$/.test(text), {
    error: "must be an e-mail address of ASCII characters, at most 320",
  }),
);

export const NewMember = z.strictObject({ email: Email });

export const Member = z.object({ id: Id, email: z.string(), addedBy: z.nullable(z.string()), createdAt: Timestamp });
export type Member = z.infer<typeof Member>;

export const MemberList = z.object({ accountId: Id, items: z.array(Member) });

export const OwnAccount = z.object({ id: Id, name: z.string() });
export type OwnAccount = z.infer<typeof OwnAccount>;

export const OwnAccountList = z.object({ items: z.array(OwnAccount) });

if (!import.meta.deployed) {
  const email = "colleague@example.com";
  const member = { id: "Memb3r000001", email, addedBy: "owner@example.com", createdAt: "2026-11-20T12:00:00.000Z" };
  const ownAccount = { id: "Acc0unt00001", name: "owner@example.com" };
  describe(NewMember, {
    name: "NewMember",
    example: { email },
    fields: { email: "The e-mail address, as Cloudflare Access knows the person." },
  });
  describe(Member, {
    name: "Member",
    example: member,
    fields: {
      id: "The member's identifier. Of whoever has made the account it is the account's.",
      email: "The e-mail address.",
      addedBy: "Who has added this member. `null` for whoever has made the account.",
      createdAt: "Since when: ISO 8601, UTC, with milliseconds.",
    },
  });
  describe(MemberList, {
    name: "MemberList",
    example: { accountId: "Acc0unt00001", items: [member] },
    fields: { accountId: "The account.", items: `Its members, the first one first: at most ${MAX_MEMBERS}.` },
  });
  describe(OwnAccount, {
    name: "OwnAccount",
    example: ownAccount,
    fields: {
      id: "The account's identifier: send it as `?account=`.",
      name: "The e-mail address of whoever has made it; its identifier, when that person is no member any more.",
    },
  });
  describe(OwnAccountList, {
    name: "OwnAccountList",
    example: { items: [ownAccount] },
    fields: { items: "The accounts that this person is a member of: at most 20." },
  });
}
