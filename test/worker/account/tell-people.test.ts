/** People are told of what the desk decides: the boxes that ask, what becomes of them, and what the pages say of it. */
import { describe, expect, it, onTestFinished } from "vitest";
import { countInARow } from "../../support/calls-in-a-row.ts";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { ORIGIN } from "../../support/owner.ts";
import { collectMails, withMail } from "../../support/page-visitor.ts";
import { newId } from "../../support/world.ts";

const BINDINGS = { ...withMail, SIGN_IN_URL: `${ORIGIN}/account` };
const MINUTE = 60_000;

/** A desk with one idea, which these people have suggested and voted for. */
async function createScene({ bindings = BINDINGS }: { bindings?: Env } = {}) {
  const desk = await createDesk({ bindings });
  const { panel, owner, bank, page } = desk;
  const database = databaseOf(panel.bank.accountId);
  const run = (sql: string, ...values: unknown[]) =>
    database
      .prepare(sql)
      .bind(...values)
      .run();
  const sent = collectMails();
  /** Somebody with an address. */
  const person = async (email = `${newId()}@example.com`) => {
    const { id, submit, send } = await panel.panelist();
    await run("UPDATE panelists SET email = ?2 WHERE id = ?1", id, email);
    return { id, email, submit, vote: (idea: string) => send("PUT", `/ideabank/proposals/${idea}/vote`) };
  };
  const author = await person();
  const idea = await author.submit("Night buses");
  const voter = await person();
  await voter.vote(idea);
  const path = `${bank}/ideas/${idea}`;
  const known = new Set([author.email, voter.email]);
  return {
    ...{ ...desk, run, person, author, voter, idea, path },
    /** Presses the button of the form that the page shows; `null` unticks a box. */
    press: async (at: string, button: string, changes: Record<string, string | null> = {}, to = at) => {
      const fields = { ...(await desk.opened(at, button)), ...changes };
      const form = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
      const answer = await owner.submit(to, form as Record<string, string>);
      return { answer, location: (answer.headers.get("Location") ?? "").replace("/account", "") };
    },
    html: () => page(path),
    /** The mails of a job that runs this long after now: who got them, and what of. */
    mailsAfter: async (minutes = 12) => {
      sent.length = 0;
      await runJob(bindings, () => Date.now() + minutes * MINUTE);
      return sent.filter(({ to }) => known.has(to));
    },
    toAll: [author.email, voter.email].toSorted(),
    follow: (email: string) => known.add(email),
  };
}

const box = (name: string, isTicked: boolean) =>
  new RegExp(`<input type="checkbox" name="${name}"${isTicked ? ' checked=""' : ""}/?>`);
const to = (mails: readonly { to: string }[]) => mails.map((mail) => mail.to).toSorted();

