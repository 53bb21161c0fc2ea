/** The history on an idea's page: who changed what, Undo of each step at any time, and the activity by idea and by key. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { add, membersOf } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";
import { readForm, readForms } from "../../support/read-forms.ts";

type Desk = Awaited<ReturnType<typeof createDesk>>;

const locationOf = (answer: Response) => answer.headers.get("Location")?.replace(/^\/account/, "") ?? "";
const textIn = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&#39;", "'")
    .replaceAll(/\s+/g, " ");

/** The sentences of the history on a page, the newest first. */
const stepsIn = (html: string) => {
  const list = html.match(/class="comments history".*?<\/section>/s)?.[0] ?? "";
  return [...list.matchAll(/<li[^>]*>\s*<p>(.*?)<\/p>/gs)].map(([, step = ""]) =>
    (textIn(step).split(" · ")[0] ?? "").trim(),
  );
};

/** The form of the step with this number, and how it is sent. */
async function undoForm(desk: Desk, path: string, number: number) {
  const forms = await readForms(await desk.owner.page(path));
  return forms.find(({ fields, action }) => action.includes("/history") && fields.get("step") === String(number));
}
async function undo(desk: Desk, path: string, number: number) {
  const form = await undoForm(desk, path, number);
  if (form === undefined) throw new Error(`step ${number} has no Undo`);
  return desk.owner.submit(form.action.replace("/account", ""), Object.fromEntries(form.fields));
}

type Owner = ReturnType<typeof createOwner>;

/** Presses a button of the idea's page, which the person has opened, with other fields. */
const press = async (person: Owner, path: string, button: string, fields: Record<string, string>) => {
  const { fields: opened } = await readForm(await person.page(path), button);
  return person.submit(path, { ...Object.fromEntries(opened), ...fields });
};

async function createScene() {
  const desk = await createDesk();
  const colleague = createOwner(undefined, env);
  await add(desk.owner, colleague);
  const { accountId } = await membersOf(desk.owner);
  const asColleague = (idea: string, button: string, fields: Record<string, string>) =>
    press(colleague, `${desk.bank}/ideas/${idea}?account=${accountId}`, button, fields);
  return { ...desk, colleague, asColleague };
}

async function createDeskWithRows() {
  const desk = await createDesk();
  const rows = (sql: string, ...values: string[]) =>
    databaseOf(desk.panel.bank.id)
      .prepare(sql)
      .bind(...values)
      .run();
  return { ...desk, rows };
}

it("says in sentences who did what: members, keys, people, and what was merged", { tags: "slow" }, async () => {
  const desk = await createScene();
  const { panel, owner, bank, page, asColleague, colleague } = desk;
  const kim = await panel.panelist("Kim");
  const idea = await kim.submit("Night buses", "At night");
  const path = `${bank}/ideas/${idea}`;
  await kim.send("PATCH", `/ideabank/proposals/${idea}`, { description: "Every hour" });
  await press(owner, path, "Save", { do: "decide", status: "planned", tags: "Bus, Night", response: "Soon." });
  await asColleague(idea, "Save text", { do: "edit", title: "Night bus" });
  await panel.manage("PATCH", `/proposals/${idea}`, { visibility: "hidden", response: null, tags: ["Bus"] });
  const other = await panel.propose({ title: "Buses at night" });
  await owner.submit(`${bank}/ideas/${other}`, { do: "merge", into: idea });
  const html = await page(path);
  expect(stepsIn(html)).toEqual([
    `${owner.email} merged “Buses at night” into this idea`,
    "API key A key hid this idea, removed the official response and removed the tag “Night”",
    `${colleague.email} changed the title to “Night bus” (was “Night buses”)`,
    `${owner.email} set the status to Planned (was Submitted), posted the official response and added the tags “Bus”, “Night”`,
    "Kim changed the text",
    "Kim posted this idea",
  ]);
  expect(html).toMatch(new RegExp(`href="/account/people/${kim.id}[^"]*"[^>]*><bdi>Kim`));
  expect(html).toContain(`href="/account/api-keys/${panel.tenant.id}"`);
  expect(stepsIn(await page(`${bank}/ideas/${other}`))).toEqual([
    `${owner.email} merged this idea into “Night bus”`,
    "API key A key created this idea",
  ]);
  // A merge has no Undo, and a merged idea none at all.
  expect(await undoForm(desk, `${bank}/ideas/${other}`, 2)).toBeUndefined();
  expect(await page(`${bank}/ideas/${other}`)).toContain("A merge can’t be undone");
  // Who left is still named, by the address.
  const members = await membersOf(owner);
  const left = members.items.find(({ email }) => email === colleague.email);
  await owner.json("DELETE", `/members/${left?.id}`);
  expect(stepsIn(await page(path))[2]).toContain(colleague.email);
});

