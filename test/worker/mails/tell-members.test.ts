/** What members are told of ideas: once, when they chose it, only what is new, and only while they are members. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { runJob } from "../../support/job.ts";
import { numbers } from "../../support/many-rows.ts";
import { add, membersOf } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";
import { collectMails } from "../../support/page-visitor.ts";
import { newId } from "../../support/world.ts";

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
/** In the future of the rows' own times: a Sunday in summer. */
const NOW = Date.UTC(2027, 6, 4, 12);
const SETTINGS = { NOTICES: env.EMAIL, NOTICES_FROM: "ideas@example.com", SIGN_IN_URL: "https://desk.example/account" };

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

const run = (now: number, more: object = {}) => runJob({ DB: env.DB, DB_1: env.DB_1, ...SETTINGS, ...more }, () => now);

type Scene = Awaited<ReturnType<typeof createDesk>>;

/** A desk whose owner was told of everything until NOW, and chooses with the form. */
async function createScene() {
  const desk = await createDesk();
  const { accountId, id: bankId } = desk.panel.bank;
  const sql = (text: string, ...values: unknown[]) =>
    databaseOf(accountId)
      .prepare(text)
      .bind(...values)
      .run();
  return {
    ...desk,
    accountId,
    bankId,
    sql,
    /** Told until this time, of which the next digest is due. */
    toldUntil: async (time: number, nextDigestAt = time + DAY) => {
      await sql(
        "UPDATE told_members SET told_up_to_now = ?1, told_up_to_daily = ?1, next_digest_at = ?2 WHERE account_id = ?3",
        ...[time, nextDigestAt, accountId],
      );
      await sql("UPDATE member_mails SET ideas_since = 0, comments_since = 0 WHERE account_id = ?1", accountId);
    },
    choose: async (modes: Record<string, string>, as: { submit: Scene["owner"]["submit"] } = desk.owner) => {
      const answer = await as.submit(`/emails?account=${accountId}`, modes);
      expect(answer.status).toBe(303);
    },
    idea: async (
      at: number,
      title = "Night buses",
      more: { author?: string; bank?: string; visibility?: string } = {},
    ) => {
      const id = newId(accountId);
      await sql(
        `INSERT INTO proposals (id, account_id, idea_bank_id, author_id, title, description, visibility, created_at, last_activity_at, panelist_writes)
         VALUES (?1, ?2, ?3, ?4, ?5, 'They stop too early.', ?6, ?7, ?7, 1)`,
        ...[id, accountId, more.bank ?? bankId, more.author ?? null, title, more.visibility ?? "public", at],
      );
      return id;
    },
    comment: (at: number, idea: string, body = "Me too.") =>
      sql(
        "INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, body, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        ...[newId(accountId), accountId, bankId, idea, body, at],
      ),
  };
}

const subjects = (mails: readonly { readonly subject: string }[]) => mails.map(({ subject }) => subject);

