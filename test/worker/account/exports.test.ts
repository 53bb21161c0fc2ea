/** Files for a spreadsheet: the queue as it is filtered, comments, people, voters; who exported what; a file that breaks off. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { addVoters, addVotes, numbers } from "../../support/many-rows.ts";
import { add } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";

type Desk = Awaited<ReturnType<typeof createDesk>>;

/** Cells by the names of the columns. The reader knows quotes, and nothing else. */
function parse(text: string): Record<string, string>[] {
  const [names = [], ...rows] = [
    ...text.replace(/^\ufeff/, "").matchAll(/(?:"(?:[^"]|"")*"|[^",\r\n])*(?:,(?:"(?:[^"]|"")*"|[^",\r\n])*)*\r\n/g),
  ].map(([line]) =>
    [...line.slice(0, -2).matchAll(/("(?:[^"]|"")*"|[^",]*)(?:,|$)/g)]
      .map(([, cell = ""]) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell))
      .slice(0, -1),
  );
  return rows.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""])));
}

const download = (owner: Desk["owner"], path: string) => owner.submit(path, { do: "export" });
const rowsOf = async (owner: Desk["owner"], path: string) => parse(await (await download(owner, path)).text());
const told = async (desk: Desk, path: string) => /<p>([\d,]+ \w+)<\/p>/.exec(await desk.page(path))?.[1];

/** Ideas of a board, by SQL: the first is the newest. */
const addIdeas = ({ panel: { bank } }: Desk, count: number) =>
  databaseOf(bank.accountId)
    .prepare(
      `${numbers(1, count)} INSERT INTO proposals (id, account_id, idea_bank_id, title, description, created_at, last_activity_at)
       SELECT substr(?1, 1, 8) || (i + 1000), ?1, ?2, 'Idea ' || i, 'Text', 10000 - i, 10000 - i FROM n`,
    )
    .bind(bank.accountId, bank.id)
    .run();