it("shows the newest five steps and folds up to 20, and all of them stand on a page of its own", {
  tags: "slow",
}, async () => {
  const { panel, bank, page } = await createDesk();
  const idea = await panel.propose();
  for (let times = 0; times < 21; times++)
    await panel.manage("PATCH", `/proposals/${idea}`, { status: times % 2 === 0 ? "planned" : "declined" });
  const html = await page(`${bank}/ideas/${idea}`);
  expect([stepsIn(html).length, html.includes(">More<")]).toEqual([20, true]);
  const [inSight = "", folded = ""] = html.split("<summary>Show 15 more</summary>");
  expect([inSight, folded].map((part) => part.match(/<li id="step-/g)?.length)).toEqual([5, 15]);
  const whole = stepsIn(await page(`${bank}/ideas/${idea}/history`));
  expect([whole.length, whole.at(-1)]).toEqual([22, "API key A key created this idea"]);
});

it("folds the older ones of a short history, too, and says who began an idea that is older than the history", {
  tags: "slow",
}, async () => {
  const { panel, bank, page, rows } = await createDeskWithRows();
  const kim = await panel.panelist("Kim");
  const [own, forKim, ours] = [await kim.submit("Own"), await panel.propose(), await panel.propose()];
  await rows("UPDATE proposals SET author_id = ?1 WHERE id = ?2", kim.id, forKim);
  await rows("DELETE FROM proposal_steps");
  for (const [idea, words] of [
    [own, "Kim posted this idea"],
    [forKim, "Your team added this idea for Kim"],
    [ours, "Your team created this idea"],
  ] as const)
    expect(stepsIn(await page(`${bank}/ideas/${idea}`))).toEqual([words]);
  for (let times = 0; times < 6; times++)
    await panel.manage("PATCH", `/proposals/${ours}`, { status: times % 2 === 0 ? "planned" : "declined" });
  const html = await page(`${bank}/ideas/${ours}`);
  expect(html).toContain("<summary>Show all 7</summary>");
  expect(stepsIn(html)).toHaveLength(7);
});

describe("Undo of a step", () => {
  it("sets back what an API key has changed, long after, as a new decision with its own step, event and change", {
    tags: "slow",
  }, async () => {
    const desk = await createDesk();
    const { panel, bank, idea: load, activity, changes, owner, page } = desk;
    const idea = await panel.propose({
      title: "Dogs",
      description: "Long. ".repeat(100).trim(),
      response: { text: "Soon." },
      tags: ["A"],
    });
    const before = await load(idea);
    await panel.manage("PATCH", `/proposals/${idea}`, {
      description: "Short",
      response: null,
      tags: ["B"],
      status: "planned",
    });
    await databaseOf(idea).prepare("UPDATE proposal_steps SET made_at = made_at - 86400000").run();
    const known = (await changes()).length;
    const path = `${bank}/ideas/${idea}`;
    const answer = await undo(desk, path, 2);
    const { lastActivityAt: _, ...undone } = await load(idea);
    expect(before).toMatchObject(undone);
    expect(stepsIn(await page(locationOf(answer)))[0]).toMatch(
      new RegExp(`^${owner.email} set the status to Submitted`),
    );
    expect((await activity())[0]).toMatchObject({
      event: "proposal-changed",
      actor: owner.email,
      subject: { id: idea },
    });
    expect((await changes()).slice(known)).toMatchObject([
      { type: "proposal.status-changed", by: "tenant", apiKeyId: null },
    ]);
    // Nothing is left to undo of the step; the new one can be.
    expect(await undoForm(desk, path, 2)).toBeUndefined();
    await undo(desk, path, 3);
    expect(await load(idea)).toMatchObject({ description: "Short", response: null, tags: ["B"], status: "planned" });
  });

  it("asks with both values where the field has changed again since, and then does it", { tags: "slow" }, async () => {
    const desk = await createDesk();
    const { panel, bank, idea: load, owner } = desk;
    const idea = await panel.propose();
    const path = `${bank}/ideas/${idea}`;
    for (const status of ["planned", "declined"]) await panel.manage("PATCH", `/proposals/${idea}`, { status });
    const asked = await undo(desk, path, 2);
    const html = await asked.clone().text();
    expect([asked.status, (await load(idea)).status]).toEqual([200, "declined"]);
    expect(textIn(html)).toMatch(/has changed again since\..*Status ?Declined ?Submitted/);
    const form = await readForm(asked, "Undo anyway");
    // Somebody else is faster: asked again.
    await panel.manage("PATCH", `/proposals/${idea}`, { status: "under-review" });
    const send = (fields: URLSearchParams) => owner.submit(`${path}/history`, Object.fromEntries(fields));
    const again = await send(form.fields);
    expect([again.status, (await load(idea)).status]).toEqual([200, "under-review"]);
    await send((await readForm(again, "Undo anyway")).fields);
    expect((await load(idea)).status).toBe("submitted");
    expect((await owner.submit(`${path}/history`, { step: "2", seen: "{" })).status).toBe(409);
    for (const step of ["", "x", "99"]) expect((await owner.submit(`${path}/history`, { step })).status).toBe(404);
  });

  it("publishes nothing unasked", { tags: "slow" }, async () => {
    const desk = await createDesk();
    const { panel, bank, idea: load, owner } = desk;
    const idea = await panel.propose({ status: "implemented" });
    await panel.manage("PATCH", `/proposals/${idea}`, { status: "planned" });
    const asked = await undo(desk, `${bank}/ideas/${idea}`, 2);
    expect(await asked.clone().text()).toContain("Undo adds this idea to your changelog again.");
    expect((await load(idea)).status).toBe("planned");
    await owner.submit(
      `${bank}/ideas/${idea}/history`,
      Object.fromEntries((await readForm(asked, "Undo anyway")).fields),
    );
    expect((await load(idea)).status).toBe("implemented");
  });

  it("is nobody’s but the account’s members’", async () => {
    const { panel, bank, idea: load } = await createDesk();
    const idea = await panel.propose();
    await panel.manage("PATCH", `/proposals/${idea}`, { status: "planned" });
    const stranger = createOwner();
    expect((await stranger.submit(`${bank}/ideas/${idea}/history`, { step: "2" })).status).toBe(404);
    expect((await load(idea)).status).toBe("planned");
  });
});

it("two members who change one field at once leave two steps, in the order in which they were saved", {
  tags: "slow",
}, async () => {
  const { panel, bank, owner, page, idea: load, colleague } = await createScene();
  const idea = await panel.propose();
  const path = `${bank}/ideas/${idea}`;
  // As forms that do not say what they were opened with: nobody is asked about the other's change.
  await Promise.all([
    owner.submit(path, { do: "decide", status: "planned" }),
    createOwner(colleague.email).submit(`${path}?account=${panel.bank.accountId}`, {
      do: "decide",
      status: "declined",
    }),
  ]);
  const [last, first] = stepsIn(await page(path));
  const { status } = await load(idea);
  const [name, other, later, earlier] =
    status === "planned"
      ? ["Planned", "Declined", owner.email, colleague.email]
      : ["Declined", "Planned", colleague.email, owner.email];
  expect(last).toBe(`${later} set the status to ${name} (was ${other})`);
  expect(first).toBe(`${earlier} set the status to ${other} (was Submitted)`);
});

describe("the activity", { tags: "slow" }, () => {
  it("is filtered by idea: alone, with others, and its comments", async () => {
    const { panel, bank, owner, page } = await createDesk();
    const [one, two] = [await panel.propose({ title: "One" }), await panel.propose({ title: "Two" })];
    await press(owner, `${bank}/ideas/${one}`, "Save", { do: "decide", status: "planned" });
    await press(owner, `${bank}/ideas/${two}`, "Save", { do: "decide", status: "declined" });
    await owner.submit(bank, { ids: [one, two], do: "hidden" });
    await owner.submit(`${bank}/ideas/${one}`, { do: "comment", body: "On it." });
    const link =
      (await page(`${bank}/ideas/${one}`)).match(/href="\/account(\/activity\?proposalId=[^"]*)"/)?.[1] ?? "";
    const words = textIn(await page(link));
    expect(words).toContain("Only the idea “One”");
    expect(words).toMatch(
      /Comment on “One” created.*2 ideas: “One”, “Two”.*Idea “One” is now Planned \(was Submitted\)/,
    );
    expect(words).not.toContain("Declined (was");
    expect(await page("/activity")).toContain("is now Declined (was Submitted)");
  });

  it("names people who still exist, keys and members, and stores no name", async () => {
    const { panel, owner, page, activity } = await createDesk();
    const kim = await panel.panelist("Kim Q");
    await owner.submit(`/people/${kim.id}`, { do: "block" });
    const html = await page("/activity");
    expect(html).toMatch(new RegExp(`Person <a href="/account/people/${kim.id}"><bdi>“Kim Q”`));
    expect(JSON.stringify(await activity())).not.toContain("Kim Q");
    await panel.tenant.send("DELETE", `/tenant/panelists/${kim.id}`);
    const gone = await page("/activity");
    expect(gone).not.toContain("Kim Q");
    expect(gone).not.toContain(`href="/account/people/${kim.id}"`);
    expect(gone).toMatch(new RegExp(`API key.*?href="/account/api-keys/${panel.tenant.id}"[^>]*><bdi>A key`, "s"));
    const ofKey = textIn(await page(`/activity?apiKeyId=${panel.tenant.id}`));
    expect(ofKey).toContain("Only the key A key");
  });
});
