/** Notes of the team: on an idea and on a person, whom they name, who changes them, and what they go with. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { runJob } from "../../support/job.ts";
import { add } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";
import { collectMails } from "../../support/page-visitor.ts";
import { telling } from "../../support/told.ts";
import { newId } from "../../support/world.ts";

const locationOf = (answer: Response) => answer.headers.get("Location")?.replace(/^\/account/, "") ?? "";

/** A desk with a second member, an idea and a person. */
async function createScene() {
  const desk = await createDesk();
  const { panel, owner } = desk;
  const { accountId } = panel.bank;
  const ana = createOwner(`ana-${crypto.randomUUID().slice(0, 8)}@example.com`);
  const { id: anaId } = await (await add(owner, ana)).json<{ id: string }>();
  const robin = await panel.panelist("Robin");
  const ideaId = await robin.submit("Night buses");
  const idea = `${desk.bank}/ideas/${ideaId}`;
  const person = `/people/${robin.id}`;
  const rows = async (sql: string, ...values: unknown[]) =>
    (
      await databaseOf(accountId)
        .prepare(sql)
        .bind(...values)
        .all<Record<string, unknown>>()
    ).results;
  const here = (path: string) => `${path}?account=${accountId}`;
  return {
    ...desk,
    ...{ ana, anaId, accountId, robin, ideaId, idea, person, rows, here },
    handle: `@${ana.email.split("@")[0]}`,
    notes: () =>
      rows("SELECT id, proposal_id, panelist_id, author_id, body, edited_at FROM notes ORDER BY created_at, id"),
    told: async () =>
      (await rows("SELECT member_id FROM member_outbox WHERE kind = 'named'")).map((row) => row.member_id),
  };
}

