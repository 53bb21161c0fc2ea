/** Webhooks with the format `slack`: what they are sent, when, and what happens when the answer is lost. */
import type { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { renderMessage, toldOf } from "../../../src/worker/deliveries/messages/render-message.ts";
import type { Change } from "../../../src/worker/model/change.ts";
import { exampleChange } from "../../../src/worker/model/example-change.ts";
import { runJob } from "../../support/job.ts";
import { createWebhookScene, type Reaction } from "../../support/webhooks.ts";

const MINUTE = 60_000;
const ADDRESS = "https://hooks.slack.com/services/T0000/B0000/s3cr3tXyzW";

async function scene(react?: Reaction, options = {}) {
  const made = await createWebhookScene(react, { url: ADDRESS, format: "slack", ...options });
  const { receiver, pass, job, tenant, bank } = made;
  const texts = () => receiver.seen.map(({ body }: { body: object }) => ("text" in body ? String(body.text) : ""));
  return {
    ...made,
    texts,
    last: () => texts().at(-1) ?? "",
    later: async (minutes = 1) => {
      await pass(minutes * MINUTE);
      await job();
    },
    ofProposal: (id: string, change: object) =>
      tenant.send("PATCH", `/tenant/ideabanks/${bank.id}/proposals/${id}`, change),
  };
}
const plain = (text: string) => text.replaceAll("\u200b", "");

it("says who, which idea and the text, in a body that is only that; with the setting SIGN_IN_URL, a link to the desk", {
  tags: "slow",
}, async () => {
  const { robin, receiver, texts, last, later, database, accountId, bank, ofProposal } = await scene();
  const proposalId = await robin.submit("Dogs <on> trains", "One\n\ntwo @all.");
  const [sent] = receiver.seen;
  expect(Object.keys(sent?.body ?? {})).toEqual(["text"]);
  expect(plain(texts()[0] ?? "")).toMatch(
    /^Robin submitted an idea on [^\n]+: “Dogs &lt;on&gt; trains”\nOne two @all\.\n\n`chg_\w+` \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
  );
  expect(last()).toContain(`\`${sent?.id}\``);
  await ofProposal(proposalId, { status: "planned", response: { text: "Next year." } });
  await database.prepare("UPDATE webhooks SET claimed_until = 0").run();
  await runJob({ DB: database, SIGN_IN_URL: "https://desk.example/account" } as typeof env, Date.now, receiver.send);
  expect(plain(last())).toContain(
    `is now Planned:\nNext year.\n<https://desk.example/account/idea-banks/${bank.id}/ideas/${proposalId}?account=${accountId}|Open the idea>`,
  );
  await later();
  expect(texts()).toHaveLength(2);
});

it("a comment and a new response are told; an edit, a vote and a setting are not", { tags: "slow" }, async () => {
  const { robin, propose, later, texts, tenant, bank, ofProposal, stored, newest } = await scene();
  const id = await propose();
  await robin.send("PATCH", `/ideabank/proposals/${id}`, { description: "Another text." });
  await ofProposal(id, { tags: ["Mobile"] });
  await tenant.send("PATCH", `/tenant/ideabanks/${bank.id}`, { name: "Renamed" });
  await later();
  expect(texts()).toHaveLength(1);
  expect((await stored()).number).toBe(await newest());
  await robin.send("POST", `/ideabank/proposals/${id}/comments`, { body: "Yes, please." });
  await ofProposal(id, { response: { text: "We will." } });
  // Soon after it, so it is as new as the response.
  await ofProposal(id, { tags: [] });
  await later();
  const [, comment, response] = texts().map(plain);
  expect(comment).toMatch(/^Robin commented on “[^”]+” on Renamed:\nYes, please\.\n\n`chg_/);
  expect(response).toMatch(/^New official response to “[^”]+” on Renamed:\nWe will\.\n\n`chg_/);
  await later();
  expect(texts()).toHaveLength(3);
});

it("a response to a survey is told without who it is; of an anonymous one, responses", () => {
  const change = {
    ...exampleChange("survey-response.created", "2026-11-20T12:00:00.000Z"),
    surveyId: "S",
    ideaBankId: "B",
  };
  const names = new Map(Object.entries({ S: "Ride @all", B: "Riders" }));
  const desk = { accountId: "A", signInUrl: "https://sso.example/in?a=1&b=|" };
  const render = (told: Change) =>
    renderMessage(toldOf([{ number: 1, id: "chg_1", change: told }]), { names, desk }).replaceAll("\u200b", "");
  expect(render(change)).toBe(
    "New response to the survey “Ride @all” on Riders\n" +
      "<https://sso.example/in?a=1&amp;b=%7C&amp;returnTo=%2Faccount%2Fsurveys%2FS%3Faccount%3DA|Open the survey>\n\n`chg_1` 2026-11-20 12:00:00 UTC",
  );
  const { panelistId: _, response: __, ...anonymous } = change;
  expect(render(anonymous)).toMatch(/^New responses to the survey/);
});

it.each([
  ["proposal.updated", "proposal.status-changed"],
  ["proposal.status-changed", "proposal.updated"],
  ["proposal.status-changed", "proposal.status-changed"],
] as const)("a response that came with %s is not told again with %s", (...types) => {
  const at = "2026-11-20T12:00:00.000Z";
  const changes = types.map((type, index) => {
    const { proposal, ...change } = exampleChange(type, at);
    const answered = proposal && {
      ...proposal,
      visibility: "public" as const,
      response: { text: "We will.", respondedAt: at },
    };
    return { number: index, id: `chg_${index}`, change: { ...change, proposal: answered } as Change };
  });
  const text = renderMessage(toldOf(changes), { names: new Map(), desk: { accountId: "A", signInUrl: undefined } });
  expect(text.match(/We will\./g)).toHaveLength(1);
  expect(text.match(/ is now /g) ?? []).toHaveLength(types.filter((type) => type === "proposal.status-changed").length);
});

it("says nobody's address: a member is a member, and a person whose name is an address is someone", async () => {
  const { propose, last, later, panelist } = await scene();
  const ann = await panelist("ann@example.com");
  await ann.submit("Cats");
  expect(last()).toMatch(/^Someone submitted/);
  await propose();
  await later();
  expect(last()).toMatch(/^Your team submitted/);
  expect(last()).not.toContain("example");
});

it("tells nothing of what is hidden or gone when it is sent", { tags: "slow" }, async () => {
  const { propose, ofProposal, later, texts, tenant, bank, stored, newest } = await scene();
  await propose();
  const [hidden, deleted] = [await propose(), await propose()];
  await ofProposal(hidden, { visibility: "hidden" });
  await tenant.send("DELETE", `/tenant/ideabanks/${bank.id}/proposals/${deleted}`);
  await later();
  expect(texts()).toHaveLength(1);
  expect(await stored()).toMatchObject({ number: await newest(), due_at: null, attempts: 0 });
});

it("the events of a minute are one message: the first in words, the others counted, in less than 2,000 characters", {
  tags: "slow",
}, async () => {
  const { robin, texts, later, propose, last, stored } = await scene();
  await propose();
  for (let index = 0; index < 20; index++) await robin.submit(`${index} ${"&".repeat(140)}`, "<".repeat(900));
  expect(texts()).toHaveLength(1);
  await later(0.5);
  expect(texts()).toHaveLength(1);
  await later(0.5);
  expect(texts()).toHaveLength(2);
  const said = last().match(/submitted an idea/g)?.length ?? 0;
  expect(said).toBeGreaterThan(2);
  expect(last()).toContain(`\n\nand ${20 - said} more\n\n`);
  expect(last().length).toBeLessThan(2_000);
  expect(JSON.parse((await stored()).recent)[0]).toMatchObject({ changes: 20, type: "proposal.created" });
});

it("a message of which it is unclear whether it came is sent once more, with the same changes; then the next one", {
  tags: "slow",
}, async () => {
  const { propose, receiver, texts, later, stored, newest, last } = await scene(() => ({
    status: null,
    retryAfter: null,
  }));
  await propose();
  await propose();
  await later();
  expect(texts()).toHaveLength(2);
  expect(texts()[1]).toBe(texts()[0]);
  // Failing goes on, and the second idea waits for its own message.
  const failing = await stored();
  expect(failing).toMatchObject({ attempts: 2, state: "active", number: (await newest()) - 1 });
  expect(failing.failing_since).not.toBeNull();
  receiver.react = () => 503;
  await later(10);
  await later(60);
  expect(texts()).toHaveLength(4);
  expect(new Set(texts()).size).toBe(2);
  expect(await stored()).toMatchObject({ attempts: 4, number: await newest(), due_at: null });
  receiver.react = () => 200;
  await propose();
  await later(1);
  expect(texts()).toHaveLength(5);
  expect(texts().filter((text) => text === last())).toHaveLength(1);
  expect(await stored()).toMatchObject({ attempts: 0, failing_since: null });
});

it("a clear refusal is no lost answer: 429 waits for Retry-After, and nothing is passed over", {
  tags: "slow",
}, async () => {
  const { propose, receiver, texts, later, stored, newest } = await scene(() => ({ status: 429, retryAfter: "1800" }));
  await propose();
  const { due_at } = await stored();
  expect(Math.abs((due_at ?? 0) - Date.now() - 30 * MINUTE)).toBeLessThan(MINUTE);
  await later(29);
  expect(texts()).toHaveLength(1);
  for (const minutes of [1.5, 31, 40]) await later(minutes);
  receiver.react = () => 404;
  await later(400);
  expect(texts().length).toBeGreaterThan(3);
  expect(await stored()).toMatchObject({ number: (await newest()) - 1, state: "active" });
  receiver.react = () => 410;
  await later(2_000);
  expect(await stored()).toMatchObject({ state: "ended" });
});

it("its address is in no attempt and no event of the activity", { tags: "slow" }, async () => {
  const { propose, stored, accountId, database, later } = await scene(() => 410);
  await propose();
  await later();
  const { results } = await database.prepare("SELECT * FROM audit_events WHERE account_id = ?1").bind(accountId).all();
  expect(results).toMatchObject([{ event: "webhook-failed", api_key_name: "https://hooks.slack.com/…XyzW" }]);
  const { recent } = await stored();
  for (const text of [recent, JSON.stringify(results)]) expect(text).not.toContain("s3cr3t");
  expect(JSON.parse(recent)[0].url).toBe("https://hooks.slack.com/…XyzW");
});
