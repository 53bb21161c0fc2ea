/** What each role may, tried on each page, form and operation; and two admins at the same moment. */
import { describe, expect, it } from "vitest";
import { ACCOUNT_OPERATIONS } from "../../../src/worker/account/api.ts";
import { ROUTES } from "../../../src/worker/account/routes.ts";
import { may, type Needs, ROLES } from "../../../src/worker/model/role.ts";
import type { DeskIds } from "../../support/desk-account.ts";
import { addressOfPage, DESK_PAGES, isAt, SIGN_IN } from "../../support/desk-pages.ts";
import { createFilledDesk } from "../../support/filled-desk.ts";
import { add, membersOf, pair } from "../../support/members.ts";
import { createOwner, ORIGIN } from "../../support/owner.ts";
import { readForms } from "../../support/read-forms.ts";
import { newId } from "../../support/world.ts";

type Owner = ReturnType<typeof createOwner>;
type Asked = { readonly method: string; readonly path: string; readonly needs: Needs };

const PAGES: readonly Asked[] = ROUTES.flat();
const OPERATIONS: readonly Asked[] = Object.values(ACCOUNT_OPERATIONS);
/** Of these everybody may ask, and the answer depends on whom it is about: see below. */
const ABOUT_SOMEBODY = ["/account/members/:memberId/remove", "/account/api/members/{memberId}"];

const REFUSED = /Only admins can do this|You can read everything, but not change it\. Ask /;

async function ask(owner: Owner, { method, path }: Asked, ids: DeskIds, accountId: string): Promise<Response> {
  const isOperation = path.startsWith("/account/api/");
  const known: Readonly<Record<string, string>> = { ...ids, invitationId: newId() };
  const address = isOperation
    ? path.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? newId())
    : addressOfPage(path, ids);
  const to = `${address}${address.includes("?") ? "&" : "?"}account=${accountId}`;
  if (method === "GET" || method === "ALL") return owner.isolate.request(to);
  // What an operation would refuse of the body, it refuses before it asks who may.
  const bodies: Readonly<Record<string, object>> = {
    "POST /account/api/keys": { name: "By a role" },
    "POST /account/api/members": { email: "somebody@example.com" },
    "POST /account/api/webhooks": { url: "https://crm.example.com/" },
    "PUT /account/api/webhooks/{webhookId}/place": { to: "now" },
  };
  const headers = { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" };
  return isOperation
    ? owner.isolate.request(to, {
        method,
        headers: { "Content-Type": "application/json" },
        body: method === "DELETE" ? null : JSON.stringify(bodies[`${method} ${path}`] ?? {}),
      })
    : owner.isolate.request(to, { method, headers, body: new URLSearchParams() });
}

it("no page shows a viewer or a member a link or a form that refuses them", async () => {
  const { owner, ids } = await createFilledDesk();
  const { accountId } = await membersOf(owner);
  const unescaped = (text: string) => text.replaceAll("&amp;", "&");
  for (const role of ["viewer", "member"] as const) {
    const colleague = createOwner();
    await add(owner, colleague, "", role);
    const open = (address: string) => colleague.isolate.request(address);
    const asked = new Map<string, number>();
    for (const page of DESK_PAGES.filter((each) => each !== SIGN_IN)) {
      const address = addressOfPage(page, ids);
      const answer = await open(`${address}${address.includes("?") ? "&" : "?"}account=${accountId}`);
      if (answer.status !== 200) continue;
      const html = await answer.clone().text();
      for (const [, href = ""] of html.matchAll(/ href="(\/account[^"#]*)/g)) {
        const path = unescaped(href);
        const status = asked.get(path) ?? (await open(path)).status;
        asked.set(path, status);
        expect([role, page, path, status]).toEqual([role, page, path, 200]);
      }
      const forms = (await readForms(answer)).flatMap(({ method, action, senders }) =>
        senders.map((sender) => ({ method, to: sender.action ?? action })),
      );
      for (const { method, to } of forms) {
        const path = (to || address).split("?")[0] ?? "";
        const sent = PAGES.find((each) => each.method === method.toUpperCase() && isAt(each.path, path));
        const needs = sent?.needs ?? "anyone";
        expect([role, page, path, needs, may(role, needs)]).toEqual([role, page, path, needs, true]);
      }
    }
    expect(asked.size).toBeGreaterThan(20);
  }
});

describe.each([...ROLES, "no member"] as const)("as %s", (role) => {
  it("each page, form and operation is refused or not, as it says", async () => {
    const { owner, ids } = await createFilledDesk();
    const { accountId } = await membersOf(owner);
    const person = createOwner();
    if (role !== "no member") await add(owner, person, "", role);
    const wrong: unknown[] = [];
    let refusals = 0;
    // What reads comes first, because an admin's forms end what they are about.
    const asked = [...PAGES, ...OPERATIONS].filter(({ path }) => !ABOUT_SOMEBODY.includes(path));
    const inOrder = asked.toSorted((one, other) => Number(one.method !== "GET") - Number(other.method !== "GET"));
    for (const each of inOrder) {
      const answer = await ask(person, each, ids, accountId);
      const text = await answer.text();
      const isAllowed = each.needs === "anyone" || (role !== "no member" && may(role, each.needs));
      const isRefused = answer.status === 403 && (role === "no member" || REFUSED.test(text));
      refusals += Number(isRefused);
      if (role === "no member" ? isRefused !== true : isRefused === isAllowed || (isAllowed && answer.status >= 500))
        wrong.push([each.method, each.path, answer.status, text.slice(0, 300)]);
    }
    expect(wrong).toEqual([]);
    expect(refusals > 0).toBe(role !== "admin");
  });
});

it("one admin stays, when two take the role from each other at the same moment", async () => {
  for (let round = 0; round < 50; round++) {
    const { founder, member, id, here, accountId } = await pair(round % 2 === 0 ? "0" : "1");
    const answers = await Promise.all([
      founder.json("PATCH", `/members/${id}`, { role: "member" }),
      member.json("PATCH", `/members/${accountId}${here}`, { role: "viewer" }),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    const { items } = await membersOf(founder, here);
    expect(items.filter(({ role }) => role === "admin")).toHaveLength(1);
  }
});