describe.each(["idea", "person"] as const)("on the page of an %s", { tags: "slow" }, (of) => {
  it("a note is added, shown with its author and as Markdown, edited by its author and deleted", async () => {
    const { owner, ana, page, accountId, notes, here, ...scene } = await createScene();
    const path = scene[of];
    const added = await owner.submit(path, { do: "add-note", note: "**Acme** pays\r\nfor <b>it</b>" });
    expect(added.status).toBe(303);
    const html = await page(locationOf(added));
    for (const part of [
      "Note added.",
      "Only your team sees notes.",
      "<strong>Acme</strong> pays",
      "&lt;b&gt;it",
      owner.email,
    ])
      expect(html).toContain(part);
    const [note] = await notes();
    expect(note).toMatchObject({
      ...{ author_id: accountId, body: "**Acme** pays\nfor <b>it</b>", edited_at: null },
      ...(of === "idea"
        ? { proposal_id: scene.ideaId, panelist_id: null }
        : { proposal_id: null, panelist_id: scene.robin.id }),
    });
    const noteId = String(note?.id);
    // A colleague's note is read and deleted, not rewritten.
    const anas = await (await ana.page(here(path))).text();
    expect(anas).toContain("<strong>Acme</strong>");
    expect(anas).not.toContain("Save note");
    expect((await ana.submit(here(path), { do: "edit-note", noteId, note: "Mine now" })).status).toBe(404);
    const saved = await owner.submit(path, { do: "edit-note", noteId, note: "Second text" });
    expect(await page(locationOf(saved))).toMatch(/Note saved\..*· edited.*Second text/s);
    const deleted = await ana.submit(here(path), { do: "delete-note", noteId });
    expect(deleted.status).toBe(303);
    expect(await notes()).toEqual([]);
    expect((await owner.submit(path, { do: "delete-note", noteId })).status).toBe(404);
  });

  it("a note without a text or with too long a one is refused where it was written, and stays in its field", async () => {
    const { owner, notes, ...scene } = await createScene();
    for (const [note, message] of [
      [" ", "Note is empty."],
      ["x".repeat(10_001), "Note is too long: 10,001 of 10,000 characters."],
    ] as const) {
      const answer = await owner.submit(scene[of], { do: "add-note", note });
      expect(answer.status).toBe(400);
      const html = await answer.text();
      expect(html).toContain(message);
      expect(html).toMatch(new RegExp(`<textarea id="note"[^>]*>${note}</textarea>`));
    }
    expect((await owner.submit(scene[of], { do: "add-note", note: "😀".repeat(10_000) })).status).toBe(303);
    expect(await notes()).toHaveLength(1);
  });

  it("there are at most 200, a page has the newest twenty and leads to the others", async () => {
    const { owner, page, rows, accountId, ...scene } = await createScene();
    const [column, subject] = of === "idea" ? ["proposal_id", scene.ideaId] : ["panelist_id", scene.robin.id];
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
       INSERT INTO notes (id, account_id, ${column}, author_id, body, created_at) SELECT substr(?1, 1, 9) || (100 + i), ?1, ?2, ?1, 'note ' || i || '.', i FROM n`,
      accountId,
      subject,
    );
    const refused = await owner.submit(scene[of], { do: "add-note", note: "One more" });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("There are 200 notes already. Delete one first.");
    const seen: string[] = [];
    for (let next: string | undefined = scene[of]; next !== undefined; ) {
      const html: string = await page(next);
      const numbers = [...html.matchAll(/<p>note (\d+)\./g)].map(([, number = ""]) => number);
      expect(numbers).toHaveLength(20);
      seen.push(...numbers);
      next = html.match(/href="\/account([^"]*notes=[^"#]*)#notes">Older notes/)?.[1]?.replaceAll("&amp;", "&");
    }
    expect(seen).toEqual(Array.from({ length: 200 }, (_, index) => String(200 - index)));
  });
});

describe("@name", () => {
  it("tells the members whom a text names, and not its author", async () => {
    const { owner, idea, handle, anaId, told } = await createScene();
    await owner.submit(idea, { do: "add-note", note: `${handle} and @${owner.email.split("@")[0]}: look. @nobody` });
    expect(await told()).toEqual([anaId]);
  });

  it("tells of an edit only those whom it names newly, and each of them once", { tags: "slow" }, async () => {
    const { owner, idea, handle, anaId, told, notes, rows } = await createScene();
    const ben = createOwner(`ben-${crypto.randomUUID().slice(0, 8)}@example.com`);
    const { id: benId } = await (await add(owner, ben)).json<{ id: string }>();
    await owner.submit(idea, { do: "add-note", note: `${handle} first` });
    const [note] = await notes();
    const edit = async (text: string) => {
      await rows("DELETE FROM member_outbox");
      await owner.submit(idea, { do: "edit-note", noteId: String(note?.id), note: text });
      return told();
    };
    expect(await edit(`${handle} first, corrected`)).toEqual([]);
    expect(await edit(`${handle} and @${ben.email.split("@")[0]}`)).toEqual([benId]);
    expect(await edit("Nobody")).toEqual([]);
    expect(await edit(`${handle} again`)).toEqual([]);
    expect(anaId).not.toBe(benId);
  });

  it("names the colleagues whom one can tell beside the field, and nobody who was only invited", {
    tags: "slow",
  }, async () => {
    const { owner, page, idea, handle } = await createScene();
    await owner.json("POST", "/members", { email: "invited-person@example.com" });
    const html = await page(idea);
    expect(html).toContain(`You can name: ${handle}. They find it on Home.`);
    expect(html).toContain(`data-names="[&quot;${handle}&quot;]"`);
    // E-mail is promised only where it is sent.
    expect(html).not.toContain("told by email");
    expect(await (await createOwner(owner.email, telling).page(idea)).text()).toContain(
      "They find it on Home, and are told by email.",
    );
    expect(html).not.toContain("@invited-person");
    await owner.submit(idea, { do: "add-note", note: "@invited-person" });
  });
});

it("an idea shows the notes of what was merged into it, and says so; they are edited and deleted there", {
  tags: "slow",
}, async () => {
  const { owner, page, panel, idea, ideaId, bank, notes } = await createScene();
  const target = await panel.propose({ title: "All buses" });
  await owner.submit(idea, { do: "add-note", note: "From the source" });
  await owner.submit(`${bank}/ideas/${target}`, { do: "add-note", note: "From the target" });
  await owner.submit(`${idea}/merge`, { into: target });
  const html = await page(`${bank}/ideas/${target}`);
  expect(html).toMatch(/From the target.*From the source/s);
  expect(html).toMatch(/<bdi>“Night buses”<\/bdi>, merged into this idea/);
  const own = (await notes()).find(({ proposal_id }) => proposal_id === ideaId);
  const noteId = String(own?.id);
  expect((await owner.submit(`${bank}/ideas/${target}`, { do: "edit-note", noteId, note: "Edited" })).status).toBe(303);
  expect((await owner.submit(`${bank}/ideas/${target}`, { do: "delete-note", noteId })).status).toBe(303);
  expect(await notes()).toHaveLength(1);
});

it("are another account's for nobody", { tags: "slow" }, async () => {
  const { owner, idea, person, notes } = await createScene();
  await owner.submit(idea, { do: "add-note", note: "Ours" });
  await owner.submit(person, { do: "add-note", note: "Ours" });
  const before = await notes();
  const other = await createScene();
  for (const note of before)
    for (const [path, own] of [
      [idea, other.idea],
      [person, other.person],
    ] as const)
      for (const at of [path, own])
        for (const act of ["add-note", "edit-note", "delete-note"])
          if (at !== own || act !== "add-note")
            expect((await other.owner.submit(at, { do: act, noteId: String(note.id), note: "Theirs" })).status).toBe(
              404,
            );
  expect(await notes()).toEqual(before);
});

it("go with the idea, and with the person; a note on an idea stays when its author is deleted", {
  tags: "slow",
}, async () => {
  const { owner, idea, ideaId, person, robin, notes, panel } = await createScene();
  await owner.submit(idea, { do: "add-note", note: "On the idea" });
  await owner.submit(person, { do: "add-note", note: "On the person" });
  await owner.submit(person, { do: "delete" });
  expect((await notes()).map(({ body }) => body)).toEqual(["On the idea"]);
  await panel.manage("DELETE", `/proposals/${ideaId}`);
  expect(await notes()).toEqual([]);
  expect(robin.id).toBeTruthy();
});

it("of 200 notes on a deleted person the request deletes the first, the job the rest; nobody reads them meanwhile", {
  tags: "slow",
}, async () => {
  const { owner, person, robin, accountId, rows, notes } = await createScene();
  await rows(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
     INSERT INTO notes (id, account_id, panelist_id, body, created_at) SELECT substr(?1, 1, 9) || (100 + i), ?1, ?2, 'note', i FROM n`,
    accountId,
    robin.id,
  );
  await owner.submit(person, { do: "delete-all" });
  expect(await notes()).toHaveLength(150);
  expect((await owner.page(person)).status).toBe(404);
  await runJob(env);
  expect(await notes()).toEqual([]);
});

it("fill the account's storage, and a full account takes no other", async () => {
  const { owner, idea, rows, accountId, notes } = await createScene();
  const stored = async () =>
    Number((await rows("SELECT stored_bytes FROM accounts WHERE id = ?1", accountId))[0]?.stored_bytes);
  const before = await stored();
  await owner.submit(idea, { do: "add-note", note: "x".repeat(1_000) });
  expect(await stored()).toBe(before + 1_202);
  await rows("UPDATE accounts SET max_bytes = stored_bytes WHERE id = ?1", accountId);
  const refused = await owner.submit(idea, { do: "add-note", note: "One more" });
  expect(refused.status).toBe(409);
  expect(await notes()).toHaveLength(1);
});

it("a note of an import has no member as its author, and one of who has left says so", async () => {
  const { page, ideaId, idea, accountId, rows } = await createScene();
  for (const [body, author] of [
    ["Imported", null],
    ["Left", newId(accountId)],
  ])
    await rows(
      "INSERT INTO notes (id, account_id, proposal_id, author_id, body, created_at) VALUES (?1, ?2, ?3, ?4, ?5, 1)",
      ...[newId(accountId), accountId, ideaId, author, body],
    );
  const html = await page(idea);
  expect(html).toContain("<bdi>Import</bdi>");
  expect(html).toContain("<bdi>Former member</bdi>");
});

it("an edit that names somebody no more tells nobody; named again, they are told once", { tags: "slow" }, async () => {
  const mails = collectMails();
  const { owner, idea, handle, notes, told, anaId, rows } = await createScene();
  await rows("DELETE FROM member_mails");
  await rows("UPDATE audit_events SET notice = NULL");
  await owner.submit(idea, { do: "add-note", note: `SECRET for ${handle}` });
  const noteId = String((await notes())[0]?.id);
  const edit = (note: string) => owner.submit(idea, { do: "edit-note", noteId, note });
  await edit("Names nobody");
  const pass = (minutes: number) => runJob(telling, () => Date.now() + minutes * 60_000);
  await pass(5);
  expect([mails.map(({ to }) => to), await told()]).toEqual([[], []]);
  await edit(`Again ${handle}`);
  expect(await told()).toEqual([anaId]);
  await pass(10);
  expect(mails).toHaveLength(1);
  expect(mails[0]?.text).toContain("Again");
  // Who was told is not told again.
  await edit("Nobody");
  await edit(`And ${handle}`);
  await pass(15);
  expect(mails).toHaveLength(1);
});
