/** What waits for approval: the filter of the owner's queue over all idea banks, the idea's page, and what is decided there. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Proposal } from "../../../src/worker/model/proposal.ts";
import { databaseOf } from "../../support/databases.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { numbers } from "../../support/many-rows.ts";
import { accept } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";
import { createPanel, PROPOSALS } from "../../support/panel.ts";

/** An owner with an open idea bank that requires approval, and a panelist. */
async function createScene() {
  const panel = await createPanel();
  const { accountId } = panel.bank;
  const email = await databaseOf(accountId)
    .prepare("SELECT owner_email FROM accounts WHERE id = ?1")
    .bind(accountId)
    .first<string>("owner_email");
  const owner = createOwner(email ?? "");
  await panel.manage("PATCH", "", { approvalRequired: true });
  const panelist = await panel.panelist("Robin");
  const bank = `/idea-banks/${panel.bank.id}`;
  const at = (id: string) => `${bank}/ideas/${id}`;
  const list = async (path = WAITING) => (await owner.page(path)).text();
  return {
    panel,
    owner,
    panelist,
    at,
    list,
    titles: async (path?: string) =>
      [...(await list(path)).matchAll(/<h2 dir="auto"><a href="[^"]*">([^<]*)</g)].map(([, title]) => title),
    decide: (id: string, fields: Record<string, string>) => owner.submit(at(id), fields),
    seen: async (id: string) => (await panelist.send("GET", `${PROPOSALS}/${id}`)).json<Record<string, unknown>>(),
  };
}

const WAITING = "/ideas?visibility=pending";
const APPROVE = { do: "approve" };
const HIDE = { do: "hide" };
const merge = (into: string) => ({ do: "merge", into });

const moreOf = (html: string) =>
  html.match(/href="\/account(\/ideas\?[^"]*cursor=[^"]+)"/)?.[1]?.replaceAll("&amp;", "&");

/** What each form says of the text that it is about. */
const editsIn = (html: string) => [...html.matchAll(/name="edits" value="(\d+)"/g)].map(([, edits]) => edits);

describe("the list", { tags: "slow" }, () => {
  it("has what is pending in every idea bank, what waits longest first, in pages", async () => {
    const { panel, owner, panelist, titles, list } = await createScene();
    const bank = await panel.tenant.send("POST", "/tenant/ideabanks", { name: "Another <bank>" });
    const { id: other } = await bank.json<{ id: string }>();
    const path = `/tenant/ideabanks/${other}/proposals`;
    const createdAt = "2020-01-01T00:00:00.000Z";
    await panel.tenant.send("POST", path, { title: "First", visibility: "pending", createdAt });
    await panelist.submit("Second", "x".repeat(600));
    const idea = await panel.propose({ title: "Public" });
    await panel.propose({ title: "Hidden", visibility: "hidden" });
    expect(await titles()).toEqual(["First", "Second"]);
    const html = await list();
    expect(html).toContain("Another &lt;bank&gt;");
    expect(html.match(/href="\/account\/people\/\w+\?back=[^"]*"><bdi>/g)).toHaveLength(1);
    // Pages that answer a form have the number, too.
    const preview = await owner.submit(`/idea-banks/${panel.bank.id}/ideas/${idea}`, { do: "preview-response" });
    expect(await preview.text()).toMatch(/class="count">2</);
    expect(html).toContain(`>${"x".repeat(500)}<`);
    // Nobody approves what was not shown.
    expect(html.match(/Read the full text/g)).toHaveLength(1);
    expect([...html.matchAll(/aria-label="((?:Choose|Approve|Hide) “\w+”)"/g)].map(([, label]) => label)).toEqual([
      "Choose “First”",
      "Approve “First”",
      "Hide “First”",
      "Choose “Second”",
      "Hide “Second”",
    ]);
    const ids = [...html.matchAll(/name="ids" value="([^"]+)"/g)].map(([, value]) => value ?? "");
    const left = await owner.submit("/ideas", { ids: ids.slice(1), do: "public", back: `/account${WAITING}` });
    expect(left.headers.get("Location")).toBe(`/account${WAITING}&told=waiting-left-out&left=1`);
    expect(await list(`${WAITING}&told=waiting-left-out&left=1`)).toContain(
      "1 idea was left out: its text is longer than shown here, or changed in the meantime. Open it to approve it.",
    );
    expect(await titles()).toEqual(["First", "Second"]);
    const [, second = ""] = html.match(/x{500}<.*?href="\/account([^"]+)">Read the full text/s) ?? [];
    const whole = await list(second);
    expect([whole.includes("Read the full text"), whole.includes("Approve “Second”")]).toEqual([false, true]);
    const more = moreOf(await list(`${WAITING}&limit=1`));
    expect([await titles(`${WAITING}&limit=1`), await titles(more)]).toEqual([["First"], ["Second"]]);
    expect(await titles(`${WAITING}&board=${other}`)).toEqual(["First"]);
    expect(await titles(`${WAITING}&status=planned`)).toEqual([]);
    await panel.tenant.send("DELETE", `/tenant/ideabanks/${other}`);
    expect(await titles()).toEqual(["Second"]);
    expect(await (await createOwner().page(WAITING)).text()).toContain("Nothing is waiting for approval.");
  });

  it("has a way to merge each of them, whether or not another idea is similar", async () => {
    const { panel, owner, panelist, list, at } = await createScene();
    const into = await panel.propose({ title: "Dogs" });
    for (const title of ["Night buses", "Dogs"]) {
      const id = await panelist.submit(title);
      const opened = `${at(id)}?back=${encodeURIComponent(`/account${WAITING}`)}`;
      const [, merge = ""] = (await list(opened)).match(/href="\/account([^"]*\/merge\?back=[^"]*)"/) ?? [];
      expect(merge).toContain(id);
      expect(await list(merge)).toContain("Search ideas");
      const merged = await owner.submit(merge, { into });
      expect(merged.headers.get("Location")).toContain(
        `/ideas/${into}?back=${encodeURIComponent(`/account${WAITING}`)}&undo=`,
      );
    }
  });

  it("goes on past what waited in a deleted idea bank, however much of it is not deleted yet", async () => {
    const { panel, titles, list } = await createScene();
    const { id, accountId } = panel.bank;
    // Two that wait, the second after more than a page looks at.
    const add = (bank: string, [from, to]: [number, number], title: string) =>
      databaseOf(accountId)
        .prepare(
          `${numbers(from, to)} INSERT INTO proposals (id, account_id, idea_bank_id, title, description, visibility, created_at, last_activity_at)
           SELECT substr(?1, 1, 8) || (i + 1000), ?1, ?2, ?3, 'D', 'pending', i, i FROM n`,
        )
        .bind(accountId, bank, title)
        .run();
    const gone = `${id.slice(0, 8)}gone`;
    await add(gone, [1, 1_100], "Deleted");
    await add(id, [1_101, 1_101], "First");
    await add(gone, [1_102, 2_101], "Deleted");
    await add(id, [2_102, 2_102], "Second");
    const seen = [];
    for (let path: string | undefined = WAITING; path !== undefined; path = moreOf(await list(path))) {
      expect(await list(path)).not.toContain("Nothing is waiting for approval.");
      seen.push(await titles(path));
    }
    expect(seen).toEqual([[], ["First"], ["Second"]]);
  });
});

describe("a decision", () => {
  it("approves: panelists see the proposal, with a response where there is one; the log says that the tenant did it", {
    tags: "slow",
  }, async () => {
    const { panel, panelist, decide, titles, seen, list } = await createScene();
    const id = await panelist.submit("Night buses");
    const answer = await decide(id, { ...APPROVE, response: "  Good.\r\nSoon. " });
    const [, event] =
      answer.headers.get("Location")?.match(/^\/account\/ideas\?visibility=pending&undo=(\w{12})$/) ?? [];
    expect(answer.status).toBe(303);
    expect(await list(`${WAITING}&undo=${event}`)).toContain(
      "Response posted: “Night buses”. Visibility: Waiting for approval → Public.",
    );
    expect(await titles()).toEqual([]);
    expect(await seen(id)).toMatchObject({ visibility: "public", response: { text: "Good.\nSoon." } });
    const changes = await panel.tenant.send("GET", "/tenant/changes?limit=100");
    const { items } = await changes.json<{ items: object[] }>();
    expect(items.at(-1)).toMatchObject({ type: "proposal.updated", by: "tenant", proposalId: id });
  });

  it("hides: nobody but the tenant sees it", async () => {
    const { panelist, decide, titles } = await createScene();
    const id = await panelist.submit("Spam");
    expect((await decide(id, { ...HIDE, response: "" })).status).toBe(303);
    expect(await titles()).toEqual([]);
    expect((await panelist.send("GET", `${PROPOSALS}/${id}`)).status).toBe(404);
  });

  it("is about several at once, each as it was seen, and is undone as it was made", { tags: "slow" }, async () => {
    const { owner, panelist, list, titles } = await createScene();
    const ids = [await panelist.submit("One"), await panelist.submit("Two"), await panelist.submit("Three")];
    const shown = [...(await list()).matchAll(/name="ids" value="([^"]+)"/g)].map(([, value]) => value ?? "");
    expect(shown.map((value) => value.split("-")[1])).toEqual(ids);
    await panelist.send("PATCH", `${PROPOSALS}/${ids[1]}`, { description: "Buy at evil.example" });
    const fields = { ids: shown.slice(0, 2), back: `/account${WAITING}&limit=50` };
    const nothing = await owner.submit("/ideas", { do: "public", back: fields.back });
    const empty = nothing.headers.get("Location") ?? "";
    expect(empty).toBe(`${fields.back}&told=nothing-chosen`);
    expect(await list(empty.replace("/account", ""))).toContain("Choose at least one idea.");
    const answer = await owner.submit("/ideas", { ...fields, do: "public" });
    const there = answer.headers.get("Location")?.replace("/account", "") ?? "";
    // The second one was edited since it was shown.
    expect(there).toMatch(/^\/ideas\?visibility=pending&limit=50&told=waiting-left-out&left=1&undo=\w{12}$/);
    expect(await titles()).toEqual(["Two", "Three"]);
    const html = await list(there.replace("&told=waiting-left-out", ""));
    expect(html).toContain("“One”: Visibility: Waiting for approval → Public.");
    // One key for the next one.
    expect(html).toMatch(/aria-label="Approve “Two”" aria-describedby="done" autofocus=""/);
    await owner.submit("/undo", { event: there.slice(-12), back: "https://evil.example/" });
    expect(await titles()).toEqual(["One", "Two", "Three"]);
    const late = await owner.submit("/ideas", { ids: shown.slice(1, 2), do: "public" });
    expect(late.headers.get("Location")).toBe("/account/ideas?told=waiting-left-out&left=1");
    const events = (await owner.events()).map(({ event }) => event);
    expect(events).toEqual(["proposal-changed", "proposal-changed"]);
  });

  it("about several says which one it was", { tags: "slow" }, async () => {
    const { owner, panelist, list } = await createScene();
    for (const title of ["One", "Two", "Three", "Four"]) await panelist.submit(title);
    const ids = [...(await list()).matchAll(/name="ids" value="([^"]+)"/g)].map(([, value]) => value ?? "");
    const decide = async (ids: string[], what: string) => {
      const answer = await owner.submit("/ideas", { ids, do: what });
      return list(answer.headers.get("Location")?.replace("/account", ""));
    };
    expect(await decide(ids.slice(0, 2), "public")).toContain(">2 ideas approved.<");
    expect(await decide(ids.slice(2), "hidden")).toContain(">2 ideas hidden.<");
    // Somebody has decided about them since they were shown.
    const late = "Nothing was changed: these ideas are no longer waiting for approval.";
    expect(await decide(ids.slice(0, 2), "hidden")).toContain(late);
    expect(await decide(ids.slice(2), "public")).toContain(late);
  });

  it("merges into one of those beside it", { tags: "slow" }, async () => {
    const { panel, panelist, decide, titles, list, seen, at } = await createScene();
    const into = await panel.propose({ title: "More night buses" });
    const others = [
      await panel.propose({ title: "Dark mode" }),
      await panel.propose({ title: "Night buses of old", visibility: "hidden" }),
    ];
    const id = await panelist.submit("Night buses");
    const review = await list(at(id));
    expect(review).toContain(`value="${into}"`);
    for (const other of [id, ...others]) expect(review).not.toContain(`value="${other}"`);
    expect((await decide(id, merge(into))).status).toBe(303);
    expect(await titles()).toEqual([]);
    expect(await seen(id)).toMatchObject({ duplicateOf: into });
  });

  it.each(["merged", "deleted"])(
    "is no merge into what was %s meanwhile: it says so, and lets choose again",
    { tags: "slow" },
    async (what) => {
      const { panel, panelist, decide, list, seen, at } = await createScene();
      const [into, other] = [
        await panel.propose({ title: "Night buses!" }),
        await panel.propose({ title: "Night buses" }),
      ];
      const id = await panelist.submit("Night buses?");
      const [edits = ""] = editsIn(await list(at(id)));
      await (what === "merged"
        ? panel.manage("POST", `/proposals/${into}/merge`, { into: other })
        : panel.manage("DELETE", `/proposals/${into}`));
      const refused = await decide(id, { ...merge(into), edits });
      const html = await refused.text();
      const said = `The other idea was ${what} in the meantime. Choose again.`;
      expect([refused.status, html.includes(said)]).toEqual([400, true]);
      expect(Array.from(html.matchAll(/name="into" value="(\w+)"/g), ([, value]) => value)).toEqual([other]);
      expect(await seen(id)).toMatchObject({ visibility: "pending", duplicateOf: null });
      // What its author has edited meanwhile comes first; and what was decided.
      await panelist.send("PATCH", `${PROPOSALS}/${id}`, { description: "Another text" });
      expect(await (await decide(id, { ...merge(into), edits })).text()).toContain("was edited since you saw it");
      expect((await decide(id, merge(other))).status).toBe(303);
      expect((await decide(id, { ...merge(into), edits })).status).toBe(400);
    },
  );

  it("is made once, however many decide at the same time, and not for what does not wait", {
    tags: "slow",
  }, async () => {
    const { panel, panelist, decide, seen, list, at } = await createScene();
    const id = await panelist.submit("Night buses");
    const answers = await Promise.all([APPROVE, HIDE, APPROVE, HIDE].map((fields) => decide(id, fields)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 400, 400, 400]);
    const late = await answers.find(({ status }) => status === 400)?.text();
    expect(late).toContain(
      "This idea is no longer waiting for approval. Somebody has decided about it in the meantime.",
    );
    expect(await list(at(id))).not.toContain("Approve");
    const [open, another] = [await panel.propose(), await panelist.submit("Dogs")];
    expect((await decide(open, { ...merge(another), edits: "0" })).status).toBe(400);
    for (const into of [another, await (await createPanel()).propose()])
      expect((await decide(another, { ...merge(into), edits: "1" })).status).toBe(400);
    expect(await seen(another)).toMatchObject({ visibility: "pending", duplicateOf: null });
  });

  it.each([
    ["merges what was just approved", APPROVE, "into"],
    ["merges what was just hidden", HIDE, "into"],
    ["merges what was just merged into another", "other", "into"],
    ["merges what was just merged into the same", "into", "into"],
    ["approves what was just merged", "into", { ...APPROVE, response: "Good." }],
    ["hides what was just merged", "into", HIDE],
  ] as const)("is made once: nobody %s", { tags: "slow" }, async (_, first, second) => {
    const { panel, owner, panelist, decide, at } = await createScene();
    const [into, other] = [await panel.propose({ title: "More night buses" }), await panel.propose()];
    const id = await panelist.submit("Night buses");
    const fieldsOf = (decision: typeof first | typeof second) =>
      typeof decision === "string"
        ? { ...merge(decision === "into" ? into : other), edits: "1" }
        : { ...decision, edits: "1" };
    let [decided, isOpen] = [0, false];
    const slow = interceptDatabases(env, () => async (_kind, makeCall) => {
      const answer = await makeCall();
      if (isOpen) {
        isOpen = false;
        decided = (await decide(id, fieldsOf(first))).status;
      }
      return answer;
    });
    // Both have seen that it waits.
    const another = createOwner(owner.email, slow);
    for (const one of [owner, another]) expect(await (await one.page(at(id))).text()).toContain("Approve");
    isOpen = true;
    const late = await another.submit(at(id), fieldsOf(second));
    expect([decided, late.status]).toEqual([303, 400]);
    expect(await late.text()).toContain("no longer waiting for approval");
    const { visibility, duplicateOf, response } = await (
      await panel.manage("GET", `/proposals/${id}`)
    ).json<Proposal>();
    const asDecided =
      typeof first === "string"
        ? ["pending", first === "into" ? into : other]
        : [first === APPROVE ? "public" : "hidden", null];
    expect([visibility, duplicateOf, response]).toEqual([...asDecided, null]);
  });

  it("is about the text that was seen: what its author has edited meanwhile is neither approved nor merged, but hidden", {
    tags: "slow",
  }, async () => {
    const { panel, panelist, decide, list, seen, titles, at } = await createScene();
    const into = await panel.propose({ title: "More night buses" });
    const id = await panelist.submit("Night buses");
    const [inList, alone] = [await list(), await list(at(id))].map(editsIn);
    expect([inList, alone]).toEqual([["1"], ["1", "1"]]);
    await panelist.send("PATCH", `${PROPOSALS}/${id}`, { description: "Buy at evil.example" });
    for (const fields of [APPROVE, merge(into)]) {
      const refused = await decide(id, { ...fields, edits: "1" });
      expect(refused.status).toBe(400);
      const html = await refused.text();
      expect(html).toContain("was edited since you saw it");
      expect(html).toContain("evil.example");
      expect(editsIn(html)).toEqual(["2", "2"]);
    }
    expect(await seen(id)).toMatchObject({ visibility: "pending", duplicateOf: null });
    expect((await decide(id, { ...HIDE, edits: "1" })).status).toBe(303);
    expect(await titles()).toEqual([]);
    const another = await panelist.submit("Dogs");
    expect((await decide(another, { ...APPROVE, edits: "1" })).status).toBe(303);
  });

  it("is nobody else's, and nobody's who was a member", { tags: "slow" }, async () => {
    const { owner, panelist, titles, at } = await createScene();
    const id = await panelist.submit("Night buses");
    const [stranger, member] = [createOwner(), createOwner()];
    for (const answer of [await stranger.page(at(id)), await stranger.submit(at(id), APPROVE)])
      expect(answer.status).toBe(404);
    const { accountId } = await (await owner.json("GET", "/members")).json<{ accountId: string }>();
    const { id: memberId } = await (await owner.json("POST", "/members", { email: member.email })).json<{
      id: string;
    }>();
    expect((await accept(member, memberId)).status).toBe(200);
    const here = `${at(id)}?account=${accountId}`;
    expect((await member.page(here)).status).toBe(200);
    // Who is a member of this account only, and chooses none, is led there, or told.
    const led = await member.page(at(id));
    expect([led.status, led.headers.get("Location")]).toEqual([303, `/account${here}`]);
    const told = await member.submit(at(id), APPROVE);
    const page = await told.text();
    expect([told.status, page.includes(`you are a member of ${accountId}`)]).toEqual([403, true]);
    expect(told.headers.get("Content-Security-Policy")).toContain(/nonce="([^"]+)"/.exec(page)?.[1]);
    // The form's body comes after the member has been removed.
    const removed = Promise.withResolvers<void>();
    const late = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await removed.promise;
        controller.enqueue(new TextEncoder().encode("do=approve"));
        controller.close();
      },
    });
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const answering = member.isolate.request(`/account${here}`, { method: "POST", headers, body: late });
    expect((await owner.json("DELETE", `/members/${memberId}`)).status).toBe(204);
    removed.resolve();
    expect((await answering).status).toBe(403);
    expect(await titles()).toEqual(["Night buses"]);
  });
});