describe("on an idea's page", () => {
  it("a new status is told ten minutes later, and the page says how many will be told, then how many were", {
    tags: "slow",
  }, async () => {
    const { press, path, html, mailsAfter, toAll } = await createScene();
    expect(await html()).toMatch(box("tellStatus", true));
    expect(await html()).toContain("Tell 2 people by email");
    await press(path, "Save", { do: "decide", status: "planned" });
    expect(await html()).toContain("2 people will be told at about ");
    expect(await mailsAfter(8)).toEqual([]);
    const mails = await mailsAfter();
    expect(to(mails)).toEqual(toAll);
    expect(mails[0]?.text).toContain("Night buses");
    await mailsAfter(13);
    expect(await html()).toMatch(/Told on [A-Z][a-z]+ \d+, \d{4}: 2 people\./);
  });

  it("an unticked box tells nobody, and says nothing of it afterwards", { tags: "slow" }, async () => {
    const { press, path, html, mailsAfter } = await createScene();
    await press(path, "Save", { do: "decide", status: "planned", tellStatus: null });
    expect(await mailsAfter()).toEqual([]);
    expect(await html()).not.toContain("told");
  });

  it("Undo tells nobody, and the page does not say that it will", { tags: "slow" }, async () => {
    const { press, path, html, owner, mailsAfter } = await createScene();
    const { location } = await press(path, "Save", { do: "decide", status: "planned" });
    const event = new URLSearchParams(location.split("?")[1]).get("undo") ?? "";
    expect((await owner.submit("/undo", { event, back: `/account${path}` })).status).toBe(303);
    expect(await html()).not.toContain("will be told");
    expect(await mailsAfter()).toEqual([]);
  });

  it("the first response is told unless it is unticked; an edit only when it is ticked", { tags: "slow" }, async () => {
    const { press, path, html, mailsAfter, toAll } = await createScene();
    expect(await html()).toMatch(box("tell", true));
    await press(path, "Post response", { do: "decide", response: "We will" });
    const mails = await mailsAfter();
    expect([to(mails), mails.every(({ text }) => text.includes("We will"))]).toEqual([toAll, true]);
    expect(await html()).toMatch(box("tell", false));
    await press(path, "Save response", { do: "decide", response: "We will do it" });
    expect(await mailsAfter()).toEqual([]);
    await press(path, "Save response", { do: "decide", response: "We will do it soon", tell: "on" });
    expect(to(await mailsAfter())).toEqual(toAll);
  });

  it("what several did not get, because somebody else was faster, is told of no later decision", {
    tags: "slow",
  }, async () => {
    const { panel, owner, bank, idea, path, press, mailsAfter } = await createScene();
    await press(path, "Save", { do: "decide", status: "planned", tellStatus: null });
    const ids = `${panel.bank.id}-${idea}-submitted`;
    const stale = await owner.submit(bank, { ids, do: "status", status: "declined", "has-tell": "", tell: "on" });
    expect(stale.headers.get("Location")).toContain("told=status-changed");
    await press(path, "Save", { do: "decide", status: "in-progress", tellStatus: null });
    expect(await mailsAfter()).toEqual([]);
  });

  it("a response is told with the status that goes along, or neither is", { tags: "slow" }, async () => {
    const { press, path, mailsAfter, toAll } = await createScene();
    await press(path, "Post response", { do: "decide", status: "planned", response: "Not now", tell: null });
    expect(await mailsAfter()).toEqual([]);
    await press(path, "Save response", { do: "decide", status: "declined", response: "Never", tell: "on" });
    const mails = await mailsAfter();
    expect(to(mails)).toEqual(toAll);
    for (const { text } of mails) for (const part of ["Never", "Declined"]) expect(text).toContain(part);
  });

  it("a form of a page without boxes tells what is told by itself; a correction then tells nobody", {
    tags: "slow",
  }, async () => {
    const { press, path, mailsAfter, toAll } = await createScene();
    const older = { tellStatus: null, "has-tellStatus": null };
    await press(path, "Save", { do: "decide", status: "planned", ...older });
    expect(to(await mailsAfter())).toEqual(toAll);
    await press(path, "Save", { do: "decide", status: "declined", minor: "on", ...older });
    expect(await mailsAfter()).toEqual([]);
    await press(path, "Save", { do: "decide", status: "in-progress", minor: "on" });
    expect(to(await mailsAfter())).toEqual(toAll);
  });

  it("a preview keeps the boxes as they were sent", async () => {
    const { opened, owner, path } = await createScene();
    const { tell: _, ...fields } = await opened(path, "Post response");
    const answer = await owner.submit(path, { ...fields, do: "preview-response", response: "Draft" });
    const html = await answer.text();
    expect(html).toMatch(box("tell", false));
    expect(html).toMatch(box("tellStatus", true));
  });

  it("has no box where nobody would be told: no e-mail, a switch, nobody with an address, the member alone", {
    tags: "slow",
  }, async () => {
    const withoutMail = await createScene({ bindings: { ...BINDINGS, NOTICES_FROM: "" } });
    expect(await withoutMail.html()).not.toContain("tellStatus");
    const { html, run, panel, author, voter, owner } = await createScene();
    const shows = async () => (await html()).includes("tellStatus");
    const { id, accountId } = panel.bank;
    expect(await shows()).toBe(true);
    await run("UPDATE idea_banks SET notifies_people = 0 WHERE id = ?1", id);
    expect(await shows()).toBe(false);
    await run("UPDATE idea_banks SET notifies_people = 1 WHERE id = ?1", id);
    await run("UPDATE accounts SET notifies_people = 0 WHERE id = ?1", accountId);
    expect(await shows()).toBe(false);
    await run("UPDATE accounts SET notifies_people = 1 WHERE id = ?1", accountId);
    await run("UPDATE panelists SET email = NULL WHERE id = ?1", voter.id);
    expect(await html()).toContain("Tell 1 person by email");
    await run("UPDATE panelists SET email = ?2 WHERE id = ?1", author.id, owner.email);
    expect(await shows()).toBe(false);
  });

  it("says what is unknown and who cannot be reached, and of comments that they are", async () => {
    const { html, run, idea, panel } = await createScene();
    const { id, accountId } = panel.bank;
    const at = Date.UTC(2026, 10, 3, 14, 32);
    const add = (kind: string, startedAt: number | null, ...[finishedAt, sent, unknown, refused]: (number | null)[]) =>
      run(
        `INSERT INTO outbox (account_id, idea_bank_id, proposal_id, kind, tells_status, status_before, created_at, starts_at, started_at, finished_at,
           sent, unknown, refused) VALUES (?1, ?2, ?3, ?4, 1, 'planned', ?5, ?5, ?6, ?7, ?8, ?9, ?10)`,
        ...[accountId, id, idea, kind, at, startedAt, finishedAt, sent, unknown, refused],
      );
    await add("decision", at, at, 31, 2, 1);
    await add("comments", at, null, 1, 0, 0);
    const text = await html();
    expect(text).toContain(
      "Told on Nov 3, 2026: 31 people. 2 unknown (the mail service didn’t answer; they won’t be sent again). 1 can’t be reached.",
    );
    expect(text).toContain("Being told of comments on Nov 3, 2026: 1 person so far.");
  });
});

