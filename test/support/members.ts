/** Members of accounts, by what Account Settings answers. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { Member, OwnAccount } from "../../src/worker/model/member.ts";
import type { Role } from "../../src/worker/model/role.ts";
import type { Digit } from "./databases.ts";
import { createOwner } from "./owner.ts";

type Owner = ReturnType<typeof createOwner>;

export const membersOf = async (owner: Owner, query = "") =>
  (await owner.json("GET", `/members${query}`)).json<{ accountId: string; items: Member[] }>();
export const accountsOf = async (owner: Owner) =>
  (await (await owner.json("GET", "/accounts")).json<{ items: OwnAccount[] }>()).items;
/** As an admin, if nothing else is asked. */
export const invite = (owner: Owner, email: string, query = "", role: Role = "admin") =>
  owner.json("POST", `/members${query}`, { email, role });
export const accept = (person: Owner, invitationId: string) => person.json("PUT", `/invitations/${invitationId}`);

/** Invites the person, who accepts: the answer is the inviter's. */
export async function add(owner: Owner, person: Owner, query = "", role: Role = "admin") {
  const invited = await invite(owner, person.email, query, role);
  const { id } = await invited.clone().json<Member>();
  expect((await accept(person, id)).status).toBe(200);
  return invited;
}

/** An account with a second member, who has no account, each in their own isolate. */
export async function pair(digit: Digit) {
  const founder = createOwner(undefined, env, digit);
  const member = createOwner(undefined, env, digit === "0" ? "1" : "0");
  const { apiKey, key } = await founder.create("Theirs");
  const { accountId } = await membersOf(founder);
  const added = await add(founder, member);
  expect(added.status).toBe(201);
  const { id } = await added.json<Member>();
  return { founder, member, id, accountId, here: `?account=${accountId}`, apiKey, key };
}