describe("once a day", { tags: "slow" }, () => {
  it("whoever makes an account or joins is told; who was a member before is not, until they choose", async () => {
    const mails = collectMails();
    const scene = await createScene();
    const member = createOwner();
    await add(scene.owner, member);
    const before = createOwner();
    await add(scene.owner, before);
    await scene.sql("DELETE FROM told_members WHERE email = ?1", before.email);
    await scene.sql("DELETE FROM member_mails WHERE email = ?1", before.email);
    await scene.toldUntil(NOW - DAY, NOW);
    await scene.idea(NOW - HOUR);
    await run(NOW);
    expect(mails.map(({ to }) => to).toSorted()).toEqual([scene.owner.email, member.email].toSorted());
    expect(subjects(mails)).toEqual(Array(2).fill("Your boards: 1 new idea"));
    await scene.choose({ ideas: "daily" }, before);
    await scene.sql("UPDATE told_members SET next_digest_at = ?1", NOW + DAY);
    await scene.sql("UPDATE member_mails SET ideas_since = ?1 WHERE email = ?2", NOW, before.email);
    await scene.idea(NOW + HOUR);
    await run(NOW + DAY);
    expect(mails.slice(2).map(({ to }) => to)).toContain(before.email);
  });

  it("a second run, and one at the same moment, sends nothing", async () => {
    const mails = collectMails();
    const scene = await createScene();
    await scene.toldUntil(NOW - DAY, NOW);
    await scene.idea(NOW - HOUR);
    await Promise.all([run(NOW), run(NOW), run(NOW + 1)]);
    await run(NOW + MINUTE);
    expect(subjects(mails)).toEqual(["Your boards: 1 new idea"]);
  });

  it("what missed runs have left comes once, with the next run; then it is the old hour again", async () => {
    const mails = collectMails();
    const scene = await createScene();
    await scene.toldUntil(NOW - 4 * DAY, NOW - 3 * DAY);
    for (const days of [3, 2, 1]) await scene.idea(NOW - days * DAY + HOUR);
    await run(NOW);
    await run(NOW + MINUTE);
    expect(subjects(mails)).toEqual(["Your boards: 3 new ideas"]);
    await scene.idea(NOW + HOUR);
    await run(NOW + 20 * HOUR - MINUTE);
    expect(mails).toHaveLength(1);
    await run(NOW + 20 * HOUR);
    expect(subjects(mails)).toEqual(["Your boards: 3 new ideas", "Your boards: 1 new idea"]);
  });

  it("nothing new: no e-mail, though something waits", async () => {
    const mails = collectMails();
    const scene = await createScene();
    await scene.toldUntil(NOW - DAY, NOW);
    await scene.idea(NOW - 2 * DAY, "Old", { visibility: "pending" });
    await run(NOW);
    expect(mails).toEqual([]);
    await scene.idea(NOW + HOUR);
    await run(NOW + DAY);
    expect(subjects(mails)).toEqual(["Your boards: 1 new idea"]);
  });

  it.each([
    ["Europe/Berlin", 8, ["2027-03-27T07:00Z", "2027-03-28T06:00Z", "2027-03-29T06:00Z"]],
    ["Europe/Berlin", 2, ["2027-10-30T00:00Z", "2027-10-31T00:00Z", "2027-11-01T01:00Z"]],
    ["America/Los_Angeles", 1, ["2027-11-06T08:00Z", "2027-11-07T08:00Z", "2027-11-08T09:00Z"]],
    ["Pacific/Kiritimati", 8, ["2027-01-01T18:00Z", "2027-01-02T18:00Z"]],
  ])("one on each day, and on none two, across a change of the clocks: %s, at %i", async (timeZone, hour, expected) => {
    const mails = collectMails();
    const scene = await createScene();
    const times = expected.map(Date.parse);
    const [first = 0] = times;
    await scene.toldUntil(first - DAY, first);
    await scene.sql("UPDATE told_members SET time_zone = ?1, hour = ?2", timeZone, hour);
    const sent: number[] = [];
    // Also an hour early and late, when the clock shows the same hour or the one that a fixed offset would mean.
    for (const now of times.flatMap((time) => [time - HOUR, time, time + HOUR])) {
      await scene.idea(now - 10 * MINUTE);
      const before = mails.length;
      await run(now);
      if (mails.length > before) sent.push(now);
    }
    expect(sent).toEqual(times);
    expect(mails).toHaveLength(times.length);
  });

  it("one e-mail for all boards, with what waits and what is most wanted, each with a link to the desk", async () => {
    const mails = collectMails();
    const scene = await createScene();
    const made = await scene.panel.tenant.send("POST", "/tenant/ideabanks", { name: "Trains" });
    const { id: trains } = await made.json<{ id: string }>();
    await scene.toldUntil(NOW - DAY, NOW);
    const idea = await scene.idea(NOW - HOUR, "Night buses");
    await scene.idea(NOW - HOUR, "Dining car", { bank: trains, visibility: "pending" });
    for (const body of ["One", "Two"]) await scene.comment(NOW - HOUR, idea, body);
    await scene.sql("UPDATE proposals SET votes = 7 WHERE id = ?1", idea);
    await run(NOW);
    const [mail, ...others] = mails;
    expect(others).toEqual([]);
    expect(mail?.subject).toBe("Your boards: 2 new ideas, 2 comments");
    const account = `account=${scene.accountId}`;
    for (const line of [
      "“Night buses” (An idea bank)",
      "“Dining car” (Trains)",
      `See new ideas\nhttps://desk.example/account/ideas?${account}`,
      "2 comments on “Night buses” (An idea bank)",
      "1 idea waiting for approval.",
      `Review them\nhttps://desk.example/account/ideas?visibility=pending&${account}`,
      "“Night buses”, 7 votes",
      `Respond\nhttps://desk.example/account/ideas?sort=top&status=unanswered&${account}`,
      `Choose your emails\nhttps://desk.example/account/emails?${account}`,
      "Nobody reads replies to this email.",
    ])
      expect(mail?.text).toContain(line);
  });

  it("100 new ideas are one e-mail of bounded size, with at most 200 characters of others, and no address in them", async () => {
    const mails = collectMails();
    const scene = await createScene();
    await scene.toldUntil(NOW - DAY, NOW);
    const title = `evil.com/😀${"W".repeat(150)}`;
    await scene.sql(
      `${numbers(1, 100)} INSERT INTO proposals (id, account_id, idea_bank_id, title, description, created_at, last_activity_at, panelist_writes)
       SELECT 'new' || i, ?1, ?2, ?3, '', ?4, ?4, 1 FROM n`,
      ...[scene.accountId, scene.bankId, title, NOW - HOUR],
    );
    await scene.sql(
      `${numbers(1, 100)} INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, body, created_at)
       SELECT 'newc' || i, ?1, ?2, 'new' || i, 'http://evil.com', ?3 FROM n`,
      ...[scene.accountId, scene.bankId, NOW - HOUR],
    );
    await scene.sql("UPDATE proposals SET votes = 3");
    await run(NOW);
    const [mail] = mails;
    expect(subjects(mails)).toEqual(["Your boards: 100 new ideas, 100 comments"]);
    expect(mail?.text).toContain("and 96 more");
    expect(mail?.text).toContain("and 97 more ideas");
    expect(mail?.text.length).toBeLessThan(3_000);
    expect(mail?.html?.length).toBeLessThan(12_000);
    const words = [...(mail?.text ?? "").matchAll(/“([^”]*)”/g)].map(([, word = ""]) => word.replaceAll("\u2060", ""));
    expect(words).toHaveLength(10);
    expect(words.join("").length).toBeLessThanOrEqual(200);
    expect(words[0]?.length).toBeGreaterThan(10);
    expect(mail?.text.replace(/https:\/\/desk\.example\S*/g, "")).not.toMatch(/evil\.com/);
    expect(mail?.html).not.toMatch(/evil\.com/);
  });
});