describe("publishing", { tags: "slow" }, () => {
  it("asks on its page, as the idea's page was left", async () => {
    const { press, path, page, mailsAfter, toAll } = await createScene();
    const { location } = await press(path, "Save", { do: "decide", status: "implemented" });
    expect(await page(location)).toMatch(box("tellStatus", true));
    const unticked = await press(path, "Save", { do: "decide", status: "implemented", tellStatus: null });
    expect(await page(unticked.location)).toMatch(box("tellStatus", false));
    await press(unticked.location, "Publish", { do: "publish", tellStatus: "on" });
    expect(to(await mailsAfter())).toEqual(toAll);
  });

  it("unticked, tells nobody; with a response, each has its box", async () => {
    const { opened, owner, path, mailsAfter } = await createScene();
    const fields = { ...(await opened(path, "Save")), do: "decide", status: "implemented", response: "Here it is" };
    const { tellStatus: _, ...form } = fields as Record<string, string>;
    const html = await (await owner.submit(path, form)).text();
    expect(html).toMatch(box("tellStatus", false));
    expect(html).toMatch(box("tellResponse", true));
    const published = {
      ...{ was: form.was ?? "", response: "Here it is", visibility: "public", tags: "" },
      ...{ title: "Night buses", description: "What it is about.", do: "publish" },
      ...{ "has-tellStatus": "", "has-tellResponse": "" },
    };
    expect((await owner.submit(`${path}/publish`, published)).status).toBe(303);
    expect(await mailsAfter()).toEqual([]);
  });

  it("an entry that is edited asks nothing", async () => {
    const { press, path, page } = await createScene();
    await press(`${path}/publish`, "Publish", { do: "publish" });
    expect(await page(`${path}/publish`)).not.toContain("tellStatus");
  });

  it("several counts people once, and carries the choice of the list", async () => {
    const { owner, page, press, panel, person, voter, follow, mailsAfter, idea } = await createScene();
    const other = await person();
    follow(other.email);
    const second = await other.submit("Day buses");
    await voter.vote(second);
    const ids = [idea, second].map((each) => `${panel.bank.id}-${each}`);
    const list = async (more: object) => {
      const fields = { back: "/account/ideas", do: "status", status: "implemented", ids, "has-tell": "", ...more };
      const answer = await owner.submit("/ideas", fields);
      return (answer.headers.get("Location") ?? "").replace("/account", "");
    };
    expect(await page(await list({}))).toMatch(box("tellStatus", false));
    const asked = await list({ tell: "on" });
    const html = await page(asked);
    expect(html).toContain("Tell 3 people by email");
    expect(html).toMatch(box("tellStatus", true));
    const fields = { back: "/account/ideas", ids, "has-tellStatus": "" };
    await owner.submit("/ideas/publish", fields);
    expect(await mailsAfter()).toEqual([]);
    await press(`/idea-banks/${panel.bank.id}/ideas/${idea}`, "Save", { do: "decide", status: "planned" });
    await press(`/idea-banks/${panel.bank.id}/ideas/${second}`, "Save", { do: "decide", status: "planned" });
    expect(to(await mailsAfter())).toHaveLength(3);
    await owner.submit("/ideas/publish", { ...fields, tellStatus: "on" });
    const mails = await mailsAfter();
    expect([to(mails).length, new Set(to(mails)).size]).toEqual([3, 3]);
  });
});

