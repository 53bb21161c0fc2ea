/** The owner's pages of idea banks: the list, creating one, its settings, deleting it. */
import { env } from "cloudflare:workers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { runJob } from "../../support/job.ts";
import { add } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";
import { readForm } from "../../support/read-forms.ts";
import { addWebhook, createReceiver } from "../../support/webhooks.ts";

describe("idea banks", () => {
  it("are listed in pages, with their state in words", async () => {
    const { panel, page } = await createDesk();
    await panel.tenant.send("POST", "/tenant/ideabanks", { name: "Another <bank>", internal: true });
    const html = await page("/idea-banks");
    expect(html).toContain("Another &lt;bank&gt;</a>");
    expect(html).toContain('<span class="pill warn">Draft</span> Internal');
    const first = await page("/idea-banks?limit=1");
    const more = first.match(/href="\/account(\/idea-banks\?cursor=[^"]+)"/)?.[1] ?? "";
    expect([first.match(/aria-label="Settings of/g), (await page(more)).match(/aria-label="Settings of/g)]).toEqual([
      ['aria-label="Settings of'],
      ['aria-label="Settings of'],
    ]);
  });

  it("have a title of its own for each page, so that a browser's tabs can be told apart", {
    tags: "slow",
  }, async () => {
    const { panel, bank, page } = await createDesk();
    await panel.manage("PATCH", "", { name: "Tabs" });
    for (const [path, part] of Object.entries({ "": "", "/settings": "Settings · ", "/embed": "Embed · " }))
      expect(await page(`${bank}${path}`)).toContain(`<title>${part}Tabs · Idea boards</title>`);
  });

  it("are not lost when somebody goes back and sends the same form with another name", async () => {
    const { opened, owner, page } = await createDesk();
    const form = { ...(await opened("/idea-banks", "Create board")), name: "Riders" };
    await owner.submit("/idea-banks", form);
    expect((await owner.submit("/idea-banks", { ...form, name: "Drivers" })).status).toBe(303);
    const html = await page("/idea-banks");
    expect([html.includes("Riders</a>"), html.includes("Drivers</a>")]).toEqual([true, true]);
  });

  it("are created as drafts, once however often the form is sent, and the activity says by whom", {
    tags: "slow",
  }, async () => {
    const { panel, opened, owner, page, activity, changes } = await createDesk();
    const form = { ...(await opened("/idea-banks", "Create board")), name: " Rider ideas " };
    const answer = await owner.submit("/idea-banks", form);
    const [, id = ""] = answer.headers.get("Location")?.match(/^\/account\/idea-banks\/(\w{12})\/public-page$/) ?? [];
    expect(answer.status).toBe(303);
    expect((await owner.submit("/idea-banks", form)).headers.get("Location")).toBe(answer.headers.get("Location"));
    const stored = await panel.tenant.send("GET", `/tenant/ideabanks/${id}`);
    expect(await stored.json()).toMatchObject({ name: "Rider ideas", status: "DRAFT", votingEnabled: true });
    expect(await activity()).toMatchObject([
      {
        event: "ideabank-created",
        subject: { id, name: "Rider ideas", ideaBankId: null },
        actor: owner.email,
        address: "203.0.113.7",
        changes: { before: {}, after: { status: "DRAFT", name: "Rider ideas" } },
      },
    ]);
    expect((await changes()).slice(-1)).toMatchObject([{ type: "ideabank.created", by: "tenant", ideaBankId: id }]);
    const html = await page("/activity");
    expect(html).toContain(`<a href="/account/idea-banks/${id}"><bdi>“Rider ideas”</bdi></a> created`);
    const refused = await owner.submit("/idea-banks", { name: " " });
    expect([refused.status, (await refused.text()).includes("Name must have 1 to 100 characters")]).toEqual([
      400,
      true,
    ]);
  });

  it("change as their form was changed, and in nothing else", { tags: "slow" }, async () => {
    const { panel, opened, owner, bank, page, activity, changes } = await createDesk();
    const form = await opened(`${bank}/settings`, "Save");
    expect(form).toMatchObject({ status: "OPEN", votingEnabled: "on" });
    // Another member has done this since.
    await panel.manage("PATCH", "", { name: "Renamed meanwhile", commentsEnabled: false });
    const { votingEnabled: _, changelogEnabled: _on, ...kept } = form;
    const answer = await owner.submit(`${bank}/settings`, { ...kept, status: "CLOSED", approvalRequired: "on" });
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, `/account${bank}/settings?done=changed`]);
    expect(await (await panel.manage("GET", "")).json()).toMatchObject({
      name: "Renamed meanwhile",
      status: "CLOSED",
      changelogEnabled: false,
      commentsEnabled: false,
      votingEnabled: false,
      approvalRequired: true,
    });
    const [event] = await activity();
    expect(event).toMatchObject({
      event: "ideabank-changed",
      subject: { name: "Renamed meanwhile" },
      actor: owner.email,
    });
    expect(event?.changes).toEqual({
      before: { status: "OPEN", votingEnabled: true, changelogEnabled: true, approvalRequired: false },
      after: { status: "CLOSED", votingEnabled: false, changelogEnabled: false, approvalRequired: true },
    });
    expect(await page("/activity")).toContain(
      "Status: Open → Closed. Changelog: yes → no. Votes: yes → no. Approval: no → yes.",
    );
    expect((await changes()).at(-1)).toMatchObject({ type: "ideabank.updated", by: "tenant" });
    // The same again changes nothing, and is no event.
    await owner.submit(`${bank}/settings`, await opened(`${bank}/settings`, "Save"));
    expect(await activity()).toHaveLength(1);
    const url = "https://riverline.example/ideas";
    for (const given of [` ${url}`, ""]) {
      await owner.submit(`${bank}/settings`, { ...(await opened(`${bank}/settings`, "Save")), url: given });
      expect(await (await panel.manage("GET", "")).json()).toMatchObject({ url: given.trim() || null });
    }
    const refused = await owner.submit(`${bank}/settings`, {
      ...{ ...form, name: "", changelogMaxEntries: "0", url: "http://riverline.example" },
    });
    const html = await refused.text();
    expect(refused.status).toBe(400);
    for (const said of [
      "Name must have 1 to 100 characters",
      "Page must be an https address",
      "Maximum entries must be an integer from 1 to 100",
    ])
      expect(html).toContain(said);
  });

  it("have the lines to embed them, with a token that only reads", async () => {
    const { owner, bank, page } = await createDesk();
    const html = await page(`${bank}/embed`);
    const [token = ""] = html.match(/ibv_\w+/) ?? [];
    for (const part of [
      "token-url=&quot;/idea-bank-token&quot;",
      `token=&quot;${token}&quot; history&gt;`,
      `/tenant${bank.replace("-", "")}/tokens`,
    ])
      expect(html).toContain(part);
    const asked = await owner.isolate.request("/ideabank", { headers: { Authorization: token } });
    expect(await asked.json()).toMatchObject({ capabilities: { canViewProposals: true, canVote: false } });
    expect((await createOwner().page(`${bank}/embed`)).status).toBe(404);
  });

  it("are embedded as was chosen: elements, language, color, sign-in; nothing that cannot stand in a line of HTML", {
    tags: "slow",
  }, async () => {
    const { bank, page, owner } = await createDesk();
    const linesOf = (html: string) =>
      (html.match(/<code id="page">(.*?)<\/code>/s)?.[1] ?? "")
        .replaceAll("&quot;", '"')
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">");
    const query =
      "elements=roadmap&elements=launcher&lang=de&theme=dark&color=%230b6b3a&radius=8&signIn=https://shop.example/in?to={page}";
    const html = await page(`${bank}/embed?${query}`);
    expect(html).toContain("Pages that already have the code don’t change.");
    const lines = linesOf(html);
    for (const part of [
      "/embed/roadmap.js",
      "/embed/launcher.js",
      "/embed/changelog.js",
      'sign-in-url="https://shop.example/in?to={page}" lang="de" theme="dark" style="--idea-bank-accent: #0b6b3a; --idea-bank-radius: 8px" history></idea-bank-roadmap>',
      "<idea-bank-launcher><idea-bank-changelog ",
    ])
      expect(lines).toContain(part);
    expect(lines).not.toContain("idea-bank-board");
    const hostile = `signIn=${encodeURIComponent('https://x"><script>')}&lang=xx&color=red;}&radius=9%22&elements=nothing`;
    expect(linesOf(await page(`${bank}/embed?${hostile}`))).not.toMatch(/x">|xx|red|9"/);
    const preview = await owner.page(`${bank}/preview?${query}`);
    expect(preview.headers.get("Content-Security-Policy")).toMatch(
      /frame-ancestors 'self'; sandbox allow-scripts allow-forms$/,
    );
    expect(preview.headers.get("X-Frame-Options")).toBe("SAMEORIGIN");
    for (const name of ["Strict-Transport-Security", "X-Content-Type-Options", "Cache-Control", "Referrer-Policy"])
      expect(preview.headers.get(name), name).not.toBeNull();
    const shown = await preview.text();
    expect([shown.includes("<idea-bank-roadmap src="), shown.includes("idea-bank-board")]).toEqual([true, false]);
    expect((await createOwner().page(`${bank}/preview`)).status).toBe(404);
  });

  it("hand out the same visitor token until it ends or is renewed, and tell of its end 30 and 7 days before", {
    tags: "slow",
  }, async () => {
    const { bank, page, owner, panel } = await createDesk();
    const tokenOf = (html: string) => html.match(/ibv_\w+/)?.[0] ?? "";
    const start = Date.now();
    const told = async (days: number) => {
      vi.setSystemTime(start + days * 86_400_000);
      await runJob(env, Date.now);
      await runJob(env, Date.now);
      return (await owner.events()).filter(({ event }) => event === "visitor-token-expiring").length;
    };
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const first = tokenOf(await page(`${bank}/embed`));
    vi.setSystemTime(start + 5_000);
    expect(tokenOf(await page(`${bank}/embed`))).toBe(first);
    expect([await told(335), await told(336.5), await told(340)]).toEqual([0, 1, 1]);
    vi.useRealTimers();
    // D1's clock is real: the token is made older instead.
    await databaseOf(panel.bank.id)
      .prepare(
        `UPDATE idea_banks SET site_token_issued_at = site_token_issued_at - ?1, site_token_expires_at = site_token_expires_at - ?1,
           site_token_notice_at = site_token_notice_at - ?1 * 1000 WHERE id = ?2`,
      )
      .bind(340 * 86_400, panel.bank.id)
      .run();
    expect(await page("")).toMatch(/The visitor token of “.*” expires/);
    const renewed = await owner.submit(`${bank}/embed?lang=de`, {});
    expect(renewed.headers.get("Location")).toBe(`/account${bank}/embed?lang=de&done=renewed`);
    const html = await page(`${bank}/embed?lang=de&done=renewed`);
    expect(html).toContain("Token renewed.");
    expect(tokenOf(html)).toMatch(/^ibv_/);
    // Of a token that was replaced nothing more is told.
    expect(await page("")).not.toContain("The visitor token of");
    vi.useFakeTimers({ toFake: ["Date"] });
    expect([await told(20), await told(337)]).toEqual([1, 2]);
  });

  it("hand out a new visitor token after visitors' tokens were ended", async () => {
    const { bank, page, panel } = await createDesk();
    const tokenOf = (html: string) => html.match(/ibv_\w+/)?.[0] ?? "";
    const before = tokenOf(await page(`${bank}/embed`));
    await panel.tenant.send("DELETE", `/tenant/ideabanks/${panel.bank.id}/visitor-tokens`);
    await expect.poll(async () => tokenOf(await page(`${bank}/embed`))).not.toBe(before);
  });

  it("say which choice for the code was refused, and keep what was typed and chosen", async () => {
    const { bank, page } = await createDesk();
    const html = await page(`${bank}/embed?elements=&elements=board&color=blue&signIn=http://shop.example`);
    expect(html).toContain("Color must look like #2a4fd0");
    expect(html).toContain("Sign-in URL must begin with https:// or /");
    // A field for a color has one: that of the elements, which the code need not name.
    expect(html).toMatch(/name="color" type="color" value="#2a4fd0"/);
    const colored = async (color: string) =>
      (await page(`${bank}/embed?color=${color}`)).includes("--idea-bank-accent");
    expect([await colored("%232a4fd0"), await colored("%23c02050")]).toEqual([false, true]);
    expect(await page(`${bank}/embed?elements=`)).toContain("Choose at least one element to show.");
  });

  it("that are internal and have neither changelog nor surveys have nothing to embed, and say so", async () => {
    const { bank, page, panel } = await createDesk();
    await panel.manage("PATCH", "", { changelogEnabled: false, internal: true, surveysEnabled: false });
    const html = await page(`${bank}/embed`);
    expect(html).toContain("there is nothing to show on your site");
    expect(html).not.toContain('id="page"');
  });

  it("that are internal still ask: the survey is what can be embedded", async () => {
    const { bank, page, panel } = await createDesk();
    await panel.manage("PATCH", "", { changelogEnabled: false, internal: true });
    const html = await page(`${bank}/embed`);
    expect(html).toContain("/embed/survey.js");
    expect(html).toMatch(/&lt;idea-bank-survey token=&quot;ibv_\w+&quot;&gt;/);
    expect(html).not.toMatch(/name="elements" value="(?:board|changelog|roadmap|launcher)"/);
  });

  it("keep the address of their page from the embed page, and its fields where it is refused", async () => {
    const { bank, page, owner, opened } = await createDesk();
    const sent = { was: "url=", url: "https://shop.example/ideas", back: `/account${bank}/embed?lang=de&done=saved` };
    expect(await opened(`${bank}/embed?lang=de`, "Save")).toMatchObject({ was: "url=", back: sent.back });
    expect((await owner.submit(`${bank}/settings`, sent)).headers.get("Location")).toBe(sent.back);
    const saved = await page(`${bank}/embed?lang=de&done=saved`);
    for (const part of ['value="https://shop.example/ideas"', ">Saved.</p>"]) expect(saved).toContain(part);
    expect(saved.replace(/ name="back" value="[^"]*"/g, "")).not.toContain("done=saved");
    const refused = await owner.submit(`${bank}/settings`, { ...sent, url: "ftp://x" });
    expect(refused.status).toBe(400);
    const html = await refused.text();
    // Saved as it stands, it changes the address alone.
    expect(html).toMatch(/name="was" value="name=An\+idea\+bank&amp;.*&amp;url="/);
    expect(html).toContain(`name="name" value="An idea bank"`);
  });

  it("hand out nothing that is switched off, and switch it on by one press that leads back", {
    tags: "slow",
  }, async () => {
    const { panel, bank, page, owner } = await createDesk();
    await panel.manage("PATCH", "", { changelogEnabled: false, votingEnabled: false });
    const html = await page(`${bank}/embed?elements=board&elements=changelog`);
    expect(html).not.toContain("idea-bank-changelog");
    expect(html).toContain("The changelog is off");
    const pressed = async (button: string) => {
      const form = await readForm(await owner.page(`${bank}/embed`), button);
      return owner.submit(form.action.replace("/account", ""), Object.fromEntries(form.fields));
    };
    const on = await pressed("Turn on the changelog");
    expect(on.headers.get("Location")).toBe(`/account${bank}/embed`);
    await panel.manage("PATCH", "", { status: "DRAFT" });
    const draft = await page(`${bank}/embed`);
    expect(draft).toContain("This board isn’t open yet");
    expect(draft).not.toContain("<iframe");
    await pressed("Open board");
    await panel.manage("PATCH", "", { status: "CLOSED" });
    expect(await page(`${bank}/embed`)).toContain("This board is closed. Visitors see nothing.");
    await pressed("Reopen board");
    // Each press has changed one setting.
    const read = await panel.tenant.send("GET", `/tenant${bank.replace("-", "")}`);
    expect(await read.json()).toMatchObject({ status: "OPEN", changelogEnabled: true, votingEnabled: false });
    expect(await page(`${bank}/embed`)).toContain("idea-bank-changelog");
  });

  it("are deleted", { tags: "slow" }, async () => {
    const { panel, owner, bank, activity, page } = await createDesk();
    await panel.propose();
    const idea = await panel.propose();
    await panel.manage("POST", `/proposals/${idea}/comments`, { body: "A comment" });
    expect(await page(`${bank}/settings`)).toContain("2 ideas with their votes, and 1 comment go with it.");
    const deleted = await owner.submit(`${bank}/settings`, { do: "delete" });
    expect(deleted.status).toBe(303);
    const list = deleted.headers.get("Location")?.replace("/account", "") ?? "";
    expect(await page(list)).toContain("“An idea bank” was deleted.</p>");
    expect((await panel.tenant.send("GET", `/tenant/ideabanks/${panel.bank.id}`)).status).toBe(403);
    expect((await activity())[0]).toMatchObject({ event: "ideabank-deleted", changes: { after: {} } });
    expect((await owner.submit(`${bank}/settings`, { do: "delete" })).status).toBe(404);
    expect((await owner.page(`${bank}/settings`)).status).toBe(404);
  });
});

