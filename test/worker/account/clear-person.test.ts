/** Everything that somebody has written is deleted, and they stay blocked; deleting the person lifts the block. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { runJob } from "../../support/job.ts";
import { addComments } from "../../support/many-rows.ts";
import { createOwner } from "../../support/owner.ts";
import { PROPOSALS } from "../../support/panel.ts";
import { readForm } from "../../support/read-forms.ts";

type Desk = Awaited<ReturnType<typeof createDesk>>;

const counts = async ({ panel }: Desk, id: string) => {
  const database = databaseOf(panel.bank.id);
  const count = async (table: string, column: string) =>
    (await database.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${column} = ?1`).bind(id).first<number>("n")) ??
    -1;
  return {
    ideas: await count("proposals", "author_id"),
    comments: await count("comments", "panelist_id"),
    votes: await count("votes", "panelist_id"),
    follows: await count("follows", "panelist_id"),
    responses: await count("survey_responses", "respondent"),
  };
};

async function createScene() {
  const desk = await createDesk();
  const { panel } = desk;
  const robin = await panel.panelist("Robin");
  const idea = await robin.submit("Night buses");
  const other = await panel.propose({ title: "Ferries" });
  await robin.send("POST", `${PROPOSALS}/${other}/comments`, { body: "First!" });
  await robin.send("PUT", `${PROPOSALS}/${other}/vote`);
  await databaseOf(panel.bank.id)
    .prepare(
      "INSERT INTO follows (proposal_id, panelist_id, account_id, idea_bank_id, created_at) VALUES (?1, ?2, ?3, ?4, 1)",
    )
    .bind(other, robin.id, panel.bank.accountId, panel.bank.id)
    .run();
  const survey = await panel.tenant.send("POST", "/tenant/surveys", {
    ...{ title: "Why?", ideaBankId: panel.bank.id, status: "OPEN" },
    questions: [{ kind: "text", id: "why", title: "Why?" }],
  });
  const { id: surveyId } = await survey.json<{ id: string }>();
  await robin.send("PUT", `/surveys/${surveyId}/response`, { answers: { why: "Because." } });
  const token = async () =>
    (await panel.tenant.send("POST", `/tenant/ideabanks/${panel.bank.id}/tokens`, { externalId: robin.externalId }))
      .status;
  return { desk, panel, robin, idea, other, token, path: `/people/${robin.id}` };
}

const NOTHING = { ideas: 0, comments: 0, votes: 0, follows: 0, responses: 0 };

it.each(["block", undefined])(
  "what they wrote goes, and they stay blocked (before: %s)",
  { tags: "slow" },
  async (before) => {
    const { desk, panel, robin, idea, other, token, path } = await createScene();
    const { owner, page } = desk;
    expect(await counts(desk, robin.id)).toEqual({ ideas: 1, comments: 1, votes: 2, follows: 1, responses: 1 });
    expect(await token()).toBe(201);
    if (before !== undefined) await owner.submit(path, { do: before });
    const answer = await owner.submit(path, { do: "clear" });
    expect(answer.status).toBe(303);
    expect(await counts(desk, robin.id)).toEqual(NOTHING);
    expect(await token()).toBe(409);
    expect((await robin.send("GET", PROPOSALS)).status).toBe(401);
    expect((await panel.tenant.send("GET", `/tenant/ideabanks/${panel.bank.id}/proposals/${idea}`)).status).toBe(403);
    expect(await desk.idea(other)).toMatchObject({ votes: 0, comments: 0 });
    const said = before === undefined ? "is blocked" : "stays blocked";
    expect(await page(answer.headers.get("Location")?.replace("/account", "") ?? "")).toContain(
      `Robin ${said}, and everything they wrote is deleted.`,
    );
    expect(await page(path)).toContain("Blocked");
    const [event] = (await desk.activity()).filter((each) => each.event.startsWith("panelist"));
    expect(event).toMatchObject({ event: "panelist-changed", changes: { after: { clearedAt: expect.any(String) } } });
    // Once unblocked, they begin with nothing.
    expect((await owner.submit(path, { do: "unblock" })).status).toBe(303);
    expect(await token()).toBe(201);
  },
);

it("deleting the person lifts the block, and the page says so", { tags: "slow" }, async () => {
  const { desk, token, path } = await createScene();
  expect(await desk.page(path)).toContain("They can come back as a new person.");
  await desk.owner.submit(path, { do: "block" });
  const html = await desk.page(path);
  expect(html).toContain("This lifts the block: they can come back as a new person.");
  expect(html).toContain("Delete what they wrote…");
  expect(await desk.page(`${path}/clear`)).toContain("Delete what they wrote, keep them blocked");
  expect(await desk.page(`${path}/clear`)).not.toContain("Only block them");
  expect(await desk.page(`${path}/clear?with=person`)).toContain("This lifts the block: they can come back");
  expect(await token()).toBe(409);
  await desk.owner.submit(path, { do: "delete-all" });
  expect(await token()).toBe(201);
});

it("what is more than one request deletes is hidden at once, goes with the job, and no one is unblocked meanwhile", {
  tags: "slow",
}, async () => {
  const { desk, panel, robin, other, token, path } = await createScene();
  const { accountId, id } = panel.bank;
  await addComments({ accountId, id }, other, robin.id, 200);
  expect((await desk.owner.submit(path, { do: "clear" })).status).toBe(303);
  expect((await counts(desk, robin.id)).comments).toBeGreaterThan(0);
  const { items } = await (await panel.manage("GET", `/proposals/${other}/comments`)).json<{ items: object[] }>();
  expect(items).toEqual([]);
  expect((await desk.owner.submit(path, { do: "unblock" })).status).toBe(409);
  expect(await token()).toBe(409);
  await runJob(env);
  expect(await counts(desk, robin.id)).toEqual(NOTHING);
  expect((await desk.owner.submit(path, { do: "unblock" })).status).toBe(303);
  expect(await token()).toBe(201);
});

it("is not all that the page offers: who is only blocked keeps what they wrote, and can be let in again", {
  tags: "slow",
}, async () => {
  const scene = await createScene();
  const { desk, robin, path, token } = scene;
  const before = await counts(desk, robin.id);
  const form = await readForm(await desk.owner.page(`${path}/clear`), "Only block them");
  const sent = { ...Object.fromEntries(form.fields), do: "block" };
  const answer = await desk.owner.submit(form.action.replace("/account", ""), sent);
  expect(answer.headers.get("Location")).toMatch(new RegExp(`^/account${path}\\?undo=`));
  expect([await counts(desk, robin.id), await token()]).toEqual([before, 409]);
  await desk.owner.submit(path, { do: "unblock" });
  expect(await token()).toBe(201);
});

it("is offered where an idea or a comment of theirs stands, and leads back to what is left", {
  tags: "slow",
}, async () => {
  const { desk, robin, idea, other } = await createScene();
  const { owner, bank, page } = desk;
  for (const [of, back] of [
    [other, `/account${bank}/ideas/${other}`],
    [idea, `/account${bank}`],
  ] as const) {
    const html = await page(`${bank}/ideas/${of}`);
    const asked = `/people/${robin.id}/clear?back=${encodeURIComponent(back)}`;
    expect(html).toContain(`href="/account${asked}`);
    expect(await page(asked)).toContain(
      `action="/account/people/${robin.id}?back=${encodeURIComponent(back)}" class="confirm"><button type="submit" name="do" value="clear"`,
    );
  }
  const answer = await owner.submit(`/people/${robin.id}?back=${encodeURIComponent(`/account${bank}`)}`, {
    do: "clear",
  });
  expect(answer.headers.get("Location")).toMatch(new RegExp(`^/account${bank}\\?undo=`));
});

it("asks with the numbers, and names the ideas that others lose", { tags: "slow" }, async () => {
  const { desk, panel, robin, idea, path } = await createScene();
  const { page, bank, owner } = desk;
  for (const asked of [`${path}/clear`, `${path}/clear?with=person`]) {
    expect(await page(asked)).toContain("This deletes <strong>1 idea, 1 comment and 2 votes</strong>");
    // Nobody else has a part in it.
    expect(await page(asked)).not.toContain("Others lose these, too");
  }
  const [ana, ben] = [await panel.panelist("Ana"), await panel.panelist("Ben")];
  await ana.send("PUT", `${PROPOSALS}/${idea}/vote`);
  const merged = await ben.submit("Buses at night");
  await owner.submit(`${bank}/ideas/${merged}/merge`, { into: idea });
  await robin.submit("Only mine");
  for (const asked of [`${path}/clear`, `${path}/clear?with=person`]) {
    const html = await page(asked);
    expect(html).toContain("<strong>2 ideas, 1 comment and 3 votes</strong>");
    expect(html).toContain("<bdi>Night buses</bdi></a>");
    expect(html).toContain("2 votes of others · 1 idea merged into it, deleted with it");
    expect(html).not.toContain("<bdi>Only mine</bdi>");
  }
  // The same is said where the idea alone is deleted.
  expect(await page(`${bank}/ideas/${idea}`)).toContain(
    "Its 3 votes, 0 comments and 1 idea merged into it go with it. You can’t undo this.",
  );
});

it("another account’s person stays as they are", { tags: "slow" }, async () => {
  const { desk, robin } = await createScene();
  expect((await createOwner().submit(`/people/${robin.id}`, { do: "clear" })).status).toBe(404);
  expect((await counts(desk, robin.id)).ideas).toBe(1);
});