describe("at once", { tags: "slow" }, () => {
  it("one e-mail for what is new, then none for ten minutes; what comes meanwhile comes together", async () => {
    const mails = collectMails();
    const scene = await createScene();
    await scene.choose({ ideas: "now", comments: "now" });
    await scene.toldUntil(NOW - HOUR);
    const idea = await scene.idea(NOW - MINUTE, "Night buses");
    await run(NOW);
    expect(subjects(mails)).toEqual(["1 new idea on An idea bank"]);
    expect(mails[0]?.text).toContain("New idea on An idea bank: “Night buses”");
    expect(mails[0]?.text).toContain("> They stop too early.");
    expect(mails[0]?.text).toContain(
      `Open the idea\nhttps://desk.example/account/idea-banks/${scene.bankId}/ideas/${idea}?account=${scene.accountId}`,
    );
    await scene.idea(NOW + MINUTE);
    await scene.comment(NOW + 2 * MINUTE, idea);
    for (let minute = 1; minute < 10; minute += 1) await run(NOW + minute * MINUTE);
    expect(mails).toHaveLength(1);
    await run(NOW + 10 * MINUTE);
    await run(NOW + 21 * MINUTE);
    expect(subjects(mails).slice(1)).toEqual(["1 new idea, 1 comment on An idea bank"]);
  });

  it("what is written in the same moment is told by the next run, not by none", async () => {
    const mails = collectMails();
    const scene = await createScene();
    await scene.choose({ ideas: "now" });
    await scene.toldUntil(NOW - HOUR);
    await scene.idea(NOW - 1_000);
    await run(NOW);
    expect(mails).toEqual([]);
    await run(NOW + MINUTE);
    expect(subjects(mails)).toEqual(["1 new idea on An idea bank"]);
  });

  it("two runs at once send one e-mail", async () => {
    const mails = collectMails();
    const scene = await createScene();
    await scene.choose({ ideas: "now" });
    await scene.toldUntil(NOW - HOUR);
    await scene.idea(NOW - MINUTE);
    await Promise.all([run(NOW), run(NOW), run(NOW)]);
    expect(mails).toHaveLength(1);
  });

  it("a choice for one board is for that board; a change tells nothing twice and loses nothing", async () => {
    const mails = collectMails();
    const scene = await createScene();
    const made = await scene.panel.tenant.send("POST", "/tenant/ideabanks", { name: "Trains" });
    const { id: trains } = await made.json<{ id: string }>();
    await scene.toldUntil(NOW - HOUR, NOW + 8 * HOUR);
    await scene.choose({ [`ideas-${trains}`]: "now" });
    await scene.idea(NOW - 5 * MINUTE, "Buses");
    await scene.idea(NOW - 5 * MINUTE, "Trains", { bank: trains });
    await run(NOW);
    expect(subjects(mails)).toEqual(["1 new idea on Trains"]);
    // From at once to once a day: what was told is not told again.
    await scene.choose({ [`ideas-${trains}`]: "daily" });
    await scene.idea(NOW + MINUTE, "More trains", { bank: trains });
    await run(NOW + 8 * HOUR);
    expect(subjects(mails).slice(1)).toEqual(["Your boards: 2 new ideas"]);
    expect(mails[1]?.text).toContain("More trains");
    expect(mails[1]?.text).toContain("“Buses”");
  });
});

