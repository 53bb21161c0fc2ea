/** What one member is told by e-mail: ideas that a colleague gave to them, and notes that name them. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { runJob } from "../../support/job.ts";
import { add } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";
import { collectMails } from "../../support/page-visitor.ts";
import { refusal } from "../../support/told.ts";

const [MINUTE, DAY] = [60_000, 86_400_000];
const SETTINGS = { NOTICES: env.EMAIL, NOTICES_FROM: "ideas@example.com", SIGN_IN_URL: "https://desk.example/account" };

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

/** Runs the job a minute from now, or so much later. */
const run = (later = MINUTE, more: object = {}) =>
  runJob({ DB: env.DB, DB_1: env.DB_1, ...SETTINGS, ...more }, () => Date.now() + later);

/** A desk with a second member; nobody is told of new ideas. */
async function createScene() {
  const desk = await createDesk();
  const { panel, owner, bank } = desk;
  const { accountId } = panel.bank;
  const ana = createOwner(`ana-${crypto.randomUUID().slice(0, 8)}@example.com`);
  const { id: anaId } = await (await add(owner, ana)).json<{ id: string }>();
  const sql = (text: string, ...values: unknown[]) =>
    databaseOf(accountId)
      .prepare(text)
      .bind(...values)
      .run();
  await sql("DELETE FROM member_mails");
  await sql("UPDATE audit_events SET notice = NULL");
  const idea = await panel.propose({ title: "Night buses" });
  return {
    ...desk,
    ...{ ana, anaId, accountId, sql, idea },
    handle: `@${ana.email.split("@")[0]}`,
    assign: (id: string, assignee: string) => owner.submit(`${bank}/ideas/${id}`, { do: "assign", assignee }),
    note: (text: string, path = `${bank}/ideas/${idea}`) => owner.submit(path, { do: "add-note", note: text }),
    waiting: async () => (await sql("SELECT * FROM member_outbox")).results,
  };
}

const plain = (text: string) => text.replaceAll("\u2060", "");