describe("the forms", () => {
  it("take a response of 10,000 characters in any script, though a form sends each as up to twelve", async () => {
    const { panelist, decide, seen } = await createScene();
    const id = await panelist.submit("Night buses");
    const response = "🚌".repeat(10_000);
    expect((await decide(id, { ...APPROVE, response })).status).toBe(303);
    expect(await seen(id)).toMatchObject({ response: { text: response } });
  });

  it("show what is wrong at the field, what was typed, and take nothing from another site", {
    tags: "slow",
  }, async () => {
    const { panelist, owner, decide, titles, at } = await createScene();
    const id = await panelist.submit("<b>Spam</b>");
    const refused = await decide(id, { ...APPROVE, response: "x".repeat(10_001) });
    expect(refused.status).toBe(400);
    const html = await refused.text();
    expect(html).toContain("Official response is too long: 10,001 of 10,000 characters.");
    expect(html).toContain("x".repeat(10_001));
    expect(html).toContain("&lt;b&gt;Spam&lt;/b&gt;");
    expect((await decide(id, { do: "decide", visibility: "nonsense" })).status).toBe(400);
    const foreign = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
    expect((await owner.submit(at(id), APPROVE, foreign)).status).toBe(403);
    expect(await titles()).toEqual(["&lt;b&gt;Spam&lt;/b&gt;"]);
  });
});

