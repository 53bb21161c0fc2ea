/** The queue of ideas: over all boards and over one, in four orders, with the status set in its row; what asks before it is done. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { addVoters, addVotes, numbers } from "../../support/many-rows.ts";
import { createOwner } from "../../support/owner.ts";
import { createPanel } from "../../support/panel.ts";
import { readForm } from "../../support/read-forms.ts";

const titlesIn = (html: string) => [...html.matchAll(/<h2 dir="auto"><a [^>]*>([^<]*)</g)].map(([, title]) => title);
const locationOf = (answer: Response) => answer.headers.get("Location")?.replace(/^\/account/, "") ?? "";

/** A desk with a second board. */
async function createTwoBoards() {
  const desk = await createDesk();
  const { panel } = desk;
  const made = await panel.tenant.send("POST", "/tenant/ideabanks", { name: "Second <board>", status: "OPEN" });
  const { id: second } = await made.json<{ id: string }>();
  const propose = async (bank: string, fields: object) => {
    const answer = await panel.tenant.send("POST", `/tenant/ideabanks/${bank}/proposals`, fields);
    return (await answer.json<{ id: string }>()).id;
  };
  return { ...desk, first: panel.bank.id, second, propose };
}

describe("the queue", () => {
  it("has the ideas of all boards, the newest first, or those of one; a row says what it is about", {
    tags: "slow",
  }, async () => {
    const { panel, page, first, second, propose } = await createTwoBoards();
    await propose(first, { title: "Old", createdAt: "2020-01-01T00:00:00.000Z" });
    await propose(second, { title: "Middle", description: "\n**First** line\nsecond line", tags: ["Bus"] });
    const robin = await panel.panelist("Robin <b>");
    await robin.submit("New");
    const html = await page("/ideas");
    expect(titlesIn(html)).toEqual(["New", "Middle", "Old"]);
    const [, , middle = ""] = html.split('<li id="idea-');
    for (const part of [">Second &lt;board&gt;</bdi>", ">First line</p>", '<bdi class="tag">Bus</bdi>'])
      expect(middle).toContain(part);
    expect(middle).not.toContain("second line");
    expect(html).toContain("<bdi>Robin &lt;b&gt;</bdi>");
    expect(titlesIn(await page(`/ideas?board=${second}`))).toEqual(["Middle"]);
    expect((await createOwner().page(`/ideas?board=${second}`)).status).toBe(404);
    expect(titlesIn(await (await createOwner().page("/ideas")).text())).toEqual([]);
  });

  it("leads from a later page to the first one, with the same filters", { tags: "slow" }, async () => {
    const { page, first, propose } = await createTwoBoards();
    for (const title of ["One", "Two", "Three"]) await propose(first, { title });
    for (const [filters, words] of [
      ["", "Newest"],
      ["?sort=top&amp;status=submitted", "First page"],
    ] as const) {
      const start = `/ideas?${filters.slice(1).replace("&amp;", "&")}&limit=1`;
      const html = await page(start);
      expect(html).not.toContain(`>${words}</a>`);
      const [, cursor] = html.match(/cursor=([^"&]*)"/) ?? [];
      expect(await page(`${start}&cursor=${cursor}`)).toContain(`<a href="/account/ideas${filters}">${words}</a>`);
    }
  });

  it("is sorted by votes, by trend and by activity, in pages that keep the order and the filters", {
    tags: "slow",
  }, async () => {
    const { panel, page, first, second, propose, owner } = await createTwoBoards();
    const { accountId } = panel.bank;
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const wanted = await propose(first, { title: "Wanted", createdAt: daysAgo(300) });
    await propose(second, { title: "Fresh", createdAt: daysAgo(1) });
    const liked = await propose(second, { title: "Liked", createdAt: daysAgo(100) });
    await propose(first, { title: "Hidden", visibility: "hidden" });
    await addVoters({ accountId, id: first }, 1, 9);
    await addVotes({ accountId, id: first }, wanted, 1, 9);
    await addVotes({ accountId, id: second }, liked, 1, 3);
    expect(titlesIn(await page("/ideas?sort=top"))).toEqual(["Wanted", "Liked", "Fresh"]);
    expect(titlesIn(await page("/ideas?sort=hot"))).toEqual(["Fresh", "Liked", "Wanted"]);
    await panel.manage("POST", `/proposals/${wanted}/comments`, { body: "Soon" });
    expect(titlesIn(await page("/ideas?sort=active"))[0]).toBe("Wanted");
    // What the order leaves out is said above the list, with the way to it; nothing is said where it leaves out nothing.
    const leavesOut = "Hidden and waiting ideas are left out of this order.";
    const [above = "", list] = (await page("/ideas?sort=top&status=submitted")).split('<ol class="ideas"');
    expect(above).toContain(`${leavesOut} <a href="/account/ideas?status=submitted">`);
    expect(list).not.toContain(leavesOut);
    for (const query of ["sort=top&status=planned", `sort=top&board=${second}`, "sort=top&visibility=public", ""])
      expect(await page(`/ideas?${query}`)).not.toContain(leavesOut);
    // A visibility that has no order by votes is listed by age.
    const byAge = await page("/ideas?sort=top&visibility=hidden");
    expect(titlesIn(byAge)).toEqual(["Hidden"]);
    expect(byAge).toContain("Hidden ideas are always sorted by newest.");
    expect(await page(`/ideas?sort=top&tag=Bus&board=${first}`)).toContain("Ideas with a tag are always sorted");
    expect(await page("/ideas?visibility=hidden")).not.toContain("always sorted");
    const shown: (string | undefined)[] = [];
    let next: string | undefined = "/ideas?sort=top&status=submitted&limit=1";
    while (next !== undefined) {
      const html: string = await page(next);
      shown.push(...titlesIn(html));
      next = html.match(/href="\/account(\/ideas\?[^"]*cursor=[^"]*)"/)?.[1]?.replaceAll("&amp;", "&");
      if (next) expect(next).toMatch(/sort=top.*status=submitted|status=submitted.*sort=top/);
      next &&= `${next}&limit=1`;
    }
    expect(shown).toEqual(["Wanted", "Liked", "Fresh"]);
    expect((await owner.page("/ideas?sort=best")).status).toBe(400);
  });

  it("has the open ideas apart from those that are done or declined: in each order, by words and by tag", {
    tags: "slow",
  }, async () => {
    const { page, first, second, propose } = await createTwoBoards();
    const statuses = ["submitted", "planned", "implemented", "declined", "in-progress", "under-review"];
    for (const [at, status] of statuses.entries())
      await propose(at % 2 ? first : second, { title: `Bus ${status}`, status, tags: ["Bus"] });
    const open = ["Bus in-progress", "Bus planned", "Bus submitted", "Bus under-review"];
    for (const query of ["", "&sort=top", "&sort=hot", "&sort=active", "&q=bus"])
      expect([query, titlesIn(await page(`/ideas?status=open${query}`)).toSorted()]).toEqual([query, open]);
    for (const query of ["&q=bus", "&tag=Bus"])
      expect(titlesIn(await page(`/ideas?status=open${query}&board=${first}`)).toSorted()).toEqual([
        "Bus planned",
        "Bus under-review",
      ]);
    expect(await page("/ideas?status=open")).toMatch(/aria-current="page">Open</);
  });

  it("has the number of each status, up to 99", { tags: "slow" }, async () => {
    const { page, first, propose } = await createTwoBoards();
    await propose(first, { title: "One", status: "planned" });
    await propose(first, { title: "Two", status: "planned", visibility: "hidden" });
    const html = await page("/ideas");
    expect(html.replace(/<[^>]*>/g, "")).toContain("Planned 2");
    expect(titlesIn(await page("/ideas?status=planned"))).toEqual(["Two", "One"]);
    // They are no numbers of what was searched for, or filtered.
    for (const query of ["q=one", "visibility=hidden"])
      expect((await page(`/ideas?${query}`)).replace(/<[^>]*>/g, "")).not.toContain("Planned 2");
  });

  it("sorts and filters what it finds as it does a list", { tags: "slow" }, async () => {
    const { panel, page, first, propose } = await createTwoBoards();
    const robin = await panel.panelist("Robin");
    const wanted = await propose(first, { title: "Night buses", tags: ["Bus", "Night"] });
    await propose(first, { title: "Night trains", tags: ["Rail"] });
    const late = await propose(first, {
      title: "Late",
      description: "More at night",
      tags: ["bus"],
      visibility: "hidden",
    });
    for (const id of [wanted, late]) await panel.manage("PUT", `/proposals/${id}/votes/${robin.id}`);
    await panel.manage("PUT", `/proposals/${wanted}/votes/${(await panel.panelist("Kim")).id}`);
    const found = async (query: string) => titlesIn(await page(`/ideas?q=night${query}`));
    expect(await found("")).toEqual(["Night buses", "Night trains", "Late"]);
    expect(await found("&sort=new")).toEqual(["Late", "Night trains", "Night buses"]);
    expect(await found("&sort=top")).toEqual(["Night buses", "Late", "Night trains"]);
    expect(await found(`&sort=top&board=${first}`)).toEqual(["Night buses", "Late", "Night trains"]);
    expect(await found(`&sort=top&tag=Bus&board=${first}`)).toEqual(["Night buses", "Late"]);
    expect(await found(`&tag=Rail&board=${first}`)).toEqual(["Night trains"]);
    expect(await page(`/ideas?q=night&sort=top&tag=Bus&board=${first}`)).not.toContain("always sorted");
  });

  it("is filtered by public tag over all boards: in each order, with the other filters, in pages, and in a search", {
    tags: "slow",
  }, async () => {
    const { page, first, second, propose, panel } = await createTwoBoards();
    const robin = await panel.panelist("Robin");
    const wanted = await propose(first, { title: "Wanted", tags: ["Bus", "Night"], status: "planned" });
    await propose(second, { title: "Other", tags: ["bus"] });
    await propose(second, { title: "Hidden", tags: ["Bus"], visibility: "hidden" });
    await propose(second, { title: "Waits", tags: ["Bus"], visibility: "pending" });
    await propose(second, { title: "Without", tags: ["Rail"] });
    await panel.manage("PUT", `/proposals/${wanted}/votes/${robin.id}`);
    const html = await page("/ideas?tag=bus");
    expect(titlesIn(html)).toEqual(["Waits", "Hidden", "Other", "Wanted"]);
    expect(html).toMatch(/<select name="tag"><option value="">Any tag<\/option><option value="[Bb]us"/);
    for (const [filter, titles] of [
      ["sort=top", ["Wanted", "Other"]],
      ["status=planned", ["Wanted"]],
      ["visibility=hidden", ["Hidden"]],
      ["visibility=pending", ["Waits"]],
      ["q=other", ["Other"]],
      ["q=without", []],
      ["status=unanswered&sort=top", ["Wanted", "Other"]],
      ["sort=top-30", ["Wanted"]],
      [`board=${second}`, ["Waits", "Hidden", "Other"]],
    ] as const)
      expect([filter, titlesIn(await page(`/ideas?tag=Bus&${filter}`))]).toEqual([filter, titles]);
    const shown: (string | undefined)[] = [];
    for (let next: string | undefined = "/ideas?tag=Bus&limit=1"; next !== undefined; ) {
      const one: string = await page(next);
      shown.push(...titlesIn(one));
      next = one.match(/href="\/account(\/ideas\?[^"]*cursor=[^"]*)"/)?.[1]?.replaceAll("&amp;", "&");
      next &&= `${next}&limit=1`;
    }
    expect(shown).toEqual(["Waits", "Hidden", "Other", "Wanted"]);
    expect(titlesIn(await (await createOwner().page("/ideas?tag=Bus")).text())).toEqual([]);
    expect(await (await createOwner().page("/ideas")).text()).not.toContain('value="Rail"');
  });

  it("says how many open ideas have no response, unless something else filters", { tags: "slow" }, async () => {
    const { page, first, second, propose } = await createTwoBoards();
    await propose(first, { title: "One" });
    await propose(first, { title: "Two", response: { text: "Yes." } });
    await propose(second, { title: "Three", status: "planned" });
    await propose(second, { title: "Four", status: "declined" });
    const says = async (query: string) =>
      (await page(`/ideas?status=unanswered${query}`)).match(/[\d,+]+ open ideas? ha\w+ no response\./)?.[0];
    expect(await says("")).toBe("2 open ideas have no response.");
    expect(await says("&sort=top")).toBe("2 open ideas have no response.");
    expect(await says(`&board=${first}`)).toBe("1 open idea has no response.");
    expect(await says("&tag=Bus")).toBeUndefined();
  });

  it("is searched by titles, texts and names of authors", { tags: "slow" }, async () => {
    const { panel, page, first, second, propose } = await createTwoBoards();
    await propose(first, { title: "Night buses" });
    await propose(second, { title: "Ferries", description: "Also on Sunday NIGHTS" });
    await (await panel.panelist("Nightingale")).submit("Dogs");
    await propose(first, { title: "Other" });
    const found = async (query: string) => titlesIn(await page(`/ideas?q=${query}`)).toSorted();
    expect(await found("night")).toEqual(["Dogs", "Ferries", "Night buses"]);
    expect(await found(`night&board=${first}`)).toEqual(["Dogs", "Night buses"]);
    expect(await found("night&status=planned")).toEqual([]);
    expect(await found("%25")).toEqual([]);
    const says = async (query: string) =>
      (await page(`/ideas?q=${query}`)).match(/<p class="hint">([^<]*1,000 ideas\.)/)?.[1];
    expect(await says("night")).toBe("3 ideas match. Authors and parts of words: the newest 1,000 ideas.");
    expect(await says("ferries")).toBe("1 idea matches. Authors and parts of words: the newest 1,000 ideas.");
    expect(await says("zebra")).toBeUndefined();
    for (let count = 0; count < 20; count++) await propose(first, { title: `Night ${count}` });
    expect(await says("night")).toBe(
      "The 20 ideas that match best. Authors and parts of words: the newest 1,000 ideas.",
    );
  });

  it("is searched by the words of all titles of all boards: the best match first, then the most votes", {
    tags: "slow",
  }, async () => {
    const { panel, page, first, second, propose } = await createTwoBoards();
    const robin = await panel.panelist("Robin");
    await propose(second, { title: "Mode of payment" });
    await propose(first, { title: "A mode that is dark and warm" });
    await propose(second, { title: "Dark mode in winter" });
    await propose(first, { title: "Dark mode" });
    const voted = await propose(first, { title: "Dark mode for all" });
    await panel.manage("PUT", `/proposals/${voted}/votes/${robin.id}`);
    await databaseOf(first)
      .prepare(
        `${numbers(1, 1_100)} INSERT INTO proposals (id, account_id, idea_bank_id, title, description, created_at, last_activity_at, words)
         SELECT substr(?1, 1, 7) || (10000 + i), account_id, id, 'Newer ' || i, 'D', ?2 + i, ?2, '["newer"]' FROM idea_banks, n WHERE id = ?1`,
      )
      .bind(first, Date.now() + 1_000)
      .run();
    expect(titlesIn(await page("/ideas?q=dark+mode"))).toEqual([
      "Dark mode",
      "Dark mode for all",
      "Dark mode in winter",
      "A mode that is dark and warm",
      "Mode of payment",
    ]);
    // Words that many titles have hide nothing that has both.
    await databaseOf(first)
      .prepare(
        `${numbers(1, 100)} INSERT INTO proposals (id, account_id, idea_bank_id, title, description, created_at, last_activity_at, words)
         SELECT substr(?1, 1, 7) || (20000 + i), account_id, id, 'Many', 'D', ?2 + i, ?2, iif(i % 2, '["dark"]', '["mode"]') FROM idea_banks, n WHERE id = ?1`,
      )
      .bind(first, Date.now() + 1_000)
      .run();
    for (const query of ["", `&board=${first}`])
      expect(titlesIn(await page(`/ideas?q=dark+mode${query}`)).slice(0, 2)).toEqual([
        "Dark mode",
        "Dark mode for all",
      ]);
    expect(titlesIn(await page("/ideas?q=dark+mode&sort=top"))[0]).toBe("Dark mode for all");
    expect(titlesIn(await page(`/ideas?q=dark+mode&board=${second}`))).toEqual([
      "Dark mode in winter",
      "Mode of payment",
    ]);
  });

  it("is searched by the texts of comments, which are deleted right there", { tags: "slow" }, async () => {
    const { owner, panel, page, first, second, propose } = await createTwoBoards();
    const dogs = await propose(first, { title: "Dogs" });
    const robin = await panel.panelist("Robin");
    await robin.send("POST", `/ideabank/proposals/${dogs}/comments`, { body: "A RUDE word" });
    await panel.manage("POST", `/proposals/${dogs}/comments`, { body: "rude of us" });
    const found = async (path: string) =>
      [...((await page(path)).split('<h2 id="comments">')[1]?.matchAll(/class="pending-text">([^<]*)/g) ?? [])].map(
        ([, text]) => text,
      );
    expect(await found("/ideas?q=rude")).toEqual(["rude of us", "A RUDE word"]);
    expect(await found(`/ideas?q=rude&board=${second}`)).toEqual([]);
    const hint = "No comments match. Authors and parts of words: the newest 1,000 comments.";
    expect(await page("/ideas?q=nothing")).toContain(hint);
    expect(await page("/ideas")).not.toContain("1,000 comments");
    // By the name of who wrote them, and by the ID that the tenant has for them.
    expect(await found("/ideas?q=robi")).toEqual(["A RUDE word"]);
    expect(await found(`/ideas?q=${robin.externalId}`)).toEqual(["A RUDE word"]);
    expect(await found(`/ideas?q=robin&board=${second}`)).toEqual([]);
    expect(await (await createOwner().page("/ideas?q=rude")).text()).not.toContain("rude of us");
    const { action, fields } = await readForm(await owner.page("/ideas?q=rude%20word"), "Delete");
    const sent = { ...Object.fromEntries(fields), do: "delete-comment" };
    expect(locationOf(await owner.submit(action.replace("/account", ""), sent))).toMatch(
      /^\/ideas\?q=rude(%20|\+)word&undo=/,
    );
    expect(await found("/ideas?q=rude")).toEqual(["rude of us"]);
  });

  it("sets the status of one idea in its row, and comes back to where it was", async () => {
    const { owner, idea, first, propose } = await createTwoBoards();
    const [one, two] = [await propose(first, { title: "One" }), await propose(first, { title: "Two" })];
    const back = "/account/ideas?sort=top";
    const fields = { back, [`status-${one}`]: "planned", [`status-${two}`]: "declined" };
    const answer = await owner.submit("/ideas", { ...fields, do: `status:${first}-${one}` });
    expect(locationOf(answer)).toMatch(/^\/ideas\?sort=top&undo=\w{12}$/);
    expect([(await idea(one)).status, (await idea(two)).status]).toEqual(["planned", "submitted"]);
    expect((await owner.submit("/ideas", { ...fields, do: "status:nonsense" })).status).toBe(404);
    expect((await createOwner().submit("/ideas", { ...fields, do: `status:${first}-${one}` })).status).toBe(404);
  });

  it.each(["status:../x-../../y", "status:a%2Fb-c", "status:"])(
    "leads nowhere by what is no identifier: %s",
    async (what) => {
      const { owner, first } = await createTwoBoards();
      const publishes = {
        do: what,
        "status-..": "implemented",
        "status-undefined": "implemented",
        "status-c": "implemented",
      };
      for (const page of ["/ideas", `/idea-banks/${first}`])
        expect((await owner.submit(page, publishes)).status).toBe(404);
      expect((await owner.submit("/idea-banks/..%2Fx", { do: "status:" })).status).toBe(404);
    },
  );

  it("answers the most wanted ideas in their rows, one after the other, with the filters kept", {
    tags: "slow",
  }, async () => {
    const { owner, panel, page, opened, idea, first, second, propose } = await createTwoBoards();
    await propose(first, { title: "Answered", response: { text: "Soon" } });
    await propose(second, { title: "Shipped", status: "implemented" });
    const hidden = await propose(first, { title: "Hidden", visibility: "hidden", tags: ["Bus", "Dog"] });
    const other = await propose(second, { title: "Other", description: "buses" });
    const wanted = await propose(first, { title: "Wanted <b>", tags: ["Bus"] });
    await addVoters({ accountId: panel.bank.accountId, id: first }, 1, 3);
    await addVotes({ accountId: panel.bank.accountId, id: first }, wanted, 1, 3);
    const tab = (await page("/ideas"))
      .match(/href="\/account([^"]*)"[^>]*>No response yet</)?.[1]
      ?.replace("&amp;", "&");
    expect(titlesIn(await page(tab ?? ""))).toEqual(["Wanted &lt;b&gt;", "Other"]);
    const without = async (query: string) => titlesIn(await page(`/ideas?status=unanswered&board=${first}&${query}`));
    expect(await without("sort=new&tag=Bus")).toEqual(["Wanted &lt;b&gt;", "Hidden"]);
    expect(await without("q=a")).toEqual(["Wanted &lt;b&gt;"]);
    expect(await page("/ideas")).toContain("<span>Responded</span>");
    // The first row is open, and after an answer the next one has the focus.
    expect((await page(tab ?? "")).match(/<details class="respond" open/g)).toHaveLength(1);
    const send = async (path: string, changes: Record<string, string>) => {
      const form = await readForm(await owner.page(path), "Post response");
      return owner.submit(form.action.replace("/account", ""), { ...Object.fromEntries(form.fields), ...changes });
    };
    const to = locationOf(await send(tab ?? "", { do: "decide", response: "We\r\nwill", status: "planned" }));
    expect(to).toMatch(/^\/ideas\?sort=top&status=unanswered&undo=\w{12}$/);
    expect(await idea(wanted)).toMatchObject({ status: "planned", response: { text: "We\nwill" }, tags: ["Bus"] });
    const next = await page(to);
    expect(titlesIn(next)).toEqual(["Other"]);
    for (const part of [
      "Response posted: “Wanted &lt;b&gt;”. Status: Submitted → Planned.",
      'autofocus="" aria-describedby="done"',
    ])
      expect(next).toContain(part);
    await owner.submit("/undo", await opened(to, "Undo"));
    expect(await idea(wanted)).toMatchObject({ status: "submitted", response: null });
    // What the row does not show stays as it is; Done opens the page that publishes.
    await send(`/ideas?board=${first}&visibility=hidden`, { do: "decide", response: "No" });
    expect(await idea(hidden)).toMatchObject({ visibility: "hidden", tags: ["Bus", "Dog"], response: { text: "No" } });
    const publish = await readForm(
      await send(`/ideas?board=${second}&status=unanswered`, { do: "decide", response: "Yes", status: "implemented" }),
      "Publish",
    );
    expect(publish.action).toMatch(new RegExp(`^/account/idea-banks/${second}/ideas/${other}/publish\\?back=`));
  });

  it("gets back who publishes from it, with the notice; the idea's page gets back who publishes there", {
    tags: "slow",
  }, async () => {
    const { owner, panel, page, opened, idea, first, propose } = await createTwoBoards();
    const [one, two, three] = [
      await propose(first, { title: "One" }),
      await propose(first, { title: "Two" }),
      await propose(first, { title: "Three" }),
    ];
    const list = "/ideas?sort=top&tag=Bus";
    const back = `/account${list}`;
    const respond = await readForm(await owner.page(`/ideas?board=${first}&q=Two`), "Post response");
    const here = `/idea-banks/${first}/ideas/${three}?back=${encodeURIComponent(back)}`;
    const decided = { do: "decide", status: "implemented" };
    const ways: [string, string, Response][] = [
      [
        one,
        list,
        await owner.submit("/ideas", { back, do: `status:${first}-${one}`, [`status-${one}`]: "implemented" }),
      ],
      [
        two,
        `/ideas?board=${first}&q=Two`,
        await owner.submit(respond.action.replace("/account", ""), {
          ...Object.fromEntries(respond.fields),
          ...decided,
          response: "Yes",
        }),
      ],
      [three, here, await owner.submit(here, { ...(await opened(here, "Save")), ...decided })],
    ];
    for (const [id, from, asked] of ways) {
      // With a response the answer is the page; it stores nothing.
      const publish = async () => (asked.status === 200 ? asked.clone() : owner.page(locationOf(asked)));
      const shown = await (await publish()).text();
      const link = `href="/account${from.replaceAll("&", "&amp;")}"`;
      const leads = [`${link}>Back to the ${from === here ? "idea" : "list"}</a>`, `${link}>Cancel</a>`];
      for (const part of asked.status === 200 ? [">Cancel</button>"] : leads) expect(shown).toContain(part);
      const { action, fields } = await readForm(await publish(), "Publish");
      const sent = { ...Object.fromEntries(fields), do: "publish" };
      const to = locationOf(await owner.submit(action.replace("/account", ""), sent));
      expect(to.replace(/&undo=\w{12}$/, "")).toBe(from);
      const changelog =
        id === one ? `/account/idea-banks/${first}/embed"` : 'https://site.example/new" target="_blank"';
      expect(await page(to)).toMatch(
        new RegExp(
          `” is published\\.( Response posted\\.)? <a href="${changelog}[^>]*>${id === one ? "Preview it on Embed" : "See the changelog"}</a>`,
        ),
      );
      await panel.manage("PATCH", "", { url: "https://site.example/new" });
      expect((await idea(id)).status).toBe("implemented");
    }
  });

  it("leads after a publication to the changelog on the board's own page, where it has one", {
    tags: "slow",
  }, async () => {
    const { owner, panel, bank, page } = await createDesk();
    const linkAfter = async () => {
      const id = await panel.propose();
      const answer = await owner.submit(`${bank}/ideas/${id}/publish`, {
        do: "publish",
        title: "New",
        description: "",
      });
      return /is published\.[^<]*<a href="([^"]+)"[^>]*>([^<]+)</.exec(await page(locationOf(answer)))?.slice(1);
    };
    expect(await linkAfter()).toEqual([`/account${bank}/embed`, "Preview it on Embed"]);
    await panel.manage("PATCH", "", { publicPage: true, name: "Ferries" });
    const [address = "", words] = (await linkAfter()) ?? [];
    expect([address, words]).toEqual([`/b/${panel.bank.id}/ferries/changelog`, "See the changelog"]);
    expect((await owner.isolate.request(address)).status).toBe(200);
    await panel.manage("PATCH", "", { changelogEnabled: false });
    expect((await linkAfter())?.[1]).toBe("Preview it on Embed");
  });

  it("replaces nobody's response unread", { tags: "slow" }, async () => {
    const { owner, panel, page, idea, first, propose } = await createTwoBoards();
    const one = await propose(first, { title: "One" });
    const form = await readForm(await owner.page("/ideas"), "Post response");
    await panel.manage("PATCH", `/proposals/${one}`, { response: { text: "A colleague’s" } });
    const path = form.action.replace("/account", "");
    const refused = await owner.submit(path, { ...Object.fromEntries(form.fields), do: "decide", response: "Mine" });
    expect(refused.status).toBe(409);
    const again = await refused.clone().text();
    for (const part of ["Changed in the meantime", "A colleague’s", ">Mine</textarea>"]) expect(again).toContain(part);
    expect((await idea(one)).response).toMatchObject({ text: "A colleague’s" });
    const { fields } = await readForm(refused, "Save mine all the same");
    expect((await owner.submit(path, Object.fromEntries(fields))).status).toBe(303);
    expect((await idea(one)).response).toMatchObject({ text: "Mine" });
    expect(await page("/ideas")).not.toContain("respond-");
  });
});