describe("a member is told", { tags: "slow" }, () => {
  it("of an idea that a colleague assigned, with who, what and the way to it; once", async () => {
    const mails = collectMails();
    const { assign, idea, anaId, ana, owner, bank, accountId, waiting } = await createScene();
    await assign(idea, anaId);
    await Promise.all([run(), run(), run()]);
    await run(2 * MINUTE);
    expect(mails.map(({ to }) => to)).toEqual([ana.email]);
    expect(plain(mails[0]?.subject ?? "")).toBe(`${owner.email} assigned you an idea`);
    const text = plain(mails[0]?.text ?? "");
    expect(text).toContain(`${owner.email} assigned you “Night buses” on `);
    await owner.json("PATCH", `/members/${accountId}`, { name: "Olga Owner" });
    await assign(idea, "");
    await assign(idea, anaId);
    await run(4 * MINUTE);
    expect(mails.map(({ subject }) => plain(subject)).slice(1)).toEqual(["Olga Owner assigned you an idea"]);
    expect(text).toContain(`https://desk.example/account${bank}/ideas/${idea}?account=${accountId}`);
    expect(await waiting()).toEqual([]);
  });

  it("of a note that names them, with how it begins", async () => {
    const mails = collectMails();
    const { note, handle, ana, panel } = await createScene();
    await note(`${handle} see evil.example.com\n\n${"long ".repeat(100)}`);
    await run();
    expect(mails.map(({ to }) => to)).toEqual([ana.email]);
    const [mail] = mails;
    expect(mail?.subject).toContain("mentioned you in a note");
    expect(plain(mail?.text ?? "")).toContain(`> ${handle} see evil.example.com long long`);
    // No address that a mail program makes a link of, and no more than 200 characters of others' words.
    expect(mail?.text).not.toContain("evil.example.com");
    expect(plain(mail?.text ?? "").match(/long/g)?.length).toBeLessThan(40);
    const kim = await panel.panelist("Kim");
    await note(`${handle} who is it?`, `/people/${kim.id}`);
    await run(2 * MINUTE);
    expect(plain(mails[1]?.text ?? "")).toMatch(/a note on “Kim”:[\s\S]*\/account\/people\//);
  });

  it("of everything that waits in one e-mail, and of 100 ideas at most", async () => {
    const mails = collectMails();
    const { note, handle, assign, anaId, owner, panel } = await createScene();
    const ideas = await Promise.all(
      Array.from({ length: 12 }, (_, index) => panel.propose({ title: `Idea ${index}.` })),
    );
    await owner.submit("/ideas", { ids: ideas.map((id) => `${panel.bank.id}-${id}`), do: "assign", assignee: anaId });
    await note(`${handle} look`);
    await assign(ideas[0] ?? "", anaId);
    await run();
    expect(mails).toHaveLength(1);
    expect(mails[0]?.subject).toBe("12 ideas assigned to you, 1 mention");
    const text = plain(mails[0]?.text ?? "");
    expect(text.match(/“Idea \d+\.”/g)).toHaveLength(9);
    expect(text).toContain("and 3 more");
    expect(text).toContain("/account/ideas?assignee=me&account=");
  });

  it("of nothing that was taken back within half a minute, or is gone", async () => {
    const mails = collectMails();
    const { assign, idea, anaId, note, handle, panel, owner, bank, sql, waiting } = await createScene();
    await assign(idea, anaId);
    await run(10_000);
    expect(mails).toEqual([]);
    await assign(idea, "");
    const deleted = await panel.propose();
    await assign(deleted, anaId);
    await panel.manage("DELETE", `/proposals/${deleted}`);
    await note(`${handle} wrong`);
    const { results } = await sql("SELECT id FROM notes");
    await owner.submit(`${bank}/ideas/${idea}`, { do: "delete-note", noteId: String(results[0]?.id) });
    await run();
    expect(mails).toEqual([]);
    expect(await waiting()).toEqual([]);
  });

  it("and nobody who is no member any more, whatever waited", async () => {
    const mails = collectMails();
    const { assign, idea, anaId, note, handle, owner } = await createScene();
    await assign(idea, anaId);
    await note(`${handle} look`);
    await owner.submit(`/members/${anaId}/remove`, {});
    await run();
    expect(mails.filter(({ subject }) => /assigned|mention/.test(subject))).toEqual([]);
  });
});

describe("an e-mail", { tags: "slow" }, () => {
  it("that was surely not sent comes with a later run, and one that may have been does not", async () => {
    const answers: (Error | undefined)[] = [refusal("E_RATE_LIMIT_EXCEEDED"), undefined, new Error("lost")];
    const mails = collectMails(async () => {
      const error = answers.shift();
      if (error !== undefined) throw error;
    });
    const { assign, idea, anaId, note, handle, waiting } = await createScene();
    await assign(idea, anaId);
    await run();
    expect(await waiting()).toHaveLength(1);
    await run(2 * MINUTE);
    expect(mails).toHaveLength(1);
    expect(await waiting()).toEqual([]);
    await note(`${handle} look`);
    await run(3 * MINUTE);
    expect(answers).toEqual([]);
    await run(4 * MINUTE);
    expect(mails).toHaveLength(1);
  });

  it("waits three days for a deployment that sends none, and no longer", async () => {
    const mails = collectMails();
    const { assign, idea, anaId, waiting } = await createScene();
    await assign(idea, anaId);
    await runJob({ DB: env.DB, DB_1: env.DB_1 }, () => Date.now() + 2 * DAY);
    expect(await waiting()).toHaveLength(1);
    await runJob({ DB: env.DB, DB_1: env.DB_1 }, () => Date.now() + 4 * DAY);
    expect(await waiting()).toEqual([]);
    expect(mails).toEqual([]);
  });

  it("has room in the day's quota, which others have, too", async () => {
    const mails = collectMails();
    const { assign, idea, anaId, sql, accountId } = await createScene();
    await assign(idea, anaId);
    await sql("INSERT INTO mail_days VALUES (?1, ?2, 10)", Math.floor((Date.now() + MINUTE) / DAY), accountId);
    await run(MINUTE, { NOTICES_PER_DAY: "20" });
    expect(mails).toEqual([]);
    await run(2 * MINUTE);
    expect(mails).toHaveLength(1);
    const { results } = await sql("SELECT sent FROM mail_days WHERE account_id = ?1", accountId);
    expect(results).toEqual([{ sent: 11 }]);
  });
});

it("an account has at most 100 rows of a member in the outbox, however many ideas change hands", async () => {
  const { anaId, accountId, sql, owner, waiting, panel } = await createScene();
  await sql(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
     INSERT INTO member_outbox SELECT ?1, ?2, 's' || i, 'assigned', NULL, 1 FROM n`,
    accountId,
    anaId,
  );
  const id = await panel.propose();
  await owner.submit("/ideas", { ids: [`${panel.bank.id}-${id}`], do: "assign", assignee: anaId });
  expect(await waiting()).toHaveLength(100);
});
