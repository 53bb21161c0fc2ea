/** Who is told what, when: at most once, nobody forgotten, nothing that is not so any more. */
import { describe, expect, it } from "vitest";
import { runJob } from "../../support/job.ts";
import { createTold, MINUTE, refusal, telling, WINDOW } from "../../support/told.ts";

const vote = (person: { send: (method: string, path: string) => Promise<Response> }, idea: string) =>
  person.send("PUT", `/ideabank/proposals/${idea}/vote`);

async function votedIdea(emails: readonly string[], ...options: Parameters<typeof createTold>) {
  const scene = await createTold(...options);
  const people = [];
  const idea = await scene.panel.propose({ title: "Night buses" });
  for (const email of emails) {
    const person = await scene.person(email);
    await vote(person, idea);
    people.push(person);
  }
  return { ...scene, people, idea };
}

describe("a decision", { tags: "slow" }, () => {
  it("is told once to whoever suggested, voted or commented, after ten minutes and one for undoing", async () => {
    const { panel, person, decide, pass, mails, to } = await createTold();
    const [author, voter, commenter, other] = [
      await person("author@example.com"),
      await person("voter@example.com"),
      await person("commenter@example.com"),
      await person("other@example.com"),
    ];
    const idea = await author.submit("Night buses");
    await vote(voter, idea);
    await commenter.send("POST", `/ideabank/proposals/${idea}/comments`, { body: "Every half hour." });
    await vote(other, await panel.propose());
    await decide(idea, { status: "planned" });
    await pass(0);
    await pass(WINDOW - MINUTE);
    expect(mails).toEqual([]);
    await pass(2 * MINUTE);
    expect(to()).toEqual(["author@example.com", "commenter@example.com", "voter@example.com"]);
    for (const minutes of [1, 5, 60]) await pass(minutes * MINUTE);
    expect(mails).toHaveLength(3);
    expect(mails[0]?.subject).toContain("Night buses");
    expect(mails[0]?.text).toContain("“Night buses” is now: Planned");
  });

  it("is one e-mail for an address that two people have, and none for who has none or is blocked", async () => {
    const { idea, people, person, panel, decide, pass, to } = await votedIdea([
      "ana@example.com",
      "ana@example.com",
      "bo@example.com",
    ]);
    await vote(await panel.panelist(), idea);
    await vote(await person("cy@example.com"), idea);
    await panel.tenant.send("PATCH", `/tenant/panelists/${people[2]?.id}`, { active: false });
    await decide(idea, { status: "planned" });
    await pass(WINDOW);
    expect(to()).toEqual(["ana@example.com", "cy@example.com"]);
  });

  it("within ten minutes is one e-mail with the others, of other ideas of the board, too", async () => {
    const { idea, people, panel, decide, pass, mails } = await votedIdea(["ana@example.com"]);
    const second = await panel.propose({ title: "Dogs travel free" });
    if (people[0]) await vote(people[0], second);
    await decide(idea, { status: "planned" });
    await decide(idea, { response: { text: "In spring." } });
    await decide(second, { status: "in-progress" });
    await pass(WINDOW);
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toContain("“Night buses” is now: Planned");
    expect(mails[0]?.text).toContain("The team has responded to “Night buses”");
    expect(mails[0]?.text).toContain("“Dogs travel free” is now: In progress");
    expect(mails[0]?.subject).toContain("2");
  });

  it("that was taken back, hidden, merged or deleted meanwhile is told to nobody", async () => {
    const { idea, people, panel, decide, pass, mails } = await votedIdea(["ana@example.com"]);
    const ideas = [idea];
    for (const title of ["Hidden", "Merged", "Deleted", "Kept"]) ideas.push(await panel.propose({ title }));
    for (const each of ideas.slice(1)) if (people[0]) await vote(people[0], each);
    for (const each of ideas) await decide(each, { status: "planned" });
    await decide(ideas[0] ?? "", { status: "submitted" });
    await decide(ideas[1] ?? "", { visibility: "hidden" });
    await panel.manage("POST", `/proposals/${ideas[2]}/merge`, { into: ideas[4] });
    await panel.manage("DELETE", `/proposals/${ideas[3]}`);
    await pass(WINDOW);
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toContain("Kept");
    expect(mails[0]?.text).not.toMatch(/Night buses|Hidden|Merged|Deleted/);
  });

  it("is told once, whoever voted for both of the merged ideas", async () => {
    const { idea, people, panel, decide, pass, mails } = await votedIdea(["ana@example.com", "bo@example.com"]);
    const target = await panel.propose({ title: "Buses at night" });
    if (people[0]) await vote(people[0], target);
    await panel.manage("POST", `/proposals/${idea}/merge`, { into: target });
    await pass(WINDOW);
    expect(mails).toEqual([]);
    await decide(target, { status: "implemented" });
    await pass(WINDOW);
    await pass(WINDOW);
    expect(mails.map(({ to }) => to).sort()).toEqual(["ana@example.com", "bo@example.com"]);
  });

  it("says what it is: done with the changelog's text, and a response with its words", async () => {
    const { idea, decide, pass, mails } = await votedIdea(["ana@example.com"]);
    await decide(idea, { status: "implemented", description: "Every half hour, all week." });
    await pass(WINDOW);
    expect(mails[0]?.text).toMatch(/^It’s done: “Night buses”\n\n> Every half hour, all week\.\n/);
    await decide(idea, { response: { text: "Thank you all!" } });
    await pass(WINDOW);
    expect(mails[1]?.text).toMatch(/^The team has responded to “Night buses”\n\n> Thank you all!\n/);
    expect(mails[0]?.subject).toBe(mails[1]?.subject);
    expect(mails[0]?.headers?.References).toBe(mails[1]?.headers?.References);
  });

  it("of a corrected response, a minor change, an import or with notify false is told to nobody", async () => {
    const { idea, panel, decide, pass, mails } = await votedIdea(["ana@example.com"]);
    await decide(idea, { response: { text: "In sprinc." }, notify: false });
    await decide(idea, { response: { text: "In spring." } });
    await decide(idea, { status: "planned", minor: true });
    await panel.manage("PUT", "/proposals/by-external-id/T-1", { title: "Imported", status: "planned" });
    await panel.manage("PUT", "/proposals/by-external-id/T-1", { title: "Imported", status: "implemented" });
    await pass(WINDOW);
    expect(mails).toEqual([]);
    await decide(idea, { response: { text: "In spring 2027." }, notify: true });
    await pass(WINDOW);
    expect(mails).toHaveLength(1);
  });

  it("is not told where the board or the account has switched it off, nor without a sender", async () => {
    for (const table of ["idea_banks", "accounts"]) {
      const { idea, decide, pass, rows, mails, panel } = await votedIdea(["ana@example.com"]);
      await rows(
        `UPDATE ${table} SET notifies_people = 0 WHERE id = ?1`,
        table === "accounts" ? panel.bank.accountId : panel.bank.id,
      );
      await decide(idea, { status: "planned" });
      expect(await rows("SELECT * FROM outbox WHERE account_id = ?1", panel.bank.accountId)).toEqual([]);
      await rows(`UPDATE ${table} SET notifies_people = 1`);
      await decide(idea, { status: "in-progress" });
      await rows(`UPDATE ${table} SET notifies_people = 0`);
      await pass(WINDOW);
      expect(mails).toEqual([]);
    }
    const { idea, decide, rows } = await votedIdea(["ana@example.com"], undefined, { NOTICES_FROM: "" });
    await decide(idea, { status: "planned" });
    expect(await rows("SELECT * FROM outbox WHERE proposal_id = ?1", idea)).toEqual([]);
  });

  it("older than three days is not told any more", async () => {
    const { idea, decide, pass, mails, states } = await votedIdea(["ana@example.com"], () =>
      Promise.reject(refusal("E_RATE_LIMIT_EXCEEDED")),
    );
    await decide(idea, { status: "planned" });
    await pass(WINDOW);
    expect(await states()).toEqual([{ email: "ana@example.com", state: "waiting" }]);
    await pass(3 * 1_440 * MINUTE);
    expect(await states()).toEqual([{ email: "ana@example.com", state: "skipped" }]);
    expect(mails).toEqual([]);
  });
});