describe("the file of ideas", () => {
  it("has what the filtered list has, in its order, with columns for a spreadsheet", { tags: "slow" }, async () => {
    const desk = await createDesk();
    const { panel, owner } = desk;
    const robin = await panel.panelist("Robin");
    const night = await robin.submit("Night buses", 'Every hour,\nsays "Ana"');
    await panel.manage("PATCH", `/proposals/${night}`, {
      status: "planned",
      tags: ["Bus", "Night"],
      response: { text: "Next year" },
    });
    await owner.submit(`${desk.bank}/ideas/${night}`, { do: "assign", assignee: panel.bank.accountId });
    await panel.propose({ title: "Other", status: "declined" });
    await panel.propose({ title: "Hidden", visibility: "hidden", status: "planned" });
    const answer = await download(owner, "/ideas/export?status=planned");
    expect(answer.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("Content-Disposition")).toMatch(/^attachment; filename="ideas-\d{4}-\d\d-\d\d\.csv"$/);
    const bytes = new Uint8Array(await answer.clone().arrayBuffer());
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const text = await answer.text();
    expect(text).not.toMatch(/sep=/i);
    const rows = parse(text);
    expect(rows.map(({ title }) => title)).toEqual(["Hidden", "Night buses"]);
    expect(rows[1]).toMatchObject({
      ...{
        id: night,
        description: 'Every hour,\nsays "Ana"',
        // The word of the page.
        status: "Planned",
        assignee: owner.email,
        visibility: "public",
        tags: "Bus; Night",
      },
      ...{ votes: "1", comments: "0", author: "Robin", author_id: robin.externalId, response: "Next year" },
      ...{ board_id: panel.bank.id, link: `https://api.example/account/idea-banks/${panel.bank.id}/ideas/${night}` },
    });
    expect(rows[0]).toMatchObject({ assignee: "" });
    expect(rows[1]?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const titles = async (query: string) => (await rowsOf(owner, `/ideas/export?${query}`)).map(({ title }) => title);
    expect(await titles("sort=top")).toEqual(["Night buses", "Other"]);
    expect(await titles("q=night")).toEqual(["Night buses"]);
    expect(await titles("visibility=hidden")).toEqual(["Hidden"]);
    expect(await titles(`board=${panel.bank.id}&tag=bus`)).toEqual(["Night buses"]);
    expect(await titles("status=unanswered")).toEqual(["Hidden"]);
  });

  it("has as many rows as the page says, over several slices, also of ideas without a response", {
    tags: "slow",
  }, async () => {
    const desk = await createDesk();
    await addIdeas(desk, 1_203);
    await databaseOf(desk.panel.bank.accountId)
      .prepare("UPDATE proposals SET response = 'Yes', responded_at = 1 WHERE account_id = ?1 AND created_at > 8900")
      .bind(desk.panel.bank.accountId)
      .run();
    expect(await told(desk, "/ideas/export")).toBe("1,203 ideas");
    const all = await rowsOf(desk.owner, "/ideas/export");
    expect(all.map(({ title }) => title)).toEqual(Array.from({ length: 1_203 }, (_, index) => `Idea ${index + 1}`));
    // More ideas with a response come first than a page of the queue looks at.
    expect(await told(desk, "/ideas/export?status=unanswered")).toBe("104 ideas");
    expect(await rowsOf(desk.owner, "/ideas/export?status=unanswered")).toHaveLength(104);
  });

  it("disarms formulas in texts, and leaves numbers", async () => {
    const desk = await createDesk();
    const texts = ["=SUM(A1)", "-5", "+49 170", "@Ana", "'=quoted"];
    for (const text of texts.toReversed()) await desk.panel.propose({ title: text, description: text });
    const rows = await rowsOf(desk.owner, "/ideas/export");
    expect(rows.map(({ title }) => title)).toEqual(["'=SUM(A1)", "-5", "'+49 170", "'@Ana", "''=quoted"]);
    expect(rows.map(({ description }) => description)).toEqual(rows.map(({ title }) => title));
  });

  it("breaks off when the database fails in the middle, and never looks whole", { tags: "slow" }, async () => {
    let callsLeft = Number.POSITIVE_INFINITY;
    const failing = interceptDatabases(env, () => (_, makeCall) => {
      callsLeft -= 1;
      return callsLeft < 0 ? Promise.reject(new Error("D1_ERROR: injected fault")) : makeCall();
    });
    const desk = await createDesk({ bindings: failing });
    await addIdeas(desk, 1_203);
    const whole = await (await download(desk.owner, "/ideas/export")).text();
    callsLeft = 8;
    const answer = await download(desk.owner, "/ideas/export");
    expect(answer.status).toBe(200);
    let arrived = "";
    const read = async () => {
      for await (const bytes of answer.body ?? []) arrived += new TextDecoder().decode(bytes);
    };
    await expect(read()).rejects.toThrow("D1 does not answer");
    expect(arrived.length).toBeGreaterThan(10_000);
    expect(arrived.length).toBeLessThan(whole.length);
  });
});

it("tagging keeps what was chosen, and “exporting” finds “Export”", { tags: "slow" }, async () => {
  const desk = await createDesk();
  const [one, two] = [
    await desk.panel.propose({ title: "Export to Excel" }),
    await desk.panel.propose({ title: "Night buses" }),
  ];
  const ids = [`${desk.panel.bank.id}-${one}`];
  const answer = await desk.owner.submit("/ideas", { ids, do: "tag", tag: "Data", back: "/account/ideas" });
  const html = await desk.page(answer.headers.get("Location")?.replace("/account", "") ?? "");
  const boxes = [...html.matchAll(/<input type="checkbox" name="ids"[^>]*>/g)].map(([box]) => box);
  expect(boxes.find((box) => box.includes(`-${one}-`))).toContain("checked");
  expect(boxes.find((box) => box.includes(`-${two}-`))).not.toContain("checked");
  expect(html).not.toMatch(/[?&]chosen=|chosen%3D/);
  expect((await rowsOf(desk.owner, "/ideas/export?q=exporting")).map(({ title }) => title)).toEqual([
    "Export to Excel",
  ]);
});

describe("the other files", { tags: "slow" }, () => {
  it("have comments, people and voters, and nothing of another account", async () => {
    const desk = await createDesk();
    const { panel, owner } = desk;
    const robin = await panel.panelist("Robin");
    const idea = await robin.submit("Night buses");
    await panel.manage("POST", `/proposals/${idea}/comments`, { body: "=cmd|' /C calc'!A0" });
    await panel.manage("POST", `/proposals/${idea}/comments`, { body: "Me, too", panelistId: robin.id });
    const comments = await rowsOf(owner, "/comments/export");
    expect(comments.map(({ text, by, author, idea: title }) => [text, by, author, title])).toEqual([
      ["Me, too", "person", "Robin", "Night buses"],
      ["'=cmd|' /C calc'!A0", "team", "", "Night buses"],
    ]);
    expect(await told(desk, "/comments/export")).toBe("2 comments");
    await owner.submit(`/people/${robin.id}`, { do: "email", email: "robin@example.com" });
    const people = await rowsOf(owner, "/people/export");
    expect(people.find(({ id }) => id === robin.id)).toMatchObject({
      ...{
        external_id: robin.externalId,
        name: "Robin",
        email: "robin@example.com",
        email_verified: "no",
        blocked: "no",
      },
      link: `https://api.example/account/people/${robin.id}`,
    });
    expect((await rowsOf(owner, "/people/export?q=rob")).map(({ name }) => name)).toEqual(["Robin"]);
    const voters = `${desk.bank}/ideas/${idea}/voters/export`;
    expect(await told(desk, voters)).toBe("1 voter");
    expect(await rowsOf(owner, voters)).toMatchObject([{ id: robin.id, name: "Robin", email: "robin@example.com" }]);
    const other = createOwner();
    for (const path of [voters, `/comments/export?board=${panel.bank.id}`, `/ideas/export?board=${panel.bank.id}`])
      expect([path, (await download(other, path)).status]).toEqual([path, 404]);
    expect(await rowsOf(other, "/people/export")).toEqual([]);
  });

  it("are in Activity with their filter and rows, without the words of a search, and are refused beyond the rate", async () => {
    const desk = await createDesk();
    const { owner, panel } = desk;
    await panel.propose({ title: "Night buses" });
    await download(owner, "/ideas/export?status=submitted&sort=top");
    await download(owner, "/ideas/export?q=night");
    const [search, filtered] = (await owner.events()).filter(({ event }) => event === "exported");
    expect(search?.changes?.after).toEqual({ exported: "ideas", filter: "q=…", rows: 1 });
    expect(filtered?.changes?.after).toEqual({ exported: "ideas", filter: "sort=top&status=submitted", rows: 1 });
    const activity = await desk.page("/activity?what=ideas");
    expect(activity).toContain("Exported ideas: 1 row");
    expect(activity).toContain("Filter: Most votes, Submitted");
    expect(activity).toContain("Filter: a search");
    const asked = await desk.page(`/ideas/export?board=${panel.bank.id}&status=open&sort=top-30&tag=App`);
    expect(asked).toMatch(/<p>(?=[^<]*Open)(?=[^<]*Most votes in 30 days)(?=[^<]*Tag: App)[^<]*<\/p>/);
    expect(asked).not.toMatch(new RegExp(`<p>[^<]*${panel.bank.id}`));
    await databaseOf(panel.bank.accountId)
      .prepare(
        "UPDATE audit_events SET changes = json_set(changes, '$.after.rows', 199999) WHERE account_id = ?1 AND event = 'exported'",
      )
      .bind(panel.bank.accountId)
      .run();
    const refused = await download(owner, "/ideas/export");
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "600"]);
    expect((await owner.events()).filter(({ event }) => event === "exported")).toHaveLength(2);
  });

  it("are refused after 100 in a day until the oldest of them is a day old", async () => {
    const { owner, panel } = await createDesk();
    await panel.propose({ title: "Night buses" });
    await download(owner, "/ideas/export");
    const hour = 3_600_000;
    await databaseOf(panel.bank.accountId)
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
         INSERT INTO audit_events (id, account_id, event, api_key_name, actor, created_at, changes)
         SELECT id || i, account_id, event, api_key_name, actor, created_at - iif(i = 99, 23, 1) * ${hour}, changes FROM audit_events, n
         WHERE account_id = ?1 AND event = 'exported'`,
      )
      .bind(panel.bank.accountId)
      .run();
    const refused = await download(owner, "/ideas/export");
    expect(refused.status).toBe(429);
    expect((await refused.text()).replaceAll(/<[^>]*>/g, "")).toContain("exported 100 files in a day");
    const seconds = Number(refused.headers.get("Retry-After"));
    expect(seconds).toBeGreaterThan(3_590);
    expect(seconds).toBeLessThanOrEqual(3_600);
  });
});

describe("the order by recent votes", () => {
  it("counts the votes of the last days alone, over all boards, with filters, and says what it leaves out", {
    tags: "slow",
  }, async () => {
    const desk = await createDesk();
    const { panel, owner } = desk;
    const bank = panel.bank;
    const [old, fresh, unvoted] = await Promise.all(
      [{ title: "Old", tags: ["Bus"] }, { title: "Fresh", tags: ["Bus"] }, { title: "Unvoted" }].map((fields) =>
        panel.propose(fields),
      ),
    );
    await addVoters(bank, 1, 30);
    await addVotes(bank, old ?? "", 1, 20);
    await addVotes(bank, fresh ?? "", 21, 25);
    const setTimes = (idea: string | undefined, from: number, days: number) =>
      databaseOf(bank.accountId)
        .prepare(
          "UPDATE votes SET created_at = unixepoch() * 1000 - ?2 * 86400000 WHERE proposal_id = ?1 AND created_at BETWEEN ?3 AND 100",
        )
        .bind(idea, days, from)
        .run();
    await setTimes(old, 19, 5);
    await setTimes(old, 1, 60);
    await setTimes(fresh, 1, 20);
    const titles = async (query: string) =>
      (await rowsOf(owner, `/ideas/export?${query}`)).map(({ title, recent_votes: votes }) => [title, votes]);
    expect(await titles("sort=top-7")).toEqual([["Old", "2"]]);
    expect(await titles("sort=top-30")).toEqual([
      ["Fresh", "5"],
      ["Old", "2"],
    ]);
    expect(await titles("sort=top-90")).toEqual([
      ["Old", "20"],
      ["Fresh", "5"],
    ]);
    expect(await titles(`sort=top-30&board=${bank.id}&tag=bus&status=open`)).toEqual([
      ["Fresh", "5"],
      ["Old", "2"],
    ]);
    expect(await titles("sort=top-30&status=planned")).toEqual([]);
    expect(await titles("q=old&sort=top-7")).toEqual([["Old", "2"]]);
    const html = await desk.page("/ideas?sort=top-30");
    expect(html).toContain("<span>5 in 30 days</span>");
    expect(html).toContain("Ideas without a vote in the last 30 days are left out.");
    expect(html).not.toContain("Only those with the most votes in all were counted.");
    // A merge moves votes with their times.
    await panel.manage("POST", `/proposals/${old}/merge`, { into: unvoted });
    expect(await titles("sort=top-7")).toEqual([["Unvoted", "2"]]);
    expect(await desk.page("/ideas?sort=top-30&limit=1")).toMatch(/cursor=[^"]+" rel="next"/);
  });
});

it("a viewer’s files have the names of authors, and their IDs only where an admin allows it", async () => {
  const desk = await createDesk();
  const { owner, panel } = desk;
  const robin = await panel.panelist("Robin");
  await robin.send("POST", `/ideabank/proposals/${await robin.submit("Night buses")}/comments`, { body: "Yes" });
  const viewer = createOwner();
  await add(owner, viewer, "", "viewer");
  const inFiles = async () => {
    const paths = ["/ideas/export", "/comments/export"];
    const files = await Promise.all(paths.map((path) => rowsOf(viewer, `${path}?account=${panel.bank.accountId}`)));
    return files.map(([row]) => [row?.author, row?.author_id !== ""]);
  };
  expect(await inFiles()).toEqual([
    ["Robin", false],
    ["Robin", false],
  ]);
  expect((await owner.json("PUT", "/settings", { viewersExport: true })).status).toBe(200);
  expect(await inFiles()).toEqual([
    ["Robin", true],
    ["Robin", true],
  ]);
});
