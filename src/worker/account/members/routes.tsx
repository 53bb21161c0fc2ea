/** `/account/members`: the people who may act for the account. `/account/accounts`: the accounts for which the visitor may act. */
import type { Context, Hono } from "hono";
import { deleteWebhook } from "../../database/account-webhooks.ts";
import { findTouched } from "../../database/members.ts";
import { parseOrThrow } from "../../http/invalid-request.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { readForm } from "../../http/read-body.ts";
import { foldAddress, NewMember } from "../../model/member.ts";
import { PageQuery } from "../../model/pagination.ts";
import { accountsOf, invitationsOf, primaryOf } from "../account-databases.ts";
import { fieldErrorsOf, renderPage } from "../frame/render-page.tsx";
import { readVisit, tellAt } from "../frame/visit.ts";
import { actorsOf, inAccount, rememberChoice } from "../identity/identity.ts";
import { limitOwner } from "../identity/limit-owner.ts";
import { revokeKey } from "../keys/actions.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { changeTo } from "../webhooks/api.ts";
import { AccountsPage } from "./accounts-page.tsx";
import { answerOwnInvitation, dismissMember, inviteMember, listOwnMembers, noSuchMember } from "./api.ts";
import { MembersPage, type MembersPageProps, RemoveMemberPage } from "./members-page.tsx";

const MEMBERS = "/account/members";
const ACCOUNTS = "/account/accounts";

export function addMemberPages(routes: Hono<OwnerEnv>): void {
  const render = async (c: Context<OwnerEnv>, form: MembersPageProps["form"], status: 200 | 400 = 200) => {
    const { accountId, items } = await listOwnMembers(c);
    const { person } = c.var.owner;
    const props = {
      ...{ accountId, members: items, person, form, now: Date.now() },
      invitationsUrl: new URL(ACCOUNTS, c.req.url).href,
      sendsEmail: c.env.NOTICES !== undefined && c.env.NOTICES_FROM !== "" && c.env.SIGN_IN_URL !== "",
      invited: c.req.query("invited"),
      canceled: foldAddress(c.req.query("canceled") ?? ""),
      removed: foldAddress(c.req.query("removed") ?? ""),
    };
    return renderPage(c, (frame) => <MembersPage frame={frame} {...props} />, status);
  };

  routes.get(MEMBERS, (c) => render(c, { email: "", errors: [] }));

  routes.post(MEMBERS, async (c) => {
    const email = (await readForm(c)).get("email") ?? "";
    try {
      const invited = await inviteMember(c, parseOrThrow(NewMember, { email }).email);
      return c.redirect(`${MEMBERS}?invited=${encodeURIComponent(invited.email)}`, 303);
    } catch (error) {
      return render(c, { email, errors: fieldErrorsOf(error) }, 400);
    }
  });

  /** A member, and the keys and webhooks that the person has made or changed. Throws `not-found`. */
  const findMember = async (c: Context<OwnerEnv>, memberId: string) => {
    const { accountId, items } = await listOwnMembers(c);
    const member = items.find(({ id }) => id === memberId);
    if (member === undefined) throw noSuchMember();
    const actors = actorsOf(c, member.email);
    return { member, touched: await findTouched(primaryOf(c, accountId), { accountId, actors, now: Date.now() }) };
  };

  routes.get(`${MEMBERS}/:memberId/remove`, async (c) => {
    const { member, touched } = await findMember(c, c.req.param("memberId"));
    const props = { member, touched, person: c.var.owner.person };
    return renderPage(c, (frame) => <RemoveMemberPage frame={frame} {...props} />);
  });
  routes.post(`${MEMBERS}/:memberId/remove`, async (c) => {
    const fields = await readForm(c);
    const { member, touched } = await findMember(c, c.req.param("memberId"));
    // This comes first, because people who remove themselves can do nothing afterwards.
    for (const { id } of touched.keys) if (fields.has("keys", id)) await revokeKey(c, id);
    for (const { id } of touched.webhooks)
      if (fields.has("webhooks", id)) await changeTo(c, { id, change: deleteWebhook });
    const ticked = fields.getAll("invitations");
    await dismissMember(
      c,
      member.id,
      fields.getAll("shown").filter((id) => !ticked.includes(id)),
    );
    // People who have left cannot see this account's pages any more. A relative address would be led back into it.
    if (member.email === c.var.owner.person) return c.redirect(new URL(tellAt(ACCOUNTS, "left"), c.req.url).href, 303);
    const done = member.state === "invited" ? "canceled" : "removed";
    return c.redirect(`${MEMBERS}?${done}=${encodeURIComponent(member.email)}`, 303);
  });

  routes.get(ACCOUNTS, async (c) => {
    const { person } = c.var.owner;
    const { told } = readVisit(c);
    const { page } = await readPage(c, PageQuery);
    const [own, { items, next }] = await Promise.all([accountsOf(c, person), invitationsOf(c, person, page)]);
    const props = { own, invitations: items, more: await nextCursor(c, next), told, now: Date.now() };
    return renderPage(c, (frame) => <AccountsPage frame={frame} {...props} />);
  });
  routes.post(ACCOUNTS, async (c) => {
    const fields = await readForm(c);
    const id = fields.get("id") ?? "";
    const does = fields.get("do");
    if (does !== "decline") await limitOwner(c);
    const accountId = does === "open" ? id : (await answerOwnInvitation(c, id, does === "accept")).id;
    if (does === "decline") return c.redirect(ACCOUNTS, 303);
    rememberChoice(c, accountId);
    return c.redirect(inAccount("/account", accountId), 303);
  });
}
