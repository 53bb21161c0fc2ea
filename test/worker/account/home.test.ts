/** `/account`: what is left to set up, what waits for somebody, and the last 30 days. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { inAccount } from "../../../src/worker/account/identity/identity.ts";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { countStores } from "../../support/intercept.ts";
import { numbers } from "../../support/many-rows.ts";
import { add, membersOf } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";

const DAY_MS = 86_400_000;

const homeOf = async (owner: ReturnType<typeof createOwner>) => (await owner.page("")).text();
const doneIn = (html: string) => /(\d) of 5 done/.exec(html)?.[1];
const numbersIn = (html: string) =>
  Object.fromEntries(
    [
      ...html.matchAll(
        /<dt>([^<]+)<\/dt><dd><a [^>]+><strong>([^<]+)<\/strong><\/a><span class="hint">(?:[^<]+ · )?([^ ]+) /g,
      ),
    ].map(([, name, recent, before]) => [name, [recent, before]]),
  );

describe("the checklist", () => {
  it("ticks each step by what is so, and goes when all are done", { tags: "slow" }, async () => {
    const owner = createOwner();
    const first = await homeOf(owner);
    expect(doneIn(first)).toBe("0");
    expect(first).toContain('class="button primary" href="/account/idea-banks#create"');
    const created = await owner.submit("/idea-banks", { name: "Ideas" });
    const bank = /idea-banks\/\w+/.exec(created.headers.get("Location") ?? "")?.[0] ?? "";
    const second = await homeOf(owner);
    expect(doneIn(second)).toBe("1");
    // What is done can still be opened.
    expect(second).toContain('<a href="/account/idea-banks#create">Create a board</a>');
    expect(second).toContain(`class="button primary" href="/account/${bank}/settings"`);
    await owner.submit("/members", { email: "colleague@example.com" });
    expect(doneIn(await homeOf(owner))).toBe("2");
  });

  it("keeps the tick of a colleague who accepted, and of an invitation that was canceled", {
    tags: "slow",
  }, async () => {
    const owner = createOwner();
    const colleague = createOwner(`colleague-of-${owner.email}`);
    const tick = "Invite a colleague</a>";
    expect(await homeOf(owner)).not.toContain(tick);
    await owner.submit("/members", { email: colleague.email });
    const [, invited] = (await (await owner.json("GET", "/members")).json<{ items: { id: string }[] }>()).items;
    await owner.submit(`/members/${invited?.id}/remove`, {});
    expect(await homeOf(owner)).toContain(tick);
    const { accountId } = await (await owner.json("GET", "/members")).json<{ accountId: string }>();
    // Of an account with many events, the invitation's may be gone.
    await databaseOf(accountId).prepare("DELETE FROM audit_events WHERE account_id = ?1").bind(accountId).run();
    await add(owner, colleague);
    await databaseOf(accountId).prepare("DELETE FROM audit_events WHERE account_id = ?1").bind(accountId).run();
    expect(await homeOf(owner)).toContain(tick);
  });

  it("shows the way to three boards, those that are open and the oldest first", async () => {
    const owner = createOwner();
    for (const name of ["Main", "Second", "Third", "Live"]) {
      const { headers } = await owner.submit("/idea-banks", { name });
      const settings = headers.get("Location")?.replace("/account", "").replace("/public-page", "/settings") ?? "";
      if (name === "Live") await owner.submit(settings, { was: "status=DRAFT", status: "OPEN" });
    }
    const shown = [...(await homeOf(owner)).matchAll(/aria-label="Settings of “(\w+)”"/g)].map(([, name]) => name);
    expect(shown).toEqual(["Live", "Main", "Second"]);
  });

  it("keeps the tick of a board that was open and is closed", async () => {
    const { panel, owner } = await createDesk();
    await panel.manage("PATCH", "", { status: "CLOSED" });
    expect(await homeOf(owner)).toContain("Open it</a>");
    await panel.manage("PATCH", "", { status: "DRAFT" });
    expect(await homeOf(owner)).not.toContain("Open it</a>");
  });

  it("goes when the board is open and on a site, has an idea, and a colleague is invited; a line about the board stays", async () => {
    const { panel, owner } = await createDesk();
    const { id } = panel.bank;
    const board = `<a href="/account/idea-banks/${id}"><bdi>`;
    const unfinished = await homeOf(owner);
    expect([unfinished.includes("Get started"), unfinished.includes(board)]).toEqual([true, true]);
    await panel.propose({ response: { text: "Soon." } });
    await panel.panelist();
    await owner.submit("/members", { email: "colleague@example.com" });
    const html = await homeOf(owner);
    expect(html).not.toContain("Get started");
    expect(html).toContain("You’re all caught up.");
    for (const link of [board, ...["embed", "settings"].map((page) => `href="/account/idea-banks/${id}/${page}"`)])
      expect(html).toContain(link);
  });
});

describe("what needs somebody", () => {
  it("has the ideas that wait, here and in the navigation of each page", { tags: "slow" }, async () => {
    const { panel, owner } = await createDesk();
    for (let count = 0; count < 3; count++) await panel.propose({ visibility: "pending" });
    expect(await homeOf(owner)).toContain("3 ideas waiting for approval");
    for (const path of ["", "/ideas?visibility=pending", "/people"])
      expect(await (await owner.page(path)).text()).toContain('<span class="count">3<span class="unseen"> waiting');
  });

  it("counts the ideas that wait up to 1,000, and in the navigation up to 100", { tags: "slow" }, async () => {
    const { panel, owner } = await createDesk();
    await databaseOf(panel.bank.id)
      .prepare(
        `${numbers(1, 1_150)}
         INSERT INTO proposals (id, account_id, idea_bank_id, title, description, visibility, created_at, last_activity_at)
         SELECT substr(?1, 1, 1) || printf('%011d', i), ?1, ?2, 'An idea', '', 'pending', i, i FROM n`,
      )
      .bind(panel.bank.accountId, panel.bank.id)
      .run();
    const html = await homeOf(owner);
    expect(html).toContain("1,000+ ideas waiting for approval");
    expect(html).toContain('<span class="count">100+<span class="unseen">');
  });

  it("names what waits, each as a link to the list of it, and nothing when nothing does", {
    tags: "slow",
  }, async () => {
    const { panel, owner } = await createDesk();
    const caughtUp = "You’re all caught up.";
    expect(await homeOf(owner)).toContain(caughtUp);
    await panel.manage("PATCH", "", { commentApprovalRequired: true });
    const robin = await panel.panelist("Robin");
    const idea = await panel.propose();
    await panel.propose({ visibility: "hidden" });
    await panel.propose({ status: "declined" });
    for (const body of ["One", "Two"]) await robin.send("POST", `/ideabank/proposals/${idea}/comments`, { body });
    const html = await homeOf(owner);
    for (const link of [
      '<a href="/account/comments?show=waiting">2 comments waiting for approval</a>',
      '<a href="/account/comments">2 new comments since your last visit</a>',
      '<a href="/account/ideas?status=unanswered&amp;sort=top">1 open idea without a response</a>',
    ])
      expect(html).toContain(link);
    expect(html).not.toContain(caughtUp);
    const { items } = await (await panel.manage("GET", `/proposals/${idea}/comments`)).json<{
      items: { id: string }[];
    }>();
    for (const { id } of items)
      await panel.manage("PATCH", `/proposals/${idea}/comments/${id}`, { visibility: "public" });
    await panel.manage("PATCH", `/proposals/${idea}`, { response: { text: "Soon." } });
    await owner.page("/comments");
    expect(await homeOf(owner)).toContain(caughtUp);
  });

  it("counts new comments for each member apart, without the team's and hidden ones", { tags: "slow" }, async () => {
    const { panel, owner } = await createDesk();
    const colleague = createOwner();
    await add(owner, colleague);
    const robin = await panel.panelist("Robin");
    const idea = await panel.propose();
    const comments = `/proposals/${idea}/comments`;
    const write = async (body: string) =>
      (await robin.send("POST", `/ideabank${comments}`, { body })).json<{ id: string }>();
    await write("One");
    await panel.manage("POST", comments, { body: "The team's" });
    const { id } = await write("Two");
    await panel.manage("PATCH", `${comments}/${id}`, { visibility: "hidden" });
    const news = /(\d+) new comments? since your last visit/;
    const here = `?account=${panel.bank.accountId}`;
    const newFor = async (member: typeof owner) => news.exec(await (await member.page(here)).text())?.[1];
    expect([await newFor(owner), await newFor(colleague)]).toEqual(["1", "1"]);
    // Neither a board's comments nor those that wait are all of them.
    await owner.page(`/comments?board=${panel.bank.id}`);
    await owner.page("/comments?show=waiting");
    expect(await newFor(owner)).toBe("1");
    expect(await (await owner.page("/comments")).text()).toContain('<span class="pill">New</span>');
    expect([await newFor(owner), await newFor(colleague)]).toEqual([undefined, "1"]);
    expect(await (await owner.page("/comments")).text()).not.toContain('<span class="pill">New</span>');
    await write("Three");
    expect([await newFor(owner), await newFor(colleague)]).toEqual(["1", "2"]);
  });

  it("names boards whose pages went dark with all tokens, until Embed was opened or somebody says that it is done", {
    tags: "slow",
  }, async () => {
    const { panel, owner } = await createDesk();
    const dark = "Pages with “<bdi>";
    const embed = `/idea-banks/${panel.bank.id}/embed`;
    const endAll = async () => {
      await owner.submit("/tokens/end", {});
      // Tokens of the second in which they ended are ended, too.
      await databaseOf(panel.bank.id)
        .prepare("UPDATE accounts SET tokens_ended_at = tokens_ended_at - 5000 WHERE id = ?1")
        .bind(panel.bank.accountId)
        .run();
      await databaseOf(panel.bank.id)
        .prepare(
          "UPDATE idea_banks SET site_token_issued_at = site_token_issued_at - 100 WHERE id = ?1 AND site_token_issued_at IS NOT NULL",
        )
        .bind(panel.bank.id)
        .run();
    };
    await endAll();
    // No page has its code.
    expect(await homeOf(owner)).not.toContain(dark);
    await owner.page(embed);
    expect(await homeOf(owner)).not.toContain(dark);
    await endAll();
    expect(await homeOf(owner)).toContain(`<a href="/account${embed}">${dark}`);
    await owner.page(embed);
    expect(await homeOf(owner)).not.toContain(dark);
    await endAll();
    expect(await homeOf(owner)).toContain(dark);
    await owner.submit("/code-renewed", {});
    expect(await homeOf(owner)).not.toContain(dark);
  });

  it("names ideas with e-mails of the last week that failed, and surveys with responses", async () => {
    const { panel, owner } = await createDesk();
    const idea = await panel.propose({ title: "Night <buses>", response: { text: "Soon." } });
    const mails = (unknown: number, refused: number, daysAgo: number) =>
      databaseOf(idea)
        .prepare(
          `INSERT INTO outbox (account_id, idea_bank_id, proposal_id, kind, created_at, starts_at, started_at, finished_at, sent, unknown, refused)
           VALUES (?1, ?2, ?3, 'decision', ?4, ?4, ?4, ?4, 5, ?5, ?6)`,
        )
        .bind(panel.bank.accountId, panel.bank.id, idea, Date.now() - daysAgo * DAY_MS, unknown, refused)
        .run();
    await mails(0, 0, 1);
    await mails(3, 3, 8);
    expect(await homeOf(owner)).not.toContain("failed");
    await mails(1, 0, 2);
    await mails(0, 1, 3);
    expect(await homeOf(owner)).toContain(
      `<a href="/account/idea-banks/${panel.bank.id}/ideas/${idea}">2 emails about “<bdi>Night &lt;buses&gt;</bdi>” failed</a>` +
        '<span class="hint">1 refused · 1 may have arrived</span>',
    );
  });

  it("has the keys in the last third of their lives, at most 30 days before the end, and those that were found in public and still work", async () => {
    const { owner } = await createDesk();
    const created = (id: string, daysAgo: number) =>
      databaseOf(id)
        .prepare("UPDATE api_keys SET created_at = ?2 WHERE id = ?1")
        .bind(id, Date.now() - daysAgo * DAY_MS)
        .run();
    await created((await owner.create("Ending", { expiresInDays: 20 })).apiKey.id, 45);
    await created((await owner.create("Lasting", { expiresInDays: 40 })).apiKey.id, 400);
    const { apiKey } = await owner.create("Leaked", { expiresInDays: 30 });
    await databaseOf(apiKey.id).prepare("UPDATE api_keys SET leaked_at = 1 WHERE id = ?1").bind(apiKey.id).run();
    const html = await homeOf(owner);
    expect(html).toContain("<bdi>Ending</bdi>” expires <time");
    expect(html).toContain("<bdi>Leaked</bdi>” was found in public");
    for (const name of ["Lasting", "Leaked</bdi>” expires"]) expect(html).not.toContain(name);
  });

  it("has the webhooks that fail or have stopped", async () => {
    const { panel, owner } = await createDesk();
    const { accountId } = panel.bank;
    const add = (url: string, state: string, failingSince: number | null) =>
      databaseOf(accountId)
        .prepare(
          `INSERT INTO webhooks (id, account_id, url, secret, created_at, state, number, failing_since)
           VALUES (substr(?1, 1, 1) || substr(hex(randomblob(6)), 2), ?1, ?2, 'whsec_x', 1, ?3, 0, ?4)`,
        )
        .bind(accountId, url, state, failingSince)
        .run();
    await add("https://fails.example/in", "active", 1);
    await add("https://stopped.example/in", "failed", 1);
    await add("https://works.example/in", "active", null);
    const html = await homeOf(owner);
    expect(html).toContain("Deliveries to fails.example are failing");
    expect(html).toContain("Deliveries to stopped.example have stopped");
    expect(html).not.toContain("works.example");
  });
});

it("names what the visitor has and where a note names them, as links, and to nobody else", {
  tags: "slow",
}, async () => {
  const { panel, owner, bank } = await createDesk();
  const ana = createOwner();
  await add(owner, ana, "", "member");
  const here = `?account=${panel.bank.accountId}`;
  const anas = async () => (await ana.page(here)).text();
  const [idea, done] = [await panel.propose({ title: "Night buses" }), await panel.propose({ status: "declined" })];
  const robin = await panel.panelist("Robin");
  const before = await anas();
  expect([before.includes("assigned to you"), before.includes("names you")]).toEqual([false, false]);
  const { items } = await membersOf(owner);
  const assignee = items.find(({ email }) => email === ana.email)?.id ?? "";
  for (const id of [idea, done]) await owner.submit(`${bank}/ideas/${id}`, { do: "assign", assignee });
  const note = `@${ana.email.split("@")[0]} please`;
  for (const path of [`${bank}/ideas/${idea}`, `/people/${robin.id}`, `${bank}/ideas/${idea}`])
    await owner.submit(path, { do: "add-note", note });
  await ana.submit(`${bank}/ideas/${done}${here}`, { do: "add-note", note });
  const html = await anas();
  const to = (path: string) => `href="${inAccount(`/account${path}`, panel.bank.accountId)}"`;
  // What is done or declined is not hers to do any more.
  expect(html).toContain(">1 idea assigned to you</a>");
  expect(html).toContain("/account/ideas?assignee=me&amp;status=open");
  // Each idea and each person once, and not what she wrote herself.
  expect(html.match(/names you/g)).toHaveLength(2);
  expect(html).toContain(to(`${bank}/ideas/${idea}#notes`));
  expect(html).toContain(to(`/people/${robin.id}#notes`));
  expect(html).toContain(`<bdi>${owner.email}</bdi>`);
  const own = await (await owner.page("")).text();
  expect([own.includes("assigned to you"), own.includes("names you")]).toEqual([false, false]);
});

it("shows a viewer no set-up, and what only others can open as text", async () => {
  const { panel, owner, bank } = await createDesk();
  const viewer = createOwner();
  await add(owner, viewer, "", "viewer");
  await databaseOf(panel.bank.id)
    .prepare("UPDATE api_keys SET leaked_at = 1 WHERE account_id = ?1")
    .bind(panel.bank.accountId)
    .run();
  const html = await (await viewer.page(`?account=${panel.bank.accountId}`)).text();
  expect(html).toContain("was found in public");
  for (const part of ["Get started", "/api-keys/", `${bank}/settings`, `${bank}/embed`])
    expect(html).not.toContain(part);
});

describe("the last 30 days", () => {
  it("counts ideas, their votes, comments and people, beside the 30 days before", { tags: "slow" }, async () => {
    const { panel, owner } = await createDesk();
    const daysAgo = (days: number) => ({ createdAt: new Date(Date.now() - days * DAY_MS).toISOString() });
    const panelist = await panel.panelist();
    const id = await panelist.submit("With its author's vote");
    await panel.propose(daysAgo(31));
    await panel.propose(daysAgo(59));
    await panel.propose(daysAgo(61));
    await panel.manage("POST", `/proposals/${id}/comments`, { body: "A comment" });
    expect(numbersIn(await homeOf(owner))).toEqual({
      "New ideas": ["1", "2"],
      Votes: ["1", "0"],
      Comments: ["1", "0"],
      // Its panelist of every test, and this one.
      "New people": ["2", "0"],
    });
  });

  it("is one round trip with the navigation and the invitations", async () => {
    const { env: counted, counts } = countStores(env);
    const owner = createOwner(undefined, counted, "0");
    await owner.page("");
    counts.d1 = 0;
    await owner.page("");
    expect(counts.d1).toBe(1);
  });
});