describe("the addresses of 1.1.0", { tags: "slow" }, () => {
  it("lead to the filter and to the idea, with what they were opened with", async () => {
    const { owner, panelist, at } = await createScene();
    const id = await panelist.submit("Night buses");
    const leadsTo = async (path: string) => (await owner.page(path)).headers.get("Location");
    expect(await leadsTo("/approval")).toBe(`/account${WAITING}`);
    expect(await leadsTo("/approval?limit=50&cursor=x&undo=abc")).toBe(`/account${WAITING}&limit=50&undo=abc`);
    const back = encodeURIComponent(`/account${WAITING}`);
    expect(await leadsTo(`/approval/${id}`)).toBe(`/account${at(id)}?back=${back}`);
    expect((await createOwner().page(`/approval/${id}`)).status).toBe(404);
    expect((await owner.page("/approval/x")).status).toBe(404);
  });

  it("take the forms that were opened there: a browser sends them again", async () => {
    const { panel, owner, panelist, seen, titles } = await createScene();
    const into = await panel.propose({ title: "More night buses" });
    const send = async (path: string, fields: Record<string, string>) => {
      const led = await owner.submit(path, fields);
      expect(led.status).toBe(307);
      return owner.submit(led.headers.get("Location")?.replace("/account", "") ?? "", fields);
    };
    const ids = await Promise.all(["One", "Two", "Three", "Four"].map((title) => panelist.submit(title)));
    const [one, two, three, four] = ids.map((id) => `/approval/${id}`);
    await send(one ?? "", { visibility: "public", edits: "1", response: "Soon." });
    expect(await seen(ids[0] ?? "")).toMatchObject({ visibility: "public", response: { text: "Soon." } });
    await send(two ?? "", { visibility: "hidden", edits: "1" });
    await send(three ?? "", { into, edits: "1" });
    expect(await seen(ids[2] ?? "")).toMatchObject({ duplicateOf: into });
    expect(await titles()).toEqual(["Four"]);
    expect((await send(four ?? "", { visibility: "public", edits: "0" })).status).toBe(400);
    await send("/approval", { ids: `${panel.bank.id} ${ids[3]} 1`, visibility: "public" });
    expect(await titles()).toEqual([]);
  });
});
