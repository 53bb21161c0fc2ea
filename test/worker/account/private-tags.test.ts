/** Private tags: beside the public ones and never among them, on an idea's page, as a filter, and for several ideas at once. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { runJob } from "../../support/job.ts";
import { numbers } from "../../support/many-rows.ts";
import { readForm } from "../../support/read-forms.ts";

const titlesIn = (html: string) => [...html.matchAll(/<h2 dir="auto"><a [^>]*>([^<]*)</g)].map(([, title]) => title);

async function createScene() {
  const desk = await createDesk();
  const { panel, owner, bank } = desk;
  const { accountId } = panel.bank;
  const rows = async (sql: string, ...values: unknown[]) =>
    (
      await databaseOf(accountId)
        .prepare(sql)
        .bind(...values)
        .all<Record<string, unknown>>()
    ).results;
  return {
    ...desk,
    ...{ accountId, rows },
    save: (idea: string, privateTags: string, was = "") =>
      owner.submit(`${bank}/ideas/${idea}`, {
        do: "private-tags",
        was: `${new URLSearchParams({ privateTags: was })}`,
        privateTags,
      }),
    tagsOf: async (idea: string) =>
      JSON.parse(
        String((await rows("SELECT private_tags FROM proposals WHERE id = ?1", idea))[0]?.private_tags ?? "[]"),
      ),
    counted: () =>
      rows("SELECT tag, proposals FROM account_private_tags WHERE account_id = ?1 ORDER BY tag", accountId),
  };
}

it("are saved from a box of their own, which says who sees them; public tags stay, and no other box is saved", {
  tags: "slow",
}, async () => {
  const { panel, bank, owner, page, opened, idea, tagsOf, counted } = await createScene();
  const id = await panel.propose({ title: "Night buses", tags: ["Bus"] });
  const path = `${bank}/ideas/${id}`;
  const before = await idea(id);
  expect(await page(path)).toContain("Private tags: only your team");
  const form = await readForm(await owner.page(path), "Save private tags");
  expect([...form.fields.keys()].toSorted()).toEqual(["privateTags", "was"]);
  const privateTags = " 2027-Q1, Acme Ltd,acme ltd ,";
  const answer = await owner.submit(path, {
    ...(await opened(path, "Save private tags")),
    do: "private-tags",
    privateTags,
  });
  expect(answer.status).toBe(303);
  expect(await tagsOf(id)).toEqual(["2027-Q1", "Acme Ltd"]);
  expect(await counted()).toEqual([
    { tag: "2027-Q1", proposals: 1 },
    { tag: "Acme Ltd", proposals: 1 },
  ]);
  expect(await idea(id)).toEqual(before);
  const html = await page(path);
  expect(html).toContain('value="2027-Q1, Acme Ltd"');
  expect(await page("/ideas")).toMatch(
    /<span class="tag private"[^>]*><span class="unseen">Private tag: <\/span><bdi>2027-Q1/,
  );
});

it("what a colleague has set meanwhile stays, and what was too much is refused where it stands", {
  tags: "slow",
}, async () => {
  const { panel, save, tagsOf } = await createScene();
  const id = await panel.propose();
  await save(id, "A, B");
  // Two pages were opened with A and B: one takes B away, the other adds C.
  await save(id, "A", "A, B");
  await save(id, "A, B, C", "A, B");
  expect(await tagsOf(id)).toEqual(["A", "C"]);
  const many = Array.from({ length: 21 }, (_, index) => `t${index}`).join(", ");
  const refused = await save(id, many);
  expect(refused.status).toBe(400);
  const html = await refused.text();
  expect(html).toContain("Use at most 20 tags.");
  expect(html).toContain(`value="${many}"`);
  expect((await save(id, "x".repeat(51))).status).toBe(400);
  expect(await tagsOf(id)).toEqual(["A", "C"]);
});

it("are a filter over all boards, with the other filters, in pages, whatever the capitals", {
  tags: "slow",
}, async () => {
  const { panel, owner, page, save } = await createScene();
  const made = await panel.tenant.send("POST", "/tenant/ideabanks", { name: "Second", status: "OPEN" });
  const { id: second } = await made.json<{ id: string }>();
  const other = await panel.tenant.send("POST", `/tenant/ideabanks/${second}/proposals`, { title: "Other board" });
  const { id: elsewhere } = await other.json<{ id: string }>();
  const [planned, hidden] = [
    await panel.propose({ title: "Planned", status: "planned", tags: ["Bus"] }),
    await panel.propose({ title: "Hidden", visibility: "hidden" }),
  ];
  await panel.propose({ title: "None" });
  await save(planned, "2027-Q1");
  await save(hidden, "2027-Q1, Acme");
  await owner.submit(`/idea-banks/${second}/ideas/${elsewhere}`, { do: "private-tags", privateTags: "2027-Q2" });
  expect(titlesIn(await page("/ideas?privateTag=2027-q1"))).toEqual(["Hidden", "Planned"]);
  for (const [filter, titles] of [
    ["status=planned", ["Planned"]],
    ["visibility=hidden", ["Hidden"]],
    [`board=${panel.bank.id}&tag=bus`, ["Planned"]],
    [`board=${second}`, []],
    [`board=${panel.bank.id}`, ["Hidden", "Planned"]],
    ["q=hidden", ["Hidden"]],
    ["q=none", []],
    ["sort=top", ["Hidden", "Planned"]],
    ["assignee=none", ["Hidden", "Planned"]],
  ] as const)
    expect([filter, titlesIn(await page(`/ideas?privateTag=2027-Q1&${filter}`))]).toEqual([filter, titles]);
  const first = await page("/ideas?privateTag=2027-Q1&limit=1");
  expect(titlesIn(first)).toEqual(["Hidden"]);
  const next = first.match(/href="\/account(\/ideas\?[^"]*cursor=[^"]*)"/)?.[1]?.replaceAll("&amp;", "&");
  expect(titlesIn(await page(`${next}&limit=1`))).toEqual(["Planned"]);
  expect(titlesIn(await page("/ideas?privateTag=2027-Q2"))).toEqual(["Other board"]);
  expect(await page("/ideas")).toContain('<option value="2027-Q1">2027-Q1</option>');
});

it("are added to several ideas and taken away, and the public field beside them has another name", {
  tags: "slow",
}, async () => {
  const { panel, owner, tagsOf, save, idea } = await createScene();
  const ideas = [await panel.propose({ tags: ["Bus"] }), await panel.propose()];
  await save(ideas[0] ?? "", "Acme");
  const ids = ideas.map((id) => `${panel.bank.id}-${id}`);
  const press = (what: string, privateTag: string) => owner.submit("/ideas", { ids, do: what, privateTag, tag: "" });
  expect((await press("private-tag", "2027-Q1")).status).toBe(303);
  expect(await Promise.all(ideas.map(tagsOf))).toEqual([["Acme", "2027-Q1"], ["2027-Q1"]]);
  expect((await press("private-untag", "acme")).status).toBe(303);
  expect(await Promise.all(ideas.map(tagsOf))).toEqual([["2027-Q1"], ["2027-Q1"]]);
  expect((await press("private-tag", "")).status).toBe(400);
  expect(await idea(ideas[0] ?? "")).toMatchObject({ tags: ["Bus"] });
  expect(await idea(ideas[1] ?? "")).toMatchObject({ tags: [] });
});

it("say how many ideas have changed, keep what was chosen, and Undo takes back what was changed, and no more", {
  tags: "slow",
}, async () => {
  const { panel, owner, page, tagsOf, save } = await createScene();
  const ideas = [await panel.propose(), await panel.propose(), await panel.propose()];
  await save(ideas[0] ?? "", "Acme Ltd");
  const ids = ideas.map((id) => `${panel.bank.id}-${id}`);
  const list = "/account/ideas?sort=top";
  const press = async (what: string, privateTag: string) => {
    const answer = await owner.submit("/ideas", { ids, do: what, privateTag, back: list });
    return page((answer.headers.get("Location") ?? "").replace("/account", ""));
  };
  const undo = async (html: string) => {
    const form = await readForm(new Response(html), "Undo");
    const sent = Object.fromEntries([...form.fields.keys()].map((name) => [name, form.fields.getAll(name)]));
    const answer = await owner.submit("/ideas", { ...sent, do: /value="(private-\w+)">Undo</.exec(html)?.[1] ?? "" });
    return page((answer.headers.get("Location") ?? "").replace("/account", ""));
  };
  const tags = () => Promise.all(ideas.map(tagsOf));
  const added = await press("private-tag", "Acme Ltd");
  expect(added).toContain("“<bdi>Acme Ltd</bdi>” added to 2 ideas.");
  expect(added.match(/<input type="checkbox" name="ids"[^>]* checked=""/g)).toHaveLength(3);
  expect(await tags()).toEqual([["Acme Ltd"], ["Acme Ltd"], ["Acme Ltd"]]);
  const undone = await undo(added);
  expect(undone).toContain("“<bdi>Acme Ltd</bdi>” taken off 2 ideas.");
  expect(undone).toContain(`name="back" value="${list}"`);
  expect(await tags()).toEqual([["Acme Ltd"], [], []]);
  // Undo of that is the first act again, and a removed tag comes back as it was spelled.
  await undo(undone);
  expect(await tags()).toEqual([["Acme Ltd"], ["Acme Ltd"], ["Acme Ltd"]]);
  const removed = await press("private-untag", "acme ltd");
  expect(removed).toContain("“<bdi>Acme Ltd</bdi>” taken off 3 ideas.");
  expect(await press("private-untag", "acme ltd")).toContain("None of these ideas had “<bdi>acme ltd</bdi>”.");
  await undo(removed);
  expect(await tags()).toEqual([["Acme Ltd"], ["Acme Ltd"], ["Acme Ltd"]]);
  const again = await press("private-tag", "Acme Ltd");
  expect([again.includes("All of these ideas had “<bdi>Acme Ltd</bdi>”."), again.includes(">Undo<")]).toEqual([
    true,
    false,
  ]);
  // A link from elsewhere fills in no such form.
  const link = `/ideas?told=private-tags-saved&tagged=%2BTheirs&changed=${ids[0]}`;
  const fromElsewhere = { headers: { Referer: "https://evil.example/" } };
  const elsewhere = await owner.isolate.request(`/account${link}`, fromElsewhere);
  expect(await elsewhere.text()).not.toContain("Theirs");
});

it("of what was merged or deleted are in no list", { tags: "slow" }, async () => {
  const { panel, owner, bank, save, counted } = await createScene();
  const [source, target, gone] = [await panel.propose(), await panel.propose(), await panel.propose()];
  for (const id of [source, target, gone]) await save(id, "Q1");
  expect(await counted()).toEqual([{ tag: "Q1", proposals: 3 }]);
  await owner.submit(`${bank}/ideas/${source}/merge`, { into: target });
  await owner.submit(`${bank}/ideas/${gone}`, { do: "delete" });
  expect(await counted()).toEqual([{ tag: "Q1", proposals: 1 }]);
  await save(target, "q1", "Q1");
  expect(await counted()).toEqual([{ tag: "q1", proposals: 1 }]);
  await panel.tenant.send("DELETE", `/tenant/ideabanks/${panel.bank.id}`);
  await runJob(env);
  expect(await counted()).toEqual([]);
});

it("are at most 200 in an account, and the page says so", async () => {
  const { panel, save, rows, accountId, tagsOf } = await createScene();
  await rows(`${numbers(1, 200)} INSERT INTO account_private_tags SELECT ?1, 'tag ' || i, 1 FROM n`, accountId);
  const id = await panel.propose();
  const refused = await save(id, "One more");
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain("maximum of 200 private tags");
  expect(await tagsOf(id)).toEqual([]);
  expect((await save(id, "Tag 7")).status).toBe(303);
});

it("are another account's for nobody", { tags: "slow" }, async () => {
  const { panel, save, tagsOf } = await createScene();
  const id = await panel.propose();
  await save(id, "Ours");
  const other = await createScene();
  expect(
    (
      await other.owner.submit(`/idea-banks/${panel.bank.id}/ideas/${id}`, {
        do: "private-tags",
        privateTags: "Theirs",
      })
    ).status,
  ).toBe(404);
  await other.owner.submit("/ideas", { ids: [`${panel.bank.id}-${id}`], do: "private-tag", privateTag: "Theirs" });
  expect(await tagsOf(id)).toEqual(["Ours"]);
  expect(titlesIn(await other.page("/ideas?privateTag=Ours"))).toEqual([]);
  expect(await other.page("/ideas")).not.toContain("Ours");
});