describe("ideas of several boards", () => {
  it("are decided about at once, each in its board", async () => {
    const { owner, panel, page, first, second, propose } = await createTwoBoards();
    const ids = [
      `${first}-${await propose(first, { title: "One" })}`,
      `${second}-${await propose(second, { title: "Two" })}`,
    ];
    // The bar begins with no status chosen, and so nothing is changed.
    expect(await page("/ideas")).toMatch(
      /<select name="status" aria-label="Status"><option value="">Status…<\/option>/,
    );
    const nothing = await page(locationOf(await owner.submit("/ideas", { ids, do: "status", status: "" })));
    expect(nothing).toContain("Choose a status.");
    expect(nothing.match(/name="ids"[^>]* checked=""/g)).toHaveLength(2);
    expect((await owner.events()).filter(({ event }) => event.startsWith("proposal"))).toEqual([]);
    expect((await owner.submit("/ideas", { ids, do: "status", status: "planned" })).status).toBe(303);
    for (const [bank, id] of ids.map((each) => each.split("-"))) {
      const read = await panel.tenant.send("GET", `/tenant/ideabanks/${bank}/proposals/${id}`);
      expect(await read.json()).toMatchObject({ status: "planned" });
    }
  });
});

describe("a new idea", { tags: "slow" }, () => {
  it("is added to a board, as the team's or for a person, once however often the form is sent", async () => {
    const { owner, page, opened, second } = await createTwoBoards();
    expect(await page("/ideas")).toContain('href="/account/ideas/new?back=%2Faccount%2Fideas"');
    const form = await opened(`/ideas/new?board=${second}`, "Add idea");
    expect(form).toMatchObject({ board: second, status: "submitted" });
    const sent = {
      ...{ ...form, title: "Night buses", description: "All\r\nweek" },
      ...{ panelistExternalId: "customer-42", asked: "customer-42", person: "new" },
    };
    const added = await owner.submit("/ideas/new", { ...sent, status: "planned" });
    const path = locationOf(added);
    expect(path).toMatch(new RegExp(`^/idea-banks/${second}/ideas/\\w{12}\\?back=`));
    const [idea = ""] = path.split("&undo=");
    expect(locationOf(await owner.submit("/ideas/new", { ...sent, status: "planned" }))).toContain(`${idea}&undo=`);
    expect(titlesIn(await page("/ideas"))).toEqual(["Night buses"]);
    const html = await page(path);
    expect(html).toContain("Idea added for customer-42.");
    expect(html).toContain("<p>All<br/>week</p>");
    expect(html).toMatch(/href="\/account\/people\/\w{12}\?back=/);
  });

  it("asks who is meant by an ID that nobody has, and creates nobody unasked", async () => {
    const { panel, owner, opened, page } = await createTwoBoards();
    const diego = { externalId: "customer-7", displayName: "Diego" };
    const { id } = await (await panel.tenant.send("POST", "/tenant/panelists", diego)).json<{ id: string }>();
    const form = await opened("/ideas/new", "Add idea");
    const typed = { ...form, title: "Night buses", description: "All week", panelistExternalId: "diego" };
    const asked = await owner.submit("/ideas/new", typed);
    const html = await asked.clone().text();
    expect(asked.status).toBe(400);
    for (const said of [
      "Did you mean",
      "<bdi>Diego</bdi> (<code>customer-7</code>)",
      "Create “<bdi>diego</bdi>” as a new",
    ])
      expect(html).toContain(said);
    const again = Object.fromEntries((await readForm(asked, "Add idea")).fields);
    expect(again).toMatchObject({ title: "Night buses", description: "All week", panelistExternalId: "diego" });
    // Without a choice it asks again. A choice is not one about another ID.
    for (const more of [{}, { person: id, panelistExternalId: "dog" }, { person: "new", panelistExternalId: "dog" }])
      expect((await owner.submit("/ideas/new", { ...again, ...more })).status).toBe(400);
    expect([titlesIn(await page("/ideas")), (await page("/people")).includes("<bdi>dog")]).toEqual([[], false]);
    const added = await page(locationOf(await owner.submit("/ideas/new", { ...again, person: id })));
    expect(added).toContain(`href="/account/people/${id}?back=`);
    expect(await page("/people")).not.toContain("<bdi>diego");
    const more = await owner.submit("/ideas/new", { ...again, title: "Dogs", person: "new" });
    expect(await page(locationOf(more))).not.toContain(`href="/account/people/${id}?back=`);
    expect(await page("/people")).toContain("<bdi>diego");
  });

  it("has the vote of its person, unless that is unticked, and a new person has a name", async () => {
    const { owner, opened, page } = await createTwoBoards();
    const form = await opened("/ideas/new", "Add idea");
    expect(form).toMatchObject({ vote: "on" });
    const sent = { ...form, title: "Night buses", panelistExternalId: "customer-42" };
    const asked = await owner.submit("/ideas/new", sent);
    const again = Object.fromEntries((await readForm(asked, "Add idea")).fields);
    expect(again).toMatchObject({ vote: "on", displayName: "" });
    const refused = await owner.submit("/ideas/new", { ...again, person: "new", displayName: "w".repeat(101) });
    expect([refused.status, (await refused.text()).includes("Name of the new person is too long")]).toEqual([
      400,
      true,
    ]);
    const named = { ...again, person: "new", displayName: " ACME Corp " };
    const html = await page(locationOf(await owner.submit("/ideas/new", named)));
    expect(html).toContain("Idea added for ACME Corp.");
    expect(html).toContain("<dt>Votes</dt><dd>1</dd>");
    const { vote: _, ...unticked }: Record<string, string> = sent;
    const refusedUnticked = await owner.submit("/ideas/new", { ...unticked, title: "" });
    expect((await readForm(refusedUnticked, "Add idea")).fields.has("vote")).toBe(false);
    expect(await page(locationOf(await owner.submit("/ideas/new", unticked)))).toContain("<dt>Votes</dt><dd>0</dd>");
    const ours = await page(locationOf(await owner.submit("/ideas/new", { ...form, title: "Dogs" })));
    for (const part of ["Idea added.", "<dt>Votes</dt><dd>0</dd>"]) expect(ours).toContain(part);
  });

  it("takes the longest text in any script", async () => {
    const { owner, opened, page } = await createTwoBoards();
    const form = await opened("/ideas/new", "Add idea");
    const added = await owner.submit("/ideas/new", {
      ...form,
      title: "夜".repeat(200),
      description: "夜".repeat(10_000),
    });
    expect(added.status).toBe(303);
    expect(titlesIn(await page("/ideas"))).toHaveLength(1);
  });

  it("is refused with what was typed, for nobody and for a board that is not the account's", async () => {
    const { owner, opened, page } = await createTwoBoards();
    const form = await opened("/ideas/new", "Add idea");
    const refused = await owner.submit("/ideas/new", { ...form, title: "", panelistExternalId: "nobody" });
    const html = await refused.text();
    expect([refused.status, html.includes("The idea wasn’t added."), html.includes('value="nobody"')]).toEqual([
      400,
      true,
      true,
    ]);
    const theirs = (await createPanel()).bank.id;
    expect(
      (await owner.submit("/ideas/new", { ...form, title: "A", board: theirs, panelistExternalId: "nobody" })).status,
    ).toBe(404);
    expect((await owner.page(`/ideas/new?board=${theirs}`)).status).toBe(200);
    expect(await page(`/ideas/new?board=${theirs}`)).not.toContain(theirs);
    expect(titlesIn(await page("/ideas"))).toEqual([]);
    expect(await page("/people?q=nobody")).not.toContain("/account/people/");
    // Where there is no board yet, the way leads to one.
    expect(locationOf(await createOwner().page("/ideas/new"))).toBe("/idea-banks#create");
  });
});

describe("setting several ideas to Done", { tags: "slow" }, () => {
  it("asks first, with what it publishes on which board; together they are published, and undone", async () => {
    const { owner, panel, page, opened, idea, first, second, propose } = await createTwoBoards();
    const one = await propose(first, { title: "pls <b> night busses" });
    const two = await propose(first, { title: "Two" });
    const three = await propose(second, { title: "Three" });
    await panel.tenant.send("PATCH", `/tenant/ideabanks/${second}`, { changelogEnabled: true });
    const hidden = await propose(first, { title: "Hidden", visibility: "hidden" });
    const done = await propose(first, { title: "Was done", status: "implemented" });
    const ids = [one, two, hidden, done].map((id) => `${first}-${id}`).concat(`${second}-${three}`);
    const back = "/account/ideas?sort=top";
    const asked = locationOf(await owner.submit("/ideas", { ids, do: "status", status: "implemented", back }));
    expect(asked).toMatch(/^\/ideas\/publish\?back=/);
    expect((await idea(one)).status).toBe("submitted");
    const html = await page(asked);
    const text = html.replace(/<[^>]*>/g, "");
    for (const part of [
      "Publish 3 entries?",
      "These 2 go out on An idea bank in your customers’ words.",
      "This goes out on Second &lt;board&gt; in your customers’ words.",
      "pls &lt;b&gt; night busses",
      "1 other idea will be set to Done without an entry",
    ])
      expect(text).toContain(part);
    expect(html).not.toContain("Was done");
    expect(html).toContain('href="/account/ideas?sort=top">Cancel</a>');
    const form = await readForm(await owner.page(asked), "Publish 3 entries");
    const sent = { ...Object.fromEntries(form.fields), ids: form.fields.getAll("ids") };
    const refused = await owner.submit("/ideas/publish", { ...sent, [`title-${two}`]: "" });
    expect(refused.status).toBe(400);
    expect((await refused.text()).replace(/<[^>]*>/g, "")).toContain("Title of “Two”");
    // One is put into the team's words, another one was changed in the meantime: it is left, and shown again.
    await panel.manage("PATCH", `/proposals/${one}`, { title: "Night buses" });
    const left = locationOf(await owner.submit("/ideas/publish", { ...sent, [`title-${two}`]: "Second" }));
    const shown = locationOf(await owner.page(left));
    expect([left, shown]).toEqual([expect.stringMatching(/^\/ideas\/publish\?/), expect.stringMatching(/^$/)]);
    expect((await idea(two)).title).toBe("Second");
    expect((await idea(one)).status).toBe("submitted");
    expect(await page(left)).toContain("Left out: the text was changed in the meantime.");
    const rest = await readForm(await owner.page(left), "Publish 1 entry");
    expect(rest.fields.get(`title-${one}`)).toBe("Night buses");
    const next = locationOf(
      await owner.submit("/ideas/publish", { ...Object.fromEntries(rest.fields), ids: rest.fields.getAll("ids") }),
    );
    const told = locationOf(await owner.page(next));
    expect(told).toMatch(/^\/ideas\?sort=top&undo=\w{12}$/);
    expect((await idea(hidden)).status).toBe("implemented");
    const read = await panel.tenant.send("GET", `/tenant/ideabanks/${second}/proposals/${three}`);
    expect(await read.json()).toMatchObject({ status: "implemented" });
    await owner.submit("/undo", await opened(told, "Undo"));
    expect([(await idea(one)).status, (await idea(two)).status]).toEqual(["submitted", "implemented"]);
    // With nothing left to publish it leads back.
    const empty = await owner.page(`/ideas/publish?ids=${first}-${two}&back=${encodeURIComponent(back)}`);
    expect([empty.status, locationOf(empty)]).toEqual([303, "/ideas?sort=top"]);
  });

  it("asks about a single one on its own page, and not where nothing is published", async () => {
    const { owner, panel, idea, first, propose } = await createTwoBoards();
    const [one, two] = [await propose(first, { title: "One" }), await propose(first, { title: "Two" })];
    const set = async (...ids: string[]) =>
      locationOf(
        await owner.submit("/ideas", { ids: ids.map((id) => `${first}-${id}`), do: "status", status: "implemented" }),
      );
    expect(await set(one)).toMatch(new RegExp(`^/idea-banks/${first}/ideas/${one}/publish\\?back=`));
    await panel.manage("PATCH", "", { changelogEnabled: false });
    expect(await set(one, two)).toMatch(/^\/ideas\?undo=/);
    expect((await idea(two)).status).toBe("implemented");
  });
});

describe("what cannot be undone asks first", { tags: "slow" }, () => {
  it("merging several: the most wanted stays unless another one is chosen, and the votes move", async () => {
    const { owner, panel, page, idea, first, second, propose } = await createTwoBoards();
    const ids = [];
    for (const title of ["One", "Two", "Three"]) ids.push(await propose(first, { title }));
    const [one = "", two = "", three = ""] = ids;
    const { accountId } = panel.bank;
    await addVoters({ accountId, id: first }, 1, 5);
    await addVotes({ accountId, id: first }, two, 1, 4);
    await addVotes({ accountId, id: first }, three, 3, 5);
    const back = "/account/ideas?sort=top";
    const chosen = ids.map((id) => `${first}-${id}`);
    const asked = locationOf(await owner.submit("/ideas", { ids: chosen, do: "merge", back }));
    const html = await page(asked);
    expect(html).toContain("You can’t undo a merge.");
    expect(html.match(/value="(\w{12})"[^>]* checked/)?.[1]).toBe(two);
    expect((await idea(one)).duplicateOf).toBeNull();
    const merged = await owner.submit("/ideas/merge", { ids: chosen, into: two, back });
    expect(locationOf(merged)).toBe("/ideas?sort=top&told=several-merged");
    expect(await page(locationOf(merged))).toMatch(/<p class="notice good" role="status"[^>]*>Ideas merged\.<\/p>/);
    expect([(await idea(one)).duplicateOf, (await idea(three)).duplicateOf]).toEqual([two, two]);
    expect(await idea(two)).toMatchObject({ duplicateOf: null, votes: 5 });
    const other = `${second}-${await propose(second, { title: "Elsewhere" })}`;
    for (const [ids, told] of [
      [`ids=${chosen[1]}&ids=${other}`, "merge-needs-one-board"],
      [`ids=${chosen[1]}`, "merge-needs-two"],
    ]) {
      const refused = await owner.page(`/ideas/merge?${ids}`);
      expect([refused.status, refused.headers.get("Location")]).toEqual([303, `/account/ideas?told=${told}`]);
    }
    expect(await (await owner.page("/ideas?told=merge-needs-two")).text()).toContain("Choose at least two ideas");
    expect((await owner.submit("/ideas/merge", { ids: chosen, into: "", back })).status).toBe(400);
    // Of two, the notice says which one was merged into which.
    const four = await propose(first, { title: "<Four>" });
    const pair = { ids: [chosen[1] ?? "", `${first}-${four}`], into: two, back };
    expect(await page(locationOf(await owner.submit("/ideas/merge", pair)))).toContain(
      `Merged “&lt;Four&gt;” into “<a href="/account/idea-banks/${first}/ideas/${two}"><bdi>Two</bdi></a>”.`,
    );
    const five = await propose(first, { title: "Five" });
    const here = locationOf(await owner.submit(`/idea-banks/${first}/ideas/${five}/merge`, { into: two }));
    expect(await page(here)).toContain("Merged “Five” into this idea.");
  });

  it("deleting several", async () => {
    const { owner, page, panel, first, propose } = await createTwoBoards();
    const ids = [
      `${first}-${await propose(first, { title: "One" })}`,
      `${first}-${await propose(first, { title: "<Two>" })}`,
    ];
    const asked = locationOf(await owner.submit("/ideas", { ids, do: "delete", back: "/account/ideas" }));
    const html = await page(asked);
    for (const part of ["Delete 2 ideas?", "You can’t undo this.", "&lt;Two&gt;"]) expect(html).toContain(part);
    expect(titlesIn(await page("/ideas"))).toHaveLength(2);
    const deleted = await page(locationOf(await owner.submit("/ideas/delete", { ids, back: "/account/ideas" })));
    expect([deleted.includes(">Ideas deleted.</p>"), titlesIn(deleted)]).toEqual([true, []]);
    const foreign = await createPanel();
    const theirs = `${foreign.bank.id}-${await foreign.propose()}`;
    expect((await owner.submit("/ideas/delete", { ids: theirs, back: "/account/ideas" })).status).toBe(404);
    expect(panel.bank.id).not.toBe(foreign.bank.id);
  });

  it("each counts as a change of its owner, and what is over the rate is not done", async () => {
    let left = 2;
    const limit: RateLimit["limit"] = async (options) => {
      left -= 1;
      return left < 0 ? { success: false } : env.OWNER_WRITES.limit(options);
    };
    const { owner, page, panel } = await createDesk({ bindings: { ...env, OWNER_WRITES: { limit } } });
    const bank = panel.bank.id;
    const ids = [];
    for (let count = 0; count < 3; count++) ids.push(`${bank}-${await panel.propose()}`);
    expect((await owner.submit("/ideas/delete", { ids, back: "/account/ideas" })).status).toBe(429);
    expect(titlesIn(await page("/ideas"))).toHaveLength(1);
  });
});