describe("the list", { tags: "slow" }, () => {
  it("has one ticked box for all rows, one in each response and one in the bar, which count nobody; none where the board tells nobody", async () => {
    const { page, run, panel, idea, author } = await createScene();
    const other = await author.submit("Day buses");
    const html = await page("/ideas");
    const boxes = [...html.matchAll(/<input type="checkbox" name="tell"( form="[^"]*")?( checked="")?/g)];
    expect(boxes.map(([, form, checked]) => [form?.slice(7, -1), checked !== undefined])).toEqual([
      ["row", true],
      [`respond-${other}`, true],
      [`respond-${idea}`, true],
      [undefined, true],
    ]);
    expect(html).toContain("Tell people by email<span> of each status that you set here</span>");
    await run("UPDATE idea_banks SET notifies_people = 0 WHERE id = ?1", panel.bank.id);
    expect(await page("/ideas")).not.toContain("by email");
    await run("UPDATE idea_banks SET notifies_people = 1 WHERE id = ?1", panel.bank.id);
    await run("UPDATE accounts SET notifies_people = 0 WHERE id = ?1", panel.bank.accountId);
    expect(await page("/ideas")).not.toContain("by email");
  });

  it("the box of the rows stays as it was left, and a link from elsewhere does not untick it", async () => {
    const { owner, panel, idea, page } = await createScene();
    const row = { do: `status:${panel.bank.id}-${idea}`, "has-tell": "", back: "/account/ideas?sort=top" };
    const set = async (status: string, more: object) => {
      const answer = await owner.submit("/ideas", { ...row, [`status-${idea}`]: status, ...more });
      return (answer.headers.get("Location") ?? "").replace("/account", "");
    };
    const rowBox = (html: string) => /<input type="checkbox" name="tell" form="row"( checked="")?/.exec(html)?.[1];
    const unticked = await set("planned", {});
    const html = await page(unticked);
    expect([html.includes("is now Planned"), rowBox(html)]).toEqual([true, undefined]);
    // The list itself is the same, so a place in it stays valid.
    expect(html).toContain('name="back" value="/account/ideas?sort=top"');
    const elsewhere = await owner.isolate.request(`/account${unticked}`, {
      headers: { Referer: "https://evil.example/" },
    });
    expect(rowBox(await elsewhere.text())).toBe(' checked=""');
    expect(rowBox(await page(await set("declined", { tell: "on" })))).toBe(' checked=""');
  });

  it("the box of the rows is that of a status, and the box of a response is its own", async () => {
    const { owner, panel, idea, page, mailsAfter, toAll, press, path } = await createScene();
    const set = (status: string, more: object) => {
      const row = { back: "/account/ideas", do: `status:${panel.bank.id}-${idea}`, [`status-${idea}`]: status };
      return owner.submit("/ideas", { ...row, "has-tell": "", ...more });
    };
    await set("planned", {});
    expect(await mailsAfter()).toEqual([]);
    await set("in-progress", { tell: "on" });
    expect(to(await mailsAfter())).toEqual(toAll);
    const quiet = (await set("implemented", {})).headers.get("Location") ?? "";
    expect(await page(quiet.replace("/account", ""))).toMatch(box("tellStatus", false));
    const { tell: _, ...silent } = await ideaForm();
    expect((await owner.submit(path, { ...silent, response: "Soon", status: "planned" })).status).toBe(303);
    expect(await mailsAfter()).toEqual([]);
    await press(path, "Save response", { do: "decide", response: "" });
    await owner.submit(path, { ...(await ideaForm()), response: "Very soon" });
    expect(to(await mailsAfter())).toEqual(toAll);

    async function ideaForm(): Promise<Record<string, string>> {
      const was = new URLSearchParams({ status: "in-progress", visibility: "public", tags: "", response: "" });
      const fields = { was: was.toString(), visibility: "public", tags: "", do: "decide" };
      return { ...fields, status: "in-progress", "has-tell": "", tell: "on" };
    }
  });

  it("several at once tell only where it is ticked", async () => {
    const { owner, panel, idea, mailsAfter, toAll } = await createScene();
    const ids = [`${panel.bank.id}-${idea}`];
    const set = (status: string, more: object) =>
      owner.submit("/ideas", { back: "/account/ideas", do: "status", status, ids, "has-tell": "", ...more });
    await set("planned", {});
    expect(await mailsAfter()).toEqual([]);
    await set("declined", { tell: "on" });
    expect(to(await mailsAfter())).toEqual(toAll);
  });
});

describe("a person's page", { tags: "slow" }, () => {
  it("has what the person was told, and in which state", async () => {
    const { page, voter, path, press, mailsAfter, idea, run } = await createScene();
    expect(await page(`/people/${voter.id}`)).not.toContain(">Emails<");
    await press(path, "Save", { do: "decide", status: "planned" });
    await mailsAfter();
    const sent = await page(`/people/${voter.id}`);
    expect(sent).toContain(">Emails<");
    expect(sent).toMatch(
      new RegExp(`/ideas/${idea}\\?back=[^"]*"><bdi>Night buses</bdi></a></p><p class="hint">Sent · `),
    );
    for (const [state, words] of [
      ["unknown", "Unknown: the mail service didn’t answer, and it won’t be sent again"],
      ["refused", "Not sent: can’t be reached"],
      ["skipped", "Not sent"],
    ] as const) {
      await run("UPDATE recipients SET state = ?2 WHERE panelist_id = ?1", voter.id, state);
      expect(await page(`/people/${voter.id}`)).toContain(`<p class="hint">${words} · `);
    }
  });

  it("says that the mail service refuses the address", async () => {
    const { page, voter, run } = await createScene();
    const words = "Can’t be reached: the mail service refuses this address";
    expect(await page(`/people/${voter.id}`)).not.toContain(words);
    await run("UPDATE panelists SET unreachable_at = 1 WHERE id = ?1", voter.id);
    expect(await page(`/people/${voter.id}`)).toContain(words);
  });
});

describe("the switches", { tags: "slow" }, () => {
  it("of a board: people are told, and in which language", async () => {
    const { press, bank, panel, activity, page } = await createScene();
    const path = `${bank}/settings`;
    const stored = async () => {
      const { notifiesPeople, language } = await (await panel.manage("GET", "")).json<Record<string, unknown>>();
      return { notifiesPeople, language };
    };
    await press(path, "Save");
    expect(await stored()).toEqual({ notifiesPeople: true, language: null });
    await press(path, "Save", { language: "de" });
    expect(await stored()).toEqual({ notifiesPeople: true, language: "de" });
    expect(await page("/activity")).toContain("Language of emails: English → Deutsch.");
    await press(path, "Save", { notifiesPeople: null });
    expect(await stored()).toEqual({ notifiesPeople: false, language: "de" });
    expect((await activity())[0]?.changes).toEqual({
      before: { notifiesPeople: true },
      after: { notifiesPeople: false },
    });
    expect(await page("/activity")).toContain("People are told by email: yes → no.");
  });

  it("of an account: nobody is told on any board, and a board says where to turn it on", async () => {
    const { press, page, bank, path, owner, mailsAfter } = await createScene();
    const settings = async () => (await owner.json("GET", "/settings")).json();
    const off = "Off for all boards of this account.";
    expect(await page(`${bank}/settings`)).not.toContain(off);
    await press(path, "Save", { do: "decide", status: "planned" });
    await press("/accounts", "Save", { do: "notifiesPeople", notifiesPeople: null });
    expect(await settings()).toMatchObject({ notifiesPeople: false });
    expect(await mailsAfter()).toEqual([]);
    expect(await page(`${bank}/settings`)).toContain(off);
    await press("/accounts", "Save", { do: "notifiesPeople", notifiesPeople: "on" });
    expect(await settings()).toMatchObject({ notifiesPeople: true });
  });

  it("stay as they are where no e-mail is sent, and the pages say how to send some", async () => {
    const { press, page, bank, panel } = await createScene({ bindings: { ...BINDINGS, NOTICES_FROM: "" } });
    for (const path of [`${bank}/settings`, "/accounts"]) {
      const html = await page(path);
      expect(html).toContain("This deployment can’t send email to people yet.");
      expect(html).not.toContain('type="checkbox" name="notifiesPeople"');
    }
    await panel.manage("PATCH", "", { language: "pl" });
    await press(`${bank}/settings`, "Save", { name: "Renamed" });
    const board = await (await panel.manage("GET", "")).json();
    expect(board).toMatchObject({ name: "Renamed", notifiesPeople: true, language: "pl" });
  });
});

describe("Home", () => {
  it("says while e-mails stand still why, and what to do", { tags: "slow" }, async () => {
    const { page, run } = await createScene();
    onTestFinished(async () => void (await run("DELETE FROM mail_stops")));
    const words = "Emails to people stand still: ";
    expect(await page("")).not.toContain(words);
    const now = Date.now();
    const stop = (reason: string, until: number) =>
      run(
        `INSERT INTO mail_stops (id, reason, since, until) VALUES (1, ?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET reason = excluded.reason, until = excluded.until`,
        ...[reason, now, until],
      );
    for (const [reason, shown] of [
      ["E_DAILY_LIMIT_EXCEEDED", "the mail service’s limit for today is reached"],
      ["E_SENDER_NOT_VERIFIED", "the sender’s address is not verified at the mail service"],
      ["no answer", "the mail service doesn’t answer"],
      ["E_HEADERS_TOO_MANY", "the mail service refuses them (E_HEADERS_TOO_MANY)"],
      ["Error: private <words>", "the mail service refuses them, since"],
    ] as const) {
      await stop(reason, now + MINUTE);
      expect(await page("")).toContain(words + shown);
    }
    await stop("no answer", now - 1);
    expect(await page("")).not.toContain(words);
  });
});

it("costs the pages no further call in a row", { tags: "slow" }, async () => {
  const { owner, path, panel, idea } = await createScene();
  const { far, inARow } = countInARow({ ...BINDINGS, NEW_ACCOUNTS: panel.bank.accountId.slice(0, 1) });
  const isolate = createIsolate(far, async () => ({ email: owner.email, actor: owner.email }));
  // The isolate knows the account.
  await isolate.request("/account/accounts");
  for (const [page, most] of [
    [path, 2],
    [`${path}/publish`, 1],
    [`/ideas/publish?ids=${panel.bank.id}-${idea}`, 1],
    ["/ideas", 2],
    ["/people", 2],
    ["", 1],
  ] as const) {
    const { answer, calls } = await inARow(isolate, `/account${page}`);
    expect([page, answer.status, calls <= most]).toEqual([page, 200, true]);
  }
});