describe("who is told", { tags: "slow" }, () => {
  it("nobody of their own acts: at the desk, or as a person with the member's address", async () => {
    const mails = collectMails();
    const scene = await createScene();
    const member = createOwner();
    await add(scene.owner, member);
    await scene.toldUntil(Date.now() - HOUR, NOW);
    const own = await scene.panel.panelist("Me");
    await scene.sql("UPDATE panelists SET email = ?1 WHERE id = ?2", scene.owner.email, own.id);
    const idea = await own.submit("My own idea");
    await scene.owner.submit(`/idea-banks/${scene.bankId}/ideas/${idea}`, { do: "comment", body: "As the team" });
    await run(NOW);
    expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
      [member.email, "Your boards: 1 new idea, 1 comment"],
    ]);
  });

  it("no removed member, also when removed between two runs; nor anything of a suspended account", async () => {
    const mails = collectMails();
    const scene = await createScene();
    const member = createOwner();
    await add(scene.owner, member);
    await scene.choose({ ideas: "now" }, member);
    await scene.toldUntil(NOW - DAY, NOW);
    await scene.idea(NOW - HOUR);
    const { items } = await membersOf(scene.owner);
    const id = items.find(({ email }) => email === member.email)?.id;
    expect((await scene.owner.json("DELETE", `/members/${id}`)).status).toBe(204);
    await run(NOW);
    expect(mails.map(({ to }) => to)).toEqual([scene.owner.email]);
    const rows = (table: string) => scene.sql(`SELECT * FROM ${table} WHERE email = ?1`, member.email);
    for (const table of ["told_members", "member_mails"]) expect((await rows(table)).results).toEqual([]);
    // Rows that somebody has left, of a person who is no member: rights are read when sending.
    await scene.sql("INSERT INTO told_members VALUES (?1, 'gone@example.com', NULL, 8, 0, 0, 0)", scene.accountId);
    await scene.sql(
      "INSERT INTO member_mails VALUES (?1, 'gone@example.com', '', 'daily', 0, 'now', 0)",
      scene.accountId,
    );
    await scene.sql("UPDATE accounts SET status = 'suspended' WHERE id = ?1", scene.accountId);
    await scene.comment(NOW + HOUR, await scene.idea(NOW + HOUR));
    await run(NOW + DAY);
    expect(mails).toHaveLength(1);
  });

  it("each alone, with what keeps other programs from answering, and no word of how to unsubscribe others", async () => {
    const mails = collectMails();
    const scene = await createScene();
    await add(scene.owner, createOwner());
    await scene.toldUntil(NOW - DAY, NOW);
    await scene.idea(NOW - HOUR);
    await run(NOW, { NOTICES_REPLY_TO: "team@example.com" });
    expect(mails).toHaveLength(2);
    for (const mail of mails) {
      expect(typeof mail.to).toBe("string");
      expect(mail.headers).toEqual({
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
        "Content-Language": "en",
      });
      expect(mail).toMatchObject({ replyTo: "team@example.com" });
      expect(mail.text).not.toContain("Nobody reads replies");
    }
  });
});