describe("what an owner decides", () => {
  it("is nobody else's, takes nothing from another site, and is no member's who was removed meanwhile", {
    tags: "slow",
  }, async () => {
    const { panel, opened, owner, bank } = await createDesk();
    const form = { ...(await opened(`${bank}/settings`, "Save")), name: "Late" };
    const stranger = createOwner();
    expect((await stranger.page(`${bank}/settings`)).status).toBe(404);
    expect((await stranger.submit(`${bank}/settings`, form)).status).toBe(404);
    const foreign = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
    expect((await owner.submit(`${bank}/settings`, form, foreign)).status).toBe(403);
    const added = await add(owner, createOwner("member@example.com"));
    const { id } = await added.json<{ id: string }>();
    const here = `?account=${panel.bank.accountId}`;
    let calls = 0;
    // Between opening the account and reading the board, before the change itself.
    const slow = interceptDatabases(env, () => async (_kind, makeCall) => {
      const answer = await makeCall();
      calls += 1;
      if (calls === 1) expect((await owner.json("DELETE", `/members/${id}`)).status).toBe(204);
      return answer;
    });
    const member = createOwner("member@example.com", slow);
    const late = await member.submit(`${bank}/settings${here}`, form);
    expect(calls).toBe(4);
    expect([late.status, (await late.text()).includes("You are not a member of this account.")]).toEqual([403, true]);
    const named = databaseOf(panel.bank.id).prepare("SELECT name FROM idea_banks WHERE id = ?1").bind(panel.bank.id);
    expect(await named.first("name")).not.toBe("Late");
  });

  it("reaches webhooks after the answer", async () => {
    const receiver = createReceiver();
    const { panel, owner, bank } = await createDesk({ send: receiver.send });
    await addWebhook(panel.bank.accountId);
    await owner.submit(`${bank}/settings`, { do: "delete" });
    expect(receiver.taken).toMatchObject([{ body: { type: "ideabank.deleted", by: "tenant" } }]);
  });
});
