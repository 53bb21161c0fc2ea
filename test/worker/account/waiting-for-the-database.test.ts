/** How often an owner waits for the database, which may be far away: with a page that was filtered, as a member, and signed in by the platform. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { countInARow } from "../../support/calls-in-a-row.ts";
import { selectEverywhere } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { addressOfPage, DESK_PAGES, SIGN_IN } from "../../support/desk-pages.ts";
import { createFilledDesk } from "../../support/filled-desk.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { add, membersOf, pair } from "../../support/members.ts";
import { sendAsOperator, withSecret } from "../../support/operator.ts";
import { createOwner, ORIGIN } from "../../support/owner.ts";

/** Nobody waits for a board's page in its frame: it comes after the page around it, and is read as for a stranger, who has no account. */
const PUBLIC_PAGE_IN_FRAME = "/account/idea-banks/:ideaBankId/public-page/preview";
const PAGES = DESK_PAGES.filter((page) => page !== SIGN_IN && page !== PUBLIC_PAGE_IN_FRAME);

/** A browser that the platform's own server has signed in, and the isolate that answers it. */
async function signIn(email: string, bindings: Env = withSecret) {
  const asked = await sendAsOperator("POST", "/operator/sign-ins", { email, returnTo: "/account" });
  const { url } = await asked.json<{ url: string }>();
  const isolate = createIsolate(bindings);
  const used = await isolate.request(url.slice(ORIGIN.length));
  const [cookie = ""] = (used.headers.getSetCookie()[0] ?? "").split(";");
  return { isolate, cookie, open: (path: string) => isolate.request(path, { headers: { Cookie: cookie } }) };
}

describe("a page waits at most twice", { tags: "slow" }, () => {
  it("however it is filtered, and when it says what was just done", async () => {
    const { far, inARow } = countInARow(env);
    const { panel, owner, bank } = await createDesk();
    const id = await panel.propose({ title: "Night buses", tags: ["Bus"] });
    await panel.propose({ title: "Night boats", visibility: "pending" });
    const decided = await owner.submit(`${bank}/ideas/${id}`, { do: "decide", status: "planned" });
    const undo = new URL(decided.headers.get("Location") ?? "", ORIGIN).searchParams.get("undo");
    const isolate = createIsolate(far, async () => ({ email: owner.email, actor: owner.email }));
    await isolate.request("/account");
    const lists = ["/ideas", bank];
    const filters = ["sort=top", "status=unanswered&sort=hot", "q=night", "visibility=pending", `undo=${undo}`];
    const filtered = lists.flatMap((list) => filters.map((filter) => `${list}?${filter}`));
    const others = [`${bank}?tag=Bus`, `${bank}/ideas/${id}?undo=${undo}`, "/people?q=a", "/activity?what=ideas"];
    for (const path of [...filtered, ...others]) {
      const { answer, calls } = await inARow(isolate, `/account${path}`);
      expect([path, answer.status, calls <= 2, calls]).toEqual([path, 200, true, calls]);
    }
  });

  it("for a member, and for who was signed in by the platform, in an isolate that knows them", async () => {
    const { far, inARow } = countInARow(withSecret);
    const { owner, ids } = await createFilledDesk();
    const member = createOwner();
    await add(owner, member);
    const here = `account=${(await membersOf(owner)).accountId}`;
    for (const [person, query] of [
      [owner, ""],
      [member, here],
    ] as const) {
      const { isolate, open, cookie } = await signIn(person.email, far);
      const addressOf = (page: string) => {
        const address = addressOfPage(page, ids);
        return query === "" ? address : `${address}${address.includes("?") ? "&" : "?"}${query}`;
      };
      await open(addressOf("/account"));
      for (const page of PAGES) {
        const { answer, calls } = await inARow(isolate, addressOf(page), { headers: { Cookie: cookie } });
        expect([page, query, answer.status, calls <= 2, calls]).toEqual([page, query, 200, true, calls]);
      }
    }
  });
});