describe("the service", { tags: "slow" }, () => {
  it("that refuses an address is not asked for it again, until it is another one", async () => {
    const { idea, people, decide, pass, mails, states, rows } = await votedIdea(
      ["ana@example.com", "bo@example.com"],
      async ({ to }) => {
        if (to === "bo@example.com") throw refusal("E_RECIPIENT_SUPPRESSED");
      },
    );
    await decide(idea, { status: "planned" });
    await pass(WINDOW);
    expect(await states()).toEqual([
      { email: "ana@example.com", state: "sent" },
      { email: "bo@example.com", state: "refused" },
    ]);
    await decide(idea, { status: "in-progress" });
    await pass(WINDOW);
    expect(mails.map(({ to }) => to)).toEqual(["ana@example.com", "ana@example.com"]);
    await rows("UPDATE panelists SET email = 'bo@new.example' WHERE id = ?1", people[1]?.id);
    await decide(idea, { status: "implemented" });
    await pass(WINDOW);
    expect(mails.map(({ to }) => to)).toContain("bo@new.example");
    expect(await rows("SELECT sent, unknown, refused FROM outbox ORDER BY id")).toEqual([
      { sent: 1, unknown: 0, refused: 1 },
      { sent: 1, unknown: 0, refused: 0 },
      { sent: 2, unknown: 0, refused: 0 },
    ]);
  });

  it("whose answer is lost may have sent it, so it is not asked again: the e-mail is unknown", async () => {
    const { idea, decide, pass, mails, states, rows } = await votedIdea(["ana@example.com"], async () => {
      throw new Error("Network connection lost.");
    });
    await decide(idea, { status: "planned" });
    for (let minute = 0; minute < 20; minute += 1) await pass(WINDOW);
    expect(mails).toEqual([]);
    expect(await states()).toEqual([{ email: "ana@example.com", state: "unknown" }]);
    expect(await rows("SELECT sent, unknown, finished_at IS NOT NULL AS ended FROM outbox")).toEqual([
      { sent: 0, unknown: 1, ended: 1 },
    ]);
  });

  it("that is over its rate, or its day, or refuses the sender, is asked again later, and nobody is forgotten", async () => {
    for (const [code, wait] of [
      ["E_RATE_LIMIT_EXCEEDED", MINUTE],
      ["E_DAILY_LIMIT_EXCEEDED", 61 * MINUTE],
      ["E_SENDER_NOT_VERIFIED", 61 * MINUTE],
    ] as const) {
      let refuses = true;
      const { idea, decide, pass, to, rows } = await votedIdea(["ana@example.com", "bo@example.com"], async () => {
        if (refuses) throw refusal(code);
      });
      await decide(idea, { status: "planned" });
      await pass(WINDOW);
      expect(to()).toEqual([]);
      expect((await rows("SELECT reason FROM mail_stops")).length).toBe(wait === MINUTE ? 0 : 1);
      refuses = false;
      await pass(wait);
      expect(to(), code).toEqual(["ana@example.com", "bo@example.com"]);
    }
  });

  it("gets no more in a minute than the settings say", async () => {
    const emails = Array.from({ length: 8 }, (_, index) => `p${index}@example.com`);
    const { idea, decide, pass, to } = await votedIdea(emails, undefined, {
      NOTICES_PER_MINUTE: "3",
    });
    await decide(idea, { status: "planned" });
    const counts = [];
    for (const ms of [WINDOW, MINUTE, MINUTE, MINUTE]) {
      await pass(ms);
      counts.push(to().length);
    }
    expect(counts).toEqual([3, 6, 8, 8]);
  });

  it("gets from one account no more than half of what a day has", async () => {
    const emails = Array.from({ length: 8 }, (_, index) => `p${index}@example.com`);
    const day = await votedIdea(emails, undefined, { NOTICES_PER_DAY: "20" });
    await day.decide(day.idea, { status: "planned" });
    await day.pass(WINDOW);
    // Two databases: 10 each, of which one account has 5.
    expect(day.to()).toHaveLength(5);
    await day.pass(1_440 * MINUTE);
    // The account's owner has a digest, too.
    expect(emails.filter((email) => day.to().includes(email))).toEqual(emails);
  });
});

