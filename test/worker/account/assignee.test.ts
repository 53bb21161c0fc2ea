/** Who has an idea: on its page, in the queue, for several at once, after a merge, and when a member leaves. */
import { expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { add } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";
import { readForm } from "../../support/read-forms.ts";
import { newId } from "../../support/world.ts";

const titlesIn = (html: string) => [...html.matchAll(/<h2 dir="auto"><a [^>]*>([^<]*)</g)].map(([, title]) => title);
const locationOf = (answer: Response) => answer.headers.get("Location")?.replace(/^\/account/, "") ?? "";

/** A desk with a second member. */
async function createScene() {
  const desk = await createDesk();
  const { panel, owner } = desk;
  const { accountId } = panel.bank;
  const ana = createOwner(`ana.lopez-${crypto.randomUUID()}@example.com`);
  const { id: anaId } = await (await add(owner, ana)).json<{ id: string }>();
  const here = `account=${accountId}`;
  const rows = async (sql: string, ...values: unknown[]) =>
    (
      await databaseOf(accountId)
        .prepare(sql)
        .bind(...values)
        .all<Record<string, unknown>>()
    ).results;
  return {
    ...desk,
    ...{ ana, anaId, accountId, here, rows },
    anas: async (path: string) => (await ana.page(`${path}${path.includes("?") ? "&" : "?"}${here}`)).text(),
    assign: (idea: string, assignee: string) => owner.submit(`${desk.bank}/ideas/${idea}`, { do: "assign", assignee }),
    assigneeOf: async (idea: string) => (await rows("SELECT assignee FROM proposals WHERE id = ?1", idea))[0]?.assignee,
    waiting: () => rows("SELECT member_id, subject_id, kind, actor FROM member_outbox ORDER BY subject_id"),
  };
}

it("is chosen on the idea's page among the members, and nothing else of the page is saved with it", {
  tags: "slow",
}, async () => {
  const { panel, bank, owner, opened, page, idea, activity, ana, anaId, accountId, assigneeOf, waiting } =
    await createScene();
  const invited = `invited-${crypto.randomUUID()}@example.com`;
  await owner.json("POST", "/members", { email: invited });
  const id = await panel.propose({ title: "Night buses" });
  const before = [await idea(id), (await activity()).length];
  const path = `${bank}/ideas/${id}`;
  const form = await readForm(await owner.page(path), "Assign");
  expect([...form.fields.keys()]).toEqual(["had", "assignee"]);
  const html = await page(path);
  expect(html).toContain(`>${ana.email}</option>`);
  expect(html).not.toContain(`>${invited}</option>`);
  const answer = await owner.submit(path, { ...(await opened(path, "Assign")), do: "assign", assignee: anaId });
  expect(answer.status).toBe(303);
  expect(await page(locationOf(answer))).toContain("Assignee saved.");
  expect(await assigneeOf(id)).toBe(anaId);
  expect(await page(path)).toContain(`<option value="${anaId}" selected="">`);
  expect([await idea(id), (await activity()).length]).toEqual(before);
  expect(await waiting()).toEqual([{ member_id: anaId, subject_id: id, kind: "assigned", actor: accountId }]);
  // Nobody is told of their own acts.
  await owner.submit(path, { do: "assign", assignee: accountId });
  expect(await waiting()).toHaveLength(1);
  await owner.submit(path, { do: "assign", assignee: "" });
  expect(await assigneeOf(id)).toBeNull();
});

it("is not changed from a page on which somebody else had it", { tags: "slow" }, async () => {
  const { panel, bank, owner, opened, ana, anaId, accountId, here, assigneeOf } = await createScene();
  const path = `${bank}/ideas/${await panel.propose()}`;
  const before = await opened(path, "Assign");
  await ana.submit(`${path}?${here}`, { do: "assign", assignee: anaId });
  const late = await owner.submit(path, { ...before, do: "assign", assignee: accountId });
  expect(late.status).toBe(400);
  const html = await late.text();
  expect(html).toContain("Assignee was changed in the meantime. Choose again.");
  expect(html).toContain(`<option value="${anaId}" selected="">`);
  const id = path.split("/").at(-1) ?? "";
  expect(await assigneeOf(id)).toBe(anaId);
  // Whoever has seen that can change it.
  await owner.submit(path, { ...(await opened(path, "Assign")), do: "assign", assignee: accountId });
  expect(await assigneeOf(id)).toBe(accountId);
});

it("can only be a member of this account", { tags: "slow" }, async () => {
  const { panel, bank, owner, rows, assign, assigneeOf, accountId, anaId, waiting } = await createScene();
  const stranger = await createScene();
  const id = await panel.propose();
  for (const assignee of [stranger.anaId, stranger.accountId]) {
    const answer = await assign(id, assignee);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("Assignee is no longer a member. Choose somebody else.");
  }
  expect((await assign(id, "x")).status).toBe(404);
  const theirs = await stranger.panel.propose();
  expect((await assign(theirs, accountId)).status).toBe(404);
  expect((await owner.submit(`${stranger.bank}/ideas/${theirs}`, { do: "assign", assignee: anaId })).status).toBe(404);
  expect(await stranger.assigneeOf(theirs)).toBeNull();
  expect(await assigneeOf(id)).toBeNull();
  expect(await waiting()).toEqual([]);
  // Who is no member (any longer) assigns nothing.
  await rows("DELETE FROM members WHERE id = ?1", anaId);
  const gone = createOwner();
  expect(
    (await gone.submit(`${bank}/ideas/${id}?account=${accountId}`, { do: "assign", assignee: accountId })).status,
  ).toBe(403);
  expect(await assigneeOf(id)).toBeNull();
});

it("is a filter of the queue: mine and unassigned, with every other filter; a row has initials", {
  tags: "slow",
}, async () => {
  const { panel, page, anas, assign, anaId, ana } = await createScene();
  const [first, second, third] = [
    await panel.propose({ title: "One", status: "planned" }),
    await panel.propose({ title: "Two", visibility: "hidden" }),
    await panel.propose({ title: "Three", tags: ["Bus"] }),
  ];
  await panel.propose({ title: "Four" });
  for (const idea of [first, second, third]) await assign(idea, anaId);
  expect(titlesIn(await anas("/ideas?assignee=me"))).toEqual(["Three", "Two", "One"]);
  expect(titlesIn(await page("/ideas?assignee=me"))).toEqual([]);
  expect(titlesIn(await page("/ideas?assignee=none"))).toEqual(["Four"]);
  expect(titlesIn(await page("/ideas?assignee=none&sort=top"))).toEqual(["Four"]);
  for (const [filter, titles] of [
    ["status=planned", ["One"]],
    ["visibility=hidden", ["Two"]],
    [`board=${panel.bank.id}&tag=bus`, ["Three"]],
    ["q=one", ["One"]],
    ["q=four", []],
    ["status=unanswered&sort=top", ["Three", "Two", "One"]],
  ] as const)
    expect([filter, titlesIn(await anas(`/ideas?assignee=me&${filter}`))]).toEqual([filter, titles]);
  const shown: (string | undefined)[] = [];
  for (let next: string | undefined = "/ideas?assignee=me&limit=1"; next !== undefined; ) {
    const html: string = await anas(next);
    shown.push(...titlesIn(html));
    next = html.match(/href="\/account(\/ideas\?[^"]*cursor=[^"]*)"/)?.[1]?.replaceAll("&amp;", "&");
    next &&= `${next.replace(/&account=\w+/, "")}&limit=1`;
  }
  expect(shown).toEqual(["Three", "Two", "One"]);
  const [, , row = ""] = (await page("/ideas")).split('<li id="idea-');
  expect(row).toContain(`Assigned to ${ana.email}`);
  expect(row).toMatch(/<span class="face hue-\d+" aria-hidden="true">a<\/span>/);
});

it("is set for several ideas at once, of which the member is told together", { tags: "slow" }, async () => {
  const { rows, panel, owner, page, bank, assign, assigneeOf, accountId, anaId, waiting } = await createScene();
  const ideas = [await panel.propose(), await panel.propose(), await panel.propose()];
  await assign(ideas[0] ?? "", accountId);
  const ids = ideas.slice(0, 2).map((id) => `${panel.bank.id}-${id}`);
  const answer = await owner.submit("/ideas", { ids, do: "assign", assignee: anaId, back: `/account${bank}` });
  const html = await page(locationOf(answer));
  expect(html).toContain("Assignee of 2 ideas saved.");
  expect(html.match(/name="ids"[^>]* checked=""/g)).toHaveLength(2);
  expect(await Promise.all(ideas.map(assigneeOf))).toEqual([anaId, anaId, null]);
  expect(await waiting()).toHaveLength(2);
  // Undo gives each back to whom it was taken from, but for what somebody has given on since.
  const undo = async (answer: Response) => {
    const { action, fields } = await readForm(await owner.page(locationOf(answer)), "Undo");
    return owner.submit(action.replace("/account", ""), { ...Object.fromEntries(fields), do: "assign-back" });
  };
  expect(await page(locationOf(await undo(answer)))).toContain("Undone.");
  expect(await Promise.all(ideas.map(assigneeOf))).toEqual([accountId, null, null]);
  const again = await owner.submit("/ideas", { ids, do: "assign", assignee: anaId, back: `/account${bank}` });
  await assign(ideas[1] ?? "", accountId);
  await undo(again);
  expect(await Promise.all(ideas.map(assigneeOf))).toEqual([accountId, accountId, null]);
  // Where one of them has left since, nothing is given back, and nobody is told that it was.
  await rows("DELETE FROM member_outbox");
  const gone = newId(accountId);
  const changed = [`${panel.bank.id}-${ideas[0]}-${anaId}`, `${panel.bank.id}-${ideas[1]}-${gone}`].join();
  const late = await owner.submit("/ideas", { do: "assign-back", given: accountId, changed });
  expect(late.status).toBe(400);
  expect(await waiting()).toEqual([]);
  await owner.submit("/ideas", { ids, do: "assign", assignee: anaId });
  const same = await owner.submit("/ideas", { ids, do: "assign", assignee: anaId });
  expect(await page(locationOf(same))).toContain("These ideas already had this assignee.");
  // The choice begins with nobody chosen, and so nothing is changed.
  expect(html).toContain('<option value="">Assignee…</option><option value="none">Unassigned</option>');
  const nothing = await owner.submit("/ideas", { ids, do: "assign", assignee: "" });
  expect(await page(locationOf(nothing))).toContain("Choose an assignee.");
  expect(await Promise.all(ideas.map(assigneeOf))).toEqual([anaId, anaId, null]);
  await owner.submit("/ideas", { ids, do: "assign", assignee: "none" });
  expect(await Promise.all(ideas.map(assigneeOf))).toEqual([null, null, null]);
});

it("stays with the idea that survives a merge", { tags: "slow" }, async () => {
  const { panel, owner, bank, assign, assigneeOf, accountId, anaId } = await createScene();
  const [source, target, free] = [await panel.propose(), await panel.propose(), await panel.propose()];
  await assign(source, accountId);
  await assign(target, anaId);
  await owner.submit(`${bank}/ideas/${source}/merge`, { into: target });
  expect(await assigneeOf(target)).toBe(anaId);
  await owner.submit(`${bank}/ideas/${target}/merge`, { into: free });
  expect(await assigneeOf(free)).toBeNull();
  // What was merged is nobody's any more.
  expect((await assign(source, anaId)).status).toBe(404);
});

it("who has left has no ideas: they are unassigned, and every other edit works", { tags: "slow" }, async () => {
  const { panel, owner, page, bank, opened, assign, idea, anaId, ana } = await createScene();
  const id = await panel.propose({ title: "Orphan" });
  await assign(id, anaId);
  expect((await owner.submit(`/members/${anaId}/remove`, {})).status).toBe(303);
  expect(titlesIn(await page("/ideas?assignee=none"))).toEqual(["Orphan"]);
  expect(await page("/ideas")).not.toContain(ana.email);
  const path = `${bank}/ideas/${id}`;
  expect(await page(path)).not.toContain(ana.email);
  const saved = await owner.submit(path, { ...(await opened(path, "Save")), do: "decide", status: "planned" });
  expect(saved.status).toBe(303);
  expect(await idea(id)).toMatchObject({ status: "planned" });
  // Somebody who comes back is another member.
  await add(owner, ana);
  expect(titlesIn(await page("/ideas?assignee=none"))).toEqual(["Orphan"]);
});

it("removing a member asks who takes the ideas, and tells the one who does", { tags: "slow" }, async () => {
  const { panel, owner, page, assign, assigneeOf, anaId, accountId, waiting, rows } = await createScene();
  const ben = createOwner(`ben-${crypto.randomUUID()}@example.com`);
  const { id: benId } = await (await add(owner, ben)).json<{ id: string }>();
  const path = `/members/${anaId}/remove`;
  expect(await page(path)).not.toContain("Who takes");
  const ideas = [await panel.propose(), await panel.propose(), await panel.propose()];
  for (const id of ideas.slice(0, 2)) await assign(id, anaId);
  await rows("DELETE FROM member_outbox");
  const html = await page(path);
  expect(html).toContain("Who takes their 2 ideas?");
  const [, options = ""] = /<select id="takenBy"[^>]*>(.*?)<\/select>/.exec(html) ?? [];
  expect([...options.matchAll(/value="(\w*)"/g)].map(([, id]) => id)).toEqual(["", accountId, benId]);
  expect((await owner.submit(path, { takenBy: benId })).status).toBe(303);
  expect(await Promise.all(ideas.map(assigneeOf))).toEqual([benId, benId, null]);
  expect((await waiting()).map(({ member_id }) => member_id)).toEqual([benId, benId]);
});

it("a member who is removed by a script, or whose successor has left, leaves the ideas unassigned", {
  tags: "slow",
}, async () => {
  const { panel, owner, page, assign, anaId, rows } = await createScene();
  const ben = createOwner();
  const { id: benId } = await (await add(owner, ben)).json<{ id: string }>();
  await assign(await panel.propose({ title: "One" }), anaId);
  await rows("DELETE FROM members WHERE id = ?1", benId);
  expect((await owner.submit(`/members/${anaId}/remove`, { takenBy: benId })).status).toBe(303);
  expect(titlesIn(await page("/ideas?assignee=none"))).toEqual(["One"]);
});
