/** The page behind "Unsubscribe": from the header of an e-mail, and by its button. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { expect, it } from "vitest";
import { createApp } from "../../../src/worker/app.ts";
import { createTold, telling, WINDOW } from "../../support/told.ts";

async function toldScene() {
  const scene = await createTold();
  const ana = await scene.person("ana@example.com");
  const ideas = [
    await scene.panel.propose({ title: "Night buses" }),
    await scene.panel.propose({ title: "Dogs" }),
  ] as const;
  for (const idea of ideas) await ana.send("PUT", `/ideabank/proposals/${idea}/vote`);
  let status = 0;
  /** Decides about these ideas, and returns how many e-mails that made. */
  const decide = async (...of: readonly string[]) => {
    const before = scene.mails.length;
    status += 1;
    for (const idea of of) await scene.decide(idea, { status: status % 2 ? "planned" : "in-progress" });
    await scene.pass(WINDOW);
    return scene.mails.length - before;
  };
  await decide(ideas[0]);
  const header = scene.mails[0]?.headers?.["List-Unsubscribe"] ?? "";
  const address = header.slice(1, -1);
  const { pathname } = new URL(address);
  const post = (fields: Record<string, string>, path = pathname) =>
    scene.panel.isolate.request(path, { method: "POST", body: new URLSearchParams(fields) });
  const open = (path = pathname, headers: Record<string, string> = {}) =>
    scene.panel.isolate.request(path, { headers });
  return { ...scene, ana, ideas, decide, address, pathname, post, open };
}

const ONE_CLICK = { "List-Unsubscribe": "One-Click" };

it("the header leads to a live HTTPS address, which answers a bare POST with 200, and only POST changes anything", {
  tags: "slow",
}, async () => {
  const { mails, address, post, open, decide, ideas } = await toldScene();
  expect(address).toMatch(/^https:\/\/api\.example\/b\/mail\//);
  expect(mails[0]?.headers?.["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click");
  expect(mails[0]?.text).toContain(address);
  for (let opened = 0; opened < 3; opened += 1) expect((await open()).status).toBe(200);
  expect(await decide(ideas[0])).toBe(1);
  const answer = await post(ONE_CLICK);
  expect([answer.status, answer.headers.get("Location"), answer.headers.getSetCookie()]).toEqual([200, null, []]);
  expect(await decide(...ideas)).toBe(0);
  expect((await post(ONE_CLICK)).status).toBe(200);
});

it("ends one idea, the board or everything, says what is off, and offers to follow again", {
  tags: "slow",
}, async () => {
  for (const [scope, said] of [
    ["idea", "about “Night buses”"],
    ["board", "about ideas on"],
    ["all", "boards of this team"],
  ] as const) {
    const { post, open, decide, ideas } = await toldScene();
    expect(await (await open()).text()).toContain("Which emails do you not want any more?");
    expect(await (await post({ scope })).text()).toContain(said);
    const again = await (await open()).text();
    expect(again).toContain(said);
    expect(again).toContain("Get them again");
    expect(await decide(...ideas), scope).toBe(scope === "idea" ? 1 : 0);
    expect(await (await post({ do: "again" })).text()).toContain("You’ll get these emails again.");
    expect(await decide(...ideas), scope).toBe(1);
  }
});

it("a new vote or comment does not switch anything on again, and off counts for the address that two people have", {
  tags: "slow",
}, async () => {
  const { post, decide, ideas, ana, person } = await toldScene();
  const twin = await person("ana@example.com");
  await post(ONE_CLICK);
  await twin.send("PUT", `/ideabank/proposals/${ideas[0]}/vote`);
  await ana.send("POST", `/ideabank/proposals/${ideas[0]}/comments`, { body: "Still." });
  expect(await decide(ideas[0])).toBe(0);
});

it("off for an idea stays off for the one that it is merged into", { tags: "slow" }, async () => {
  const { post, decide, ideas, panel } = await toldScene();
  await post({ scope: "idea" });
  await panel.manage("POST", `/proposals/${ideas[0]}/merge`, { into: ideas[1] });
  expect(await decide(ideas[1])).toBe(0);
});

it("whoever unsubscribes while the e-mails are being sent gets none of those that are left", {
  tags: "slow",
}, async () => {
  const { post, ideas, decide, rows, pass, mails } = await toldScene();
  await rows("INSERT INTO mail_stops VALUES (1, 'E', 0, ?1)", Date.now() + 10 * WINDOW);
  expect(await decide(...ideas)).toBe(0);
  await post(ONE_CLICK);
  await rows("DELETE FROM mail_stops");
  const before = mails.length;
  await pass(WINDOW);
  expect(mails.length).toBe(before);
  expect(await rows("SELECT DISTINCT state FROM recipients WHERE state <> 'sent'")).toEqual([{ state: "skipped" }]);
});

it("another address, person or idea in the link changes nothing, and says nothing", { tags: "slow" }, async () => {
  const { post, open, pathname, decide, ideas, person } = await toldScene();
  const other = await person("bo@example.com");
  const parts = pathname.split("/");
  const forged = [
    pathname.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
    [...parts.slice(0, 3), other.id, ...parts.slice(4)].join("/"),
    [...parts.slice(0, 5), ideas[1], ...parts.slice(6)].join("/"),
  ];
  for (const path of forged) {
    const shown = await (await open(path)).text();
    expect(shown).toContain("We send no emails to this address any more.");
    expect(shown).not.toMatch(/Night buses|Dogs|ana@/);
    expect((await post(ONE_CLICK, path)).status).toBe(200);
  }
  expect((await open("/b/mail/x/y/z/t")).status).toBe(404);
  expect(await decide(ideas[0])).toBe(1);
});

it("works when the idea, the board's page or the person is gone, and on every host", { tags: "slow" }, async () => {
  const { post, open, panel, ideas, ana, decide, pathname } = await toldScene();
  await panel.manage("DELETE", `/proposals/${ideas[0]}`);
  const page = await (await open()).text();
  expect(page).not.toContain("Night buses");
  expect(page).toContain("All about ideas on");
  await post({ scope: "all" });
  expect(await decide(ideas[1])).toBe(0);
  for (const host of ["https://ideas.example", "https://api.example"]) {
    const context = createExecutionContext();
    const answer = await createApp().fetch(
      new Request(host + pathname),
      { ...telling, PAGES_HOST: "ideas.example" },
      context,
    );
    await waitOnExecutionContext(context);
    expect(answer.status, host).toBe(200);
  }
  await panel.tenant.send("DELETE", `/tenant/panelists/${ana.id}`);
  expect(await (await open()).text()).toContain("We send no emails to this address any more.");
  expect((await post(ONE_CLICK)).status).toBe(200);
});

it("the page is in the language of the person, or the one that is asked for, and shows nobody's address", {
  tags: "slow",
}, async () => {
  const { open, pathname, rows } = await toldScene();
  await rows("UPDATE panelists SET language = 'de' WHERE email = 'ana@example.com'");
  const german = await (await open()).text();
  expect(german).toContain('<html lang="de"');
  expect(await (await open(`${pathname}?lang=ar`)).text()).toContain('dir="rtl"');
  expect(german).not.toContain("ana@example.com");
});
