/** The desk's own roadmap: columns by status and by private tag, of all boards or of one, at two round trips. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { countInARow } from "../../support/calls-in-a-row.ts";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { createIsolate } from "../../support/isolate.ts";
import { numbers } from "../../support/many-rows.ts";

/** The titles of each column. */
const columnsIn = (html: string) =>
  Object.fromEntries(
    html
      .split("<section aria-labelledby=")
      .slice(1)
      .map((column) => [
        /<h2[^>]*>([^<]*)/.exec(column)?.[1],
        [...column.matchAll(/<li><a href="[^"]*" dir="auto">([^<]*)</g)].map(([, title]) => title),
      ]),
  );

async function createScene() {
  const desk = await createDesk();
  const { panel, owner, bank } = desk;
  const made = await panel.tenant.send("POST", "/tenant/ideabanks", { name: "Second <board>", status: "OPEN" });
  const { id: second } = await made.json<{ id: string }>();
  return {
    ...desk,
    second,
    tag: (idea: string, privateTags: string) =>
      owner.submit(`${bank}/ideas/${idea}`, { do: "private-tags", was: "privateTags=", privateTags }),
  };
}

it("has a column for each status of work, the most wanted first, hidden ideas too, and each idea's votes and assignee", {
  tags: "slow",
}, async () => {
  const { panel, owner, page, second, bank } = await createScene();
  const planned = await panel.propose({ title: "Planned", status: "planned" });
  const wanted = await panel.propose({ title: "Wanted <b>", status: "planned" });
  await panel.propose({ title: "Secret", status: "planned", visibility: "hidden" });
  await panel.propose({ title: "New" });
  await panel.propose({ title: "Shipped", status: "implemented" });
  await panel.tenant.send("POST", `/tenant/ideabanks/${second}/proposals`, { title: "Theirs", status: "in-progress" });
  const robin = await panel.panelist();
  await panel.manage("PUT", `/proposals/${wanted}/votes/${robin.id}`);
  await owner.submit(`${bank}/ideas/${planned}`, { do: "assign", assignee: panel.bank.accountId });
  const html = await page("/roadmap");
  expect(columnsIn(html)).toEqual({
    "Under review": [],
    Planned: ["Wanted &lt;b&gt;", "Planned", "Secret"],
    "In progress": ["Theirs"],
    Done: ["Shipped"],
  });
  expect(html).toContain("Only your team sees this page.");
  expect(html).toContain(">1 vote<");
  expect(html).toContain(`Assigned to ${owner.email}`);
  expect(html).toContain("<bdi>Second &lt;board&gt;</bdi>");
  expect(columnsIn(await page(`/roadmap?board=${second}`))).toMatchObject({ Planned: [], "In progress": ["Theirs"] });
  expect((await owner.page("/roadmap?board=1NoSuchBoard")).status).toBe(404);
  expect((await owner.page("/roadmap?by=votes")).status).toBe(400);
});

it("has a column for each private tag, in the order that people expect of quarters", { tags: "slow" }, async () => {
  const { panel, page, tag } = await createScene();
  expect(await page("/roadmap?by=tag")).toContain("No idea has a private tag yet.");
  const [one, two] = [await panel.propose({ title: "One", status: "planned" }), await panel.propose({ title: "Two" })];
  await tag(one, "Q10, Q2");
  await tag(two, "Q2, acme");
  const html = await page("/roadmap?by=tag");
  expect(Object.entries(columnsIn(html))).toEqual([
    ["acme", ["Two"]],
    ["Q2", ["Two", "One"]],
    ["Q10", ["One"]],
  ]);
  expect(html).toMatch(/<span class="status planned">Planned<\/span>/);
});

it("has quarters in the order of time, and in each column the most wanted first", { tags: "slow" }, async () => {
  const { panel, page, tag } = await createScene();
  const robin = await panel.panelist();
  const [old, wanted] = [await panel.propose({ title: "Wanted" }), await panel.propose({ title: "New" })];
  await panel.manage("PUT", `/proposals/${old}/votes/${robin.id}`);
  await tag(old, "Q1 2027, Q4 2026, 2027-Q2, Q2/28");
  await tag(wanted, "Q1 2027, H2 2027");
  expect(Object.entries(columnsIn(await page("/roadmap?by=tag")))).toEqual([
    ["Q4 2026", ["Wanted"]],
    ["H2 2027", ["New"]],
    ["Q1 2027", ["Wanted", "New"]],
    ["2027-Q2", ["Wanted"]],
    ["Q2/28", ["Wanted"]],
  ]);
});

it("has of Done what was done last, ten ideas, with how many there are and the way to all", {
  tags: "slow",
}, async () => {
  const { panel, page } = await createScene();
  const ids: string[] = [];
  for (let at = 1; at <= 12; at++) ids.push(await panel.propose({ title: `Done ${at}`, status: "planned" }));
  // What was done last was not submitted last.
  for (const id of ids.toReversed()) await panel.manage("PATCH", `/proposals/${id}`, { status: "implemented" });
  await panel.propose({ title: "Quietly", status: "implemented", visibility: "hidden" });
  const html = await page("/roadmap");
  const [, done = ""] = html.split(/<h2[^>]*>Done/);
  expect(done).toMatch(/^<span class="hint"> 13<\/span>/);
  expect(columnsIn(html).Done).toHaveLength(10);
  expect(columnsIn(html).Done).toContain("Quietly");
  expect(columnsIn(html).Done).toContain("Done 1");
  expect(columnsIn(html).Done).not.toContain("Done 12");
  expect(done).toContain('<a href="/account/ideas?status=implemented">All 13</a>');
  const few = await page(`/roadmap?board=${panel.bank.id}`);
  expect(few).toContain(`<a href="/account/ideas?status=implemented&amp;board=${panel.bank.id}">All 13</a>`);
});

it("shows 50 of a column and leads to the others in the queue, with the same board", { tags: "slow" }, async () => {
  const { panel, page, tag } = await createScene();
  const { accountId, id } = panel.bank;
  await databaseOf(accountId)
    .prepare(
      `${numbers(1, 51)} INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, created_at, last_activity_at, private_tags)
       SELECT substr(?1, 1, 9) || (100 + i), ?1, ?2, 'Idea ' || i, '', 'planned', i, i, '["Q1"]' FROM n`,
    )
    .bind(accountId, id)
    .run();
  await tag(await panel.propose({ title: "Alone" }), "Q2");
  const byStatus = await page(`/roadmap?board=${id}`);
  expect(columnsIn(byStatus).Planned).toHaveLength(50);
  expect(byStatus).toContain(`<a href="/account/ideas?status=planned&amp;board=${id}">More in the queue</a>`);
  const byTag = await page("/roadmap?by=tag");
  expect(columnsIn(byTag)).toMatchObject({ Q1: { length: 50 }, Q2: ["Alone"] });
  expect(byTag.match(/More in the queue/g)).toHaveLength(1);
  expect(byTag).toContain('<a href="/account/ideas?privateTag=Q1">');
});

it.each(["/account/roadmap", "/account/roadmap?by=tag"])(
  "%s waits for the database twice at most",
  { tags: "slow" },
  async (path) => {
    const { panel, owner, tag } = await createScene();
    await tag(await panel.propose({ title: "One", status: "planned" }), "Q1");
    const { far, inARow } = countInARow(env);
    const isolate = createIsolate(far, async () => ({ email: owner.email, actor: owner.email }));
    await inARow(isolate, path);
    const { answer, calls } = await inARow(isolate, path);
    expect(answer.status).toBe(200);
    expect(calls).toBeLessThanOrEqual(2);
  },
);