describe("what an isolate remembers of an owner opens nothing", () => {
  it("after the session was ended in another isolate", { tags: "slow" }, async () => {
    const { email } = createOwner();
    const { open, cookie } = await signIn(email);
    expect((await open("/account/ideas")).status).toBe(200);
    const elsewhere = createIsolate(withSecret);
    const headers = { Cookie: cookie, Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" };
    expect((await elsewhere.request("/account/sign-out", { method: "POST", headers })).status).toBe(200);
    for (const path of ["/account/ideas", "/account/api-keys", "/account/idea-banks"]) {
      const answer = await open(path);
      const html = await answer.text();
      expect([path, answer.status, html.includes(email)]).toEqual([path, 403, false]);
    }
  });

  it.each(["/account/api-keys", "/account/ideas", "/account/webhooks", "/account"])(
    "and creates nothing for who is signed out and has no account any more: %s",
    { tags: "slow" },
    async (path) => {
      const owner = createOwner(undefined, env, "0");
      await owner.keys();
      const { open } = await signIn(owner.email);
      expect((await open(path)).status).toBe(200);
      const email = [owner.email];
      for (const table of ["owners WHERE email", "accounts WHERE owner_email"])
        await env.DB.prepare(`DELETE FROM ${table} = ?1`)
          .bind(...email)
          .run();
      expect((await sendAsOperator("POST", "/operator/sign-outs", { email: owner.email })).status).toBe(200);
      expect((await open(path)).status).toBe(403);
      expect(await selectEverywhere("SELECT owner_email FROM accounts")).toEqual([]);
      expect(await selectEverywhere("SELECT email FROM owners")).toEqual([]);
    },
  );

  it("and makes the account of who is signed in and has none yet, in its database", async () => {
    const { open } = await signIn("new@example.com", { ...withSecret, NEW_ACCOUNTS: "1" });
    // It reads whose accounts there are, and makes none.
    expect((await open("/account/api/accounts")).status).toBe(200);
    expect(await selectEverywhere("SELECT owner_email FROM accounts")).toEqual([]);
    expect((await open("/account/ideas")).status).toBe(200);
    expect(await selectEverywhere("SELECT owner_email FROM accounts")).toEqual([{ owner_email: "new@example.com" }]);
  });

  it("after a member was removed in another isolate", { tags: "slow" }, async () => {
    const { founder, member, id, here, apiKey } = await pair("0");
    const paths = [`/ideas${here}`, `/api-keys/${apiKey.id}${here}`, `/members${here}`];
    for (const path of paths) expect([path, (await member.page(path)).status]).toEqual([path, 200]);
    expect((await founder.json("DELETE", `/members/${id}`)).status).toBe(204);
    for (const path of paths) {
      const answer = await member.page(path);
      const html = await answer.text();
      expect([path, answer.status, html.includes(founder.email)]).toEqual([path, 403, false]);
    }
  });

  it("to who never was a member: nothing else of the account is read", { tags: "slow" }, async () => {
    const { owner, ids } = await createFilledDesk();
    const member = createOwner();
    await add(owner, member);
    const here = `?account=${(await membersOf(owner)).accountId}`;
    let read = 0;
    const metered = meterDatabases(env, (results) => {
      for (const { meta } of results) read += meta.rows_read;
    });
    const isolate = createIsolate(metered, async ({ req }) => {
      const email = req.url.includes("stranger") ? "stranger@example.com" : member.email;
      return { email, actor: email };
    });
    const rowsOf = async (query: string) => {
      read = 0;
      const answer = await isolate.request(`/account/idea-banks/${ids.ideaBankId}${here}${query}`);
      return [answer.status, read];
    };
    await rowsOf("");
    const [status, rows = 0] = await rowsOf("");
    expect([status, rows > 20]).toEqual([200, true]);
    // As many as in an account without ideas.
    const [refused, rowsOfStranger = 0] = await rowsOf("&q=stranger");
    expect([refused, rowsOfStranger <= 3]).toEqual([403, true]);
  });

  it("after the owner was removed by a member", { tags: "slow" }, async () => {
    const { founder, member, here, accountId } = await pair("0");
    expect((await founder.page("/api-keys")).status).toBe(200);
    expect((await founder.page("/ideas")).status).toBe(200);
    expect((await member.json("DELETE", `/members/${accountId}${here}`)).status).toBe(204);
    for (const path of ["/ideas", "/api-keys", "/members"]) expect((await founder.page(path)).status).toBe(403);
  });
});