it("a thousand decisions of one account, made before, do not delay the e-mail of another", {
  tags: "slow",
}, async () => {
  const neighbour = await createTold();
  await neighbour.rows(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
     INSERT INTO outbox (account_id, idea_bank_id, proposal_id, kind, created_at, starts_at)
     SELECT ?1, ?2, ?2 || i, 'decision', ?3, ?3 FROM n`,
    neighbour.panel.bank.accountId,
    neighbour.panel.bank.id,
    Date.now() - WINDOW,
  );
  const { idea, decide, pass, mails } = await votedIdea(["ana@example.com"]);
  await decide(idea, { status: "planned" });
  await pass(WINDOW);
  expect(mails.map(({ to }) => to)).toEqual(["ana@example.com"]);
});

it("two runs at the same time, and one that ends in the middle, send nothing twice", { tags: "slow" }, async () => {
  const emails = Array.from({ length: 12 }, (_, index) => `p${index}@example.com`);
  const { idea, decide, to, states } = await votedIdea(emails);
  await decide(idea, { status: "planned" });
  const at = () => Date.now() + WINDOW;
  await Promise.all([runJob(telling, at), runJob(telling, at), runJob(telling, at)]);
  await runJob(telling, at);
  expect(to()).toEqual([...emails].sort());
  expect(new Set((await states()).map(({ state }) => state))).toEqual(new Set(["sent"]));
});

it("a call that never came back is unknown after a while, and the rest goes on", { tags: "slow" }, async () => {
  const { idea, decide, pass, rows, to, states } = await votedIdea(["ana@example.com", "bo@example.com"]);
  await decide(idea, { status: "planned" });
  await pass(WINDOW);
  expect(to()).toHaveLength(2);
  await decide(idea, { status: "in-progress" });
  await pass(WINDOW - MINUTE);
  await rows("UPDATE recipients SET state = 'sending' WHERE email = 'ana@example.com'");
  await pass(20 * MINUTE);
  expect(to()).toHaveLength(4);
  expect(await states()).toContainEqual({ email: "ana@example.com", state: "unknown" });
});

describe("who follows an idea", () => {
  it("is told of others' comments, once for those of ten minutes, and of decisions without a vote", {
    tags: "slow",
  }, async () => {
    const { panel, person, decide, pass, mails, rows } = await createTold();
    const [ana, bo] = [
      await person("ana@example.com", { name: "Ana" }),
      await person("bo@example.com", { name: "Bo" }),
    ];
    const idea = await panel.propose({ title: "Night buses" });
    expect((await ana.send("PUT", `/ideabank/proposals/${idea}/follow`)).status).toBe(204);
    const comment = (who: typeof ana, body: string) =>
      who.send("POST", `/ideabank/proposals/${idea}/comments`, { body });
    await comment(ana, "My own.");
    await pass(WINDOW);
    expect(mails).toEqual([]);
    await comment(bo, "Every half hour.");
    await pass(WINDOW);
    expect(mails.map(({ to }) => to)).toEqual(["ana@example.com"]);
    expect(mails[0]?.text).toMatch(/^Bo commented on “Night buses”\n\n> Every half hour\.\n/);
    await comment(bo, "One.");
    await panel.manage("POST", `/proposals/${idea}/comments`, { body: "Two." });
    await pass(WINDOW);
    expect(mails[1]?.text).toMatch(/^2 new comments on “Night buses”\n/);
    await panel.manage("POST", `/proposals/${idea}/comments`, {
      body: "Imported.",
      createdAt: "2026-01-01T00:00:00.000Z",
    });
    await pass(WINDOW);
    expect(mails).toHaveLength(2);
    await decide(idea, { status: "planned" });
    await pass(WINDOW);
    // Bo has commented.
    expect(
      mails
        .slice(2)
        .map(({ to }) => to)
        .sort(),
    ).toEqual(["ana@example.com", "bo@example.com"]);
    await ana.send("DELETE", `/ideabank/proposals/${idea}/follow`);
    await comment(bo, "Three.");
    await pass(WINDOW);
    expect(mails).toHaveLength(4);
    expect(await rows("SELECT * FROM follows")).toEqual([]);
  });

  it("follows the idea that it is merged into, once, whoever followed both", { tags: "slow" }, async () => {
    const { panel, person, pass, mails, rows } = await createTold();
    const [ana, bo, cy] = [
      await person("ana@example.com"),
      await person("bo@example.com"),
      await person("cy@example.com"),
    ];
    const [source, target] = [await panel.propose({ title: "Source" }), await panel.propose({ title: "Target" })];
    for (const who of [ana, bo]) await who.send("PUT", `/ideabank/proposals/${source}/follow`);
    await bo.send("PUT", `/ideabank/proposals/${target}/follow`);
    await panel.manage("POST", `/proposals/${source}/merge`, { into: target });
    expect((await rows("SELECT panelist_id FROM follows WHERE proposal_id = ?1", target)).length).toBe(2);
    await cy.send("POST", `/ideabank/proposals/${target}/comments`, { body: "Here." });
    await pass(WINDOW);
    expect(mails.map(({ to }) => to).sort()).toEqual(["ana@example.com", "bo@example.com"]);
  });

  it("is not told of a comment that was deleted meanwhile", async () => {
    const { panel, person, pass, mails } = await createTold();
    const [ana, bo] = [await person("ana@example.com"), await person("bo@example.com")];
    const idea = await panel.propose({ title: "Night buses" });
    await ana.send("PUT", `/ideabank/proposals/${idea}/follow`);
    const made = await bo.send("POST", `/ideabank/proposals/${idea}/comments`, { body: "Oops." });
    const { id } = await made.json<{ id: string }>();
    await panel.manage("DELETE", `/proposals/${idea}/comments/${id}`);
    await pass(WINDOW);
    expect(mails).toEqual([]);
  });
});
