/** Two members have the same page open and change the same: the statement lets one of them, and the other is shown both. */
import { describe, expect, it } from "vitest";
import { createDesk } from "../../support/desk.ts";
import { add } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";
import { readForm, type ShownForm } from "../../support/read-forms.ts";
import { createSurveyDesk } from "../../support/survey-desk.ts";

type Desk = Awaited<ReturnType<typeof createDesk>>;
type Owner = Desk["owner"];

/** The form with changes, as the browser of one of them sends it. */
function save(owner: Owner, { action, fields }: ShownForm, changes: Record<string, string> = {}): Promise<Response> {
  const sent = new Map([...new Set(fields.keys())].map((name) => [name, fields.getAll(name)]));
  for (const [name, value] of Object.entries(changes)) sent.set(name, [value]);
  return owner.submit(action.replace("/account", ""), Object.fromEntries(sent));
}

const textOf = (html: string) => html.replace(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

/** Everything that two members can edit, on a page that both have opened. */
type Case = readonly [
  what: string,
  scene: (
    desk: Desk,
  ) => Promise<{ readonly path: string; readonly button: string; readonly send?: Record<string, string> }>,
  field: string | ((fields: URLSearchParams) => string),
  texts: readonly [theirs: string, mine: string],
];
const ofIdea =
  (
    button: string,
    { below = "", more = {}, send = {} }: { below?: string; more?: object; send?: Record<string, string> } = {},
  ) =>
  async ({ panel, bank }: Desk) => ({
    path: `${bank}/ideas/${await panel.propose({ title: "Night buses", ...more })}${below}`,
    button,
    send,
  });
const decides = { send: { do: "decide" } };
const rowStatus = (fields: URLSearchParams) => [...fields.keys()].find((name) => name.startsWith("status-")) ?? "";

const CASES: readonly Case[] = [
  ["a response", ofIdea("Post response", decides), "response", ["Ours since Monday", "Mine since Tuesday"]],
  [
    "an edited response",
    ofIdea("Save response", { more: { response: { text: "Old" } }, ...decides }),
    "response",
    ["Ours since Monday", "Mine since Tuesday"],
  ],
  ["a status", ofIdea("Save", decides), "status", ["planned", "declined"]],
  ["tags", ofIdea("Save", decides), "tags", ["Theirs", "Mine"]],
  ["a title", ofIdea("Save text", { send: { do: "edit" } }), "title", ["Their title", "My title"]],
  ["a text", ofIdea("Save text", { send: { do: "edit" } }), "description", ["Their text", "My text"]],
  [
    "an entry of the changelog",
    ofIdea("Publish", { below: "/publish", send: { do: "publish" } }),
    "title",
    ["Their words", "My words"],
  ],
  [
    "a response in the queue",
    async ({ panel }) => {
      await panel.propose();
      return { path: "/ideas", button: "Post response", ...decides };
    },
    "response",
    ["Ours since Monday", "Mine since Tuesday"],
  ],
  [
    "a status in the queue",
    async ({ panel, bank }) => {
      const key = `${panel.bank.id}-${await panel.propose()}`;
      return { path: bank, button: "Set", send: { do: `status:${key}` } };
    },
    rowStatus,
    ["planned", "declined"],
  ],
  [
    "a comment",
    async ({ panel, bank }) => {
      const id = await panel.propose();
      await panel.manage("POST", `/proposals/${id}/comments`, { body: "Ours" });
      return { path: `${bank}/ideas/${id}`, button: "Save comment", send: { do: "edit-comment" } };
    },
    "body",
    ["Their comment", "My comment"],
  ],
  [
    "a board’s name",
    async ({ bank }) => ({ path: `${bank}/settings`, button: "Save" }),
    "name",
    ["Their name", "My name"],
  ],
  [
    "a public page",
    async ({ bank, panel }) => {
      await panel.manage("PATCH", "", { publicPage: true });
      return { path: `${bank}/public-page`, button: "Save" };
    },
    "description",
    ["Their line", "My line"],
  ],
  [
    "a person’s address",
    async ({ panel }) => ({
      path: `/people/${(await panel.panelist("Ana")).id}`,
      button: "Save",
      send: { do: "email" },
    }),
    "email",
    ["theirs@example.com", "mine@example.com"],
  ],
  [
    "an API key",
    async ({ owner }) => ({ path: `/api-keys/${(await owner.create()).apiKey.id}/change`, button: "Save" }),
    "name",
    ["Their key", "My key"],
  ],
  [
    "a webhook",
    async ({ owner }) => {
      const made = await owner.json("POST", "/webhooks", { url: "https://old.example.com/" });
      const { webhook } = await made.json<{ webhook: { id: string } }>();
      return { path: `/webhooks/${webhook.id}`, button: "Save", send: { do: "change" } };
    },
    "url",
    ["https://theirs.example.com/", "https://mine.example.com/"],
  ],
];

const words: Readonly<Record<string, string>> = { planned: "Planned", declined: "Declined" };

describe("what two have changed", { tags: "slow" }, () => {
  it.each(CASES)("is shown to the second of them: %s", async (_, scene, field, [theirs, mine]) => {
    const desk = await createDesk();
    const { owner } = desk;
    const { path, button, send = {} } = await scene(desk);
    const form = await readForm(await owner.page(path), button);
    const name = typeof field === "string" ? field : field(form.fields);
    const present = async () =>
      (await readForm(await owner.page(path), button).catch(() => undefined))?.fields.get(name);
    expect((await save(owner, form, { ...send, [name]: theirs })).status).toBe(303);
    const refused = await save(owner, form, { ...send, [name]: mine });
    expect(refused.status).toBe(409);
    const html = await refused.clone().text();
    const text = textOf(html);
    // The activity has no address of a person, so nobody can be said to have set this one.
    const who = field === "email" ? "Somebody else" : owner.email;
    expect(text).toMatch(new RegExp(`${who} changed (this|“ .+ ”) while your page was open`));
    expect(text).toContain("Nothing of yours was saved yet.");
    for (const each of [theirs, mine]) expect(text).toContain(words[each] ?? each);
    expect(html).toContain("Keep theirs");
    const again = await readForm(refused, "Save mine all the same");
    if (field === "response" || name.startsWith("status-")) expect(await present()).not.toBe(mine);
    else expect([theirs, undefined]).toContain(await present());
    // Sent again it replaces what was read, and only that.
    expect((await save(owner, again)).status).toBe(303);
    const third = await save(owner, again, { ...(again.fields.has(name) && { [name]: theirs }) });
    expect([303, 409]).toContain(third.status);
  });

  it("is no matter where they wanted the same, or changed something else", async () => {
    const { owner, panel, bank, idea } = await createDesk();
    const id = await panel.propose({ tags: ["A"] });
    const path = `${bank}/ideas/${id}`;
    const [details, response] = [
      await readForm(await owner.page(path), "Save"),
      await readForm(await owner.page(path), "Post response"),
    ];
    await save(owner, details, { do: "decide", tags: "A, B", status: "planned" });
    expect((await save(owner, details, { do: "decide", tags: "B, A" })).status).toBe(303);
    expect((await save(owner, response, { do: "decide", response: "Soon." })).status).toBe(303);
    expect(await idea(id)).toMatchObject({ tags: ["B", "A"], status: "planned", response: { text: "Soon." } });
    // A status that goes along was changed by both.
    const late = await save(owner, response, { do: "decide", response: "Soon.", status: "declined" });
    expect(late.status).toBe(409);
    expect(textOf(await late.text())).toMatch(/Status now Planned .*Status, yours Declined/);
  });

  it("is shown with its title, and with what would be saved besides", async () => {
    const { owner, panel, bank, idea } = await createDesk();
    const id = await panel.propose({ title: "Night buses" });
    const form = await readForm(await owner.page(`${bank}/ideas/${id}`), "Post response");
    expect((await save(owner, form, { do: "decide", response: "Theirs" })).status).toBe(303);
    const refused = await save(owner, form, { do: "decide", response: "Mine", status: "declined" });
    const text = textOf(await refused.clone().text());
    expect(text).toContain("changed “ Night buses ” while");
    expect(text).toContain("This also saves: Status Submitted → Declined .");
    expect((await save(owner, await readForm(refused, "Save mine all the same"))).status).toBe(303);
    expect(await idea(id)).toMatchObject({ status: "declined", response: { text: "Mine" } });
    // With nothing else of theirs nothing else is said.
    const again = await save(owner, form, { do: "decide", response: "Third" });
    expect([again.status, (await again.text()).includes("This also saves")]).toEqual([409, false]);
  });

  it("of a survey is shown by its texts and its questions, each by itself", async () => {
    const desk = await createSurveyDesk();
    const questions = [{ kind: "text", id: "why", title: "Why?" }];
    const id = await desk.create({ status: "DRAFT", questions });
    const open = async () => readForm(await desk.owner.page(`/surveys/${id}/edit`), "Save draft");
    const [first, second] = [await open(), await open()];
    expect((await save(desk.owner, first, { title: "Their title", "title:why": "Their question?" })).status).toBe(303);
    const title = await save(desk.owner, second, { title: "My title" });
    expect(textOf(await title.clone().text())).toContain("Title now Their title");
    expect(title.status).toBe(409);
    const question = await save(desk.owner, second, { "title:why": "My question?" });
    expect(question.status).toBe(409);
    expect(textOf(await question.clone().text())).toMatch(/Questions now Their question\? .*yours My question\?/);
    expect((await save(desk.owner, await readForm(question, "Save mine all the same"))).status).toBe(303);
    expect(await desk.survey(id)).toMatchObject({ title: "Their title", questions: [{ title: "My question?" }] });
  });

  it("names the member who did it, and nobody where a program did", async () => {
    const { owner, panel, bank } = await createDesk();
    const other = createOwner();
    await add(owner, other);
    const id = await panel.propose();
    const path = `${bank}/ideas/${id}`;
    const form = await readForm(await owner.page(path), "Post response");
    const { accountId } = panel.bank;
    await other.submit(`${path}?account=${accountId}`, { do: "decide", was: "response=", response: "Theirs" });
    expect(textOf(await (await save(owner, form, { do: "decide", response: "Mine" })).text())).toContain(
      `${other.email} changed “`,
    );
    await other.submit(`/profile?account=${accountId}`, { name: "Maya" });
    expect(textOf(await (await save(owner, form, { do: "decide", response: "Mine" })).text())).toContain(
      "Maya changed “",
    );
    await panel.manage("PATCH", `/proposals/${id}`, { response: { text: "A program’s" } });
    // Who has changed something else of it has not changed this.
    await owner.submit(path, { do: "decide", was: "tags=", tags: "Bus" });
    const refused = textOf(await (await save(owner, form, { do: "decide", response: "Mine" })).text());
    expect(refused).toContain("Somebody else changed “");
    expect(refused).toContain("Official response now A program’s");
  });
});

it("of two answers in the same instant exactly one is stored, and the other member is shown both: 60 times", {
  tags: "slow",
}, async () => {
  const { owner, panel, bank, idea } = await createDesk();
  const other = createOwner(owner.email);
  for (let pair = 0; pair < 60; pair++) {
    const path = `${bank}/ideas/${await panel.propose({ title: `Idea ${pair}` })}`;
    const forms = await Promise.all(
      [owner, other].map(async (each) => readForm(await each.page(path), "Post response")),
    );
    const texts = [`One ${pair}`, `Two ${pair}`];
    const answers = await Promise.all(
      [owner, other].map((each, index) =>
        save(each, forms[index] ?? expect.fail(), { do: "decide", response: texts[index] ?? "" }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409]);
    const { response } = await idea(path.split("/").at(-1) ?? "");
    const stored = answers.findIndex(({ status }) => status === 303);
    expect(response).toMatchObject({ text: texts[stored] });
    const told = await answers[1 - stored]?.text();
    for (const text of texts) expect(told).toContain(text);
  }
});