describe("what fails", { tags: "slow" }, () => {
  const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

  it.each(["E_RATE_LIMIT_EXCEEDED", "E_SENDER_NOT_VERIFIED"])("%s: it is sent later, once", async (code) => {
    const scene = await createScene();
    await scene.toldUntil(NOW - DAY, NOW);
    await scene.idea(NOW - HOUR);
    const refused = collectMails(failing(code));
    await run(NOW);
    expect(refused).toEqual([]);
    const mails = collectMails();
    const isStopped = code === "E_SENDER_NOT_VERIFIED";
    await run(NOW + MINUTE);
    expect(mails).toHaveLength(isStopped ? 0 : 1);
    await run(NOW + 61 * MINUTE);
    await run(NOW + 62 * MINUTE);
    expect(subjects(mails)).toEqual(["Your boards: 1 new idea"]);
  });

  it.each(["E_RECIPIENT_SUPPRESSED", "E_INTERNAL_SERVER_ERROR"])("%s: it is not repeated", async (code) => {
    const scene = await createScene();
    await scene.toldUntil(NOW - DAY, NOW);
    await scene.idea(NOW - HOUR);
    collectMails(failing(code));
    await run(NOW);
    const mails = collectMails();
    await run(NOW + MINUTE);
    expect(mails).toEqual([]);
  });

  it("where no e-mail is bound nothing is lost", async () => {
    const mails = collectMails();
    const scene = await createScene();
    await scene.toldUntil(NOW - DAY, NOW);
    await scene.idea(NOW - HOUR);
    await run(NOW, { NOTICES: undefined });
    await run(NOW + DAY);
    expect(subjects(mails)).toEqual(["Your boards: 1 new idea"]);
  });

  it("no more than a minute's e-mails are sent in a run; the others come with the next ones", async () => {
    const mails = collectMails();
    const scene = await createScene();
    for (let i = 0; i < 5; i += 1) await add(scene.owner, createOwner());
    await scene.toldUntil(NOW - DAY, NOW);
    await scene.idea(NOW - HOUR);
    for (const minute of [0, 1, 2, 3]) {
      await run(NOW + minute * MINUTE, { NOTICES_PER_MINUTE: "2" });
      expect(mails).toHaveLength(Math.min(2 * (minute + 1), 6));
    }
    expect(new Set(mails.map(({ to }) => to)).size).toBe(6);
  });
});

it("reads what is new, not what is stored: as many rows beside 5,000 old ideas and comments as beside none", {
  tags: "slow",
}, async () => {
  const scene = await createScene();
  await scene.choose({ comments: "now" });
  const cost = async (day: number) => {
    const now = NOW + day * DAY;
    await scene.toldUntil(now - DAY, now);
    const idea = await scene.idea(now - HOUR);
    await scene.comment(now - HOUR, idea);
    let read = 0;
    const metered = meterDatabases({ ...env, ...SETTINGS }, (results) => {
      for (const { meta } of results) read += meta.rows_read;
    });
    const mails = collectMails();
    await runJob(metered, () => now);
    expect(mails).toHaveLength(2);
    return read;
  };
  await cost(0);
  const alone = await cost(1);
  await scene.sql(
    `${numbers(1, 5_000)} INSERT INTO proposals (id, account_id, idea_bank_id, title, description, created_at, last_activity_at, indexed)
     SELECT 'old' || i, ?1, ?2, 'T', '', i, i, 1 FROM n`,
    scene.accountId,
    scene.bankId,
  );
  await scene.sql(
    `${numbers(1, 5_000)} INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, body, created_at)
     SELECT 'oldc' || i, ?1, ?2, 'old' || i, 'B', i FROM n`,
    scene.accountId,
    scene.bankId,
  );
  expect(await cost(2)).toBeLessThanOrEqual(alone + 120);
});
