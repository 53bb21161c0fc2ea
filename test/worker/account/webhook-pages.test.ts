/** The pages of the webhooks, as HTML and forms; webhooks.browser.test.ts tests them in a real browser. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { noAnswer } from "../../../src/worker/account/webhooks/why.tsx";
import { DELIVERY_TYPES, TEST_TYPE, type Webhook } from "../../../src/worker/model/webhook.ts";
import { createOwner, ORIGIN } from "../../support/owner.ts";
import { createReceiver, type Reaction } from "../../support/webhooks.ts";

const URL_ = "https://crm.example.com/hooks";
const secretIn = (html: string) => html.match(/whsec_[A-Za-z0-9+/]{32}/)?.[0] ?? "";
const onceIn = (html: string) => html.match(/name="once" value="([\w-]{36})"/)?.[1] ?? "";

async function scene(react?: Reaction) {
  const receiver = createReceiver(react);
  const owner = createOwner(undefined, env, undefined, receiver.send);
  const list = async () => (await (await owner.json("GET", "/webhooks")).json<{ items: Webhook[] }>()).items;
  const created = await owner.submit("/webhooks", {
    url: URL_,
    once: onceIn(await (await owner.page("/webhooks/new")).text()),
  });
  const html = await created.text();
  receiver.secrets = [secretIn(html)];
  const [webhook] = await list();
  if (webhook === undefined) throw new Error("there is no webhook");
  const path = `/webhooks/${webhook.id}`;
  const act = async (fields: Record<string, string | string[]>) => {
    const answer = await owner.submit(path, fields);
    return [answer.status, answer.headers.get("Location")];
  };
  return { owner, receiver, created, html, list, path, act, page: async () => (await owner.page(path)).text() };
}

it("the form's hint names this machine only on this machine", async () => {
  const owner = createOwner();
  expect(await (await owner.page("/webhooks/new")).text()).toContain(">https:// with a public host name<");
});

it("a webhook is made with a form; its secret is in that answer alone, with a way to verify", {
  tags: "slow",
}, async () => {
  const { created, html, owner, path, page } = await scene();
  expect(html).toContain('href="https://www.standardwebhooks.com"');
  expect(created.status).toBe(201);
  expect(secretIn(html)).not.toBe("");
  for (const text of [await page(), await (await owner.page("/webhooks")).text()]) {
    expect(text).not.toContain("whsec_");
    expect(text).toContain(URL_);
  }
  expect(await (await owner.page("/webhooks")).text()).toContain(`href="/account${path}"`);
});

it("a form that is sent twice makes one webhook, and one new secret", { tags: "slow" }, async () => {
  const owner = createOwner();
  const fields = { url: URL_, once: onceIn(await (await owner.page("/webhooks/new")).text()) };
  const answers = await Promise.all([owner.submit("/webhooks", fields), owner.submit("/webhooks", fields)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 303]);
  const created =
    answers
      .find(({ status }) => status === 303)
      ?.headers.get("Location")
      ?.replace("/account", "") ?? "";
  expect(await (await owner.page(created)).text()).toContain("This webhook was already created.");
  const { path, page, owner: other } = await scene();
  const rotate = { do: "rotate", once: onceIn(await page()) };
  const [first, second] = [await other.submit(path, rotate), await other.submit(path, rotate)];
  expect([first.status, second.status]).toEqual([201, 303]);
  expect(secretIn(await first.text())).not.toBe("");
  const told = await (await other.page(second.headers.get("Location")?.replace("/account", "") ?? "")).text();
  expect(told).toContain("The secret was already rotated. If you didn’t copy it, rotate again.");
});

it("forms that no page made, without the field that tells them apart, are not taken for each other", async () => {
  const owner = createOwner();
  for (const name of ["a", "b"])
    expect((await owner.submit("/webhooks", { url: `https://${name}.example.com/` })).status).toBe(201);
});

it("a refused move leaves the other form as the webhook is: saving it changes nothing", { tags: "slow" }, async () => {
  const { owner, path, act, list } = await scene();
  await act({ do: "change", url: URL_, types: "comment.created" });
  const refused = await owner.submit(path, { do: "move", at: "0026-01-01T00:00" });
  const html = await refused.text();
  expect([refused.status, html.match(/name="types" value="([a-z.]+)" checked/)?.[1]]).toEqual([400, "comment.created"]);
  expect(html).toContain(`value="${URL_}"`);
  expect(html).toMatch(/<input id="to" name="at" [^>]*value="0026-01-01T00:00"/);
  const wrong = await owner.submit(path, { do: "change", url: "http://x.example/", types: "comment.deleted" });
  expect(await wrong.text()).toMatch(/value="http:\/\/x\.example\/".*value="comment\.deleted" checked/s);
  expect((await list())[0]?.types).toEqual(["comment.created"]);
});

it("a failed change is skipped once: by a double click, and by two pages that show it", { tags: "slow" }, async () => {
  const { owner, list, path, page, act } = await scene(() => 503);
  expect(await page()).not.toContain('value="next"');
  const { key } = await owner.create("Writer");
  const headers = { "X-API-Key": key, "Content-Type": "application/json" };
  for (const name of ["First", "Second", "Third"])
    await owner.isolate.request("/tenant/ideabanks", { method: "POST", headers, body: JSON.stringify({ name }) });
  await act({ do: "test" });
  const form = (await page()).match(/<h2>Replay or skip changes.*?<\/form>/s)?.[0] ?? "";
  expect(form).toContain('name="to" value="next"');
  const from = form.match(/name="from" value="(chg_\w+)"/)?.[1] ?? "";
  const fields = { do: "move", to: "next", from, once: onceIn(form) };
  const answers = await Promise.all([owner.submit(path, fields), owner.submit(path, fields)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409]);
  const other = await owner.submit(path, { ...fields, once: crypto.randomUUID() });
  expect([other.status, await other.text()]).toEqual([409, expect.stringContaining("A different change is next")]);
  expect((await list())[0]).toMatchObject({ waiting: 2 });
  // All of them are skipped after a question.
  expect(await page()).toMatch(/<details><summary>Skip all waiting changes….*>Skip 2 changes<.*>Cancel</s);
  // The other buttons of the form send it, too, and are not held by it.
  expect((await owner.submit(path, { ...fields, to: "now", once: crypto.randomUUID() })).status).toBe(303);
  expect((await list())[0]).toMatchObject({ waiting: 0 });
  expect(await page()).not.toContain("Skip all waiting changes");
  const told = await (await owner.page(`${path}?told=changes-skipped`)).text();
  expect(told).toContain(">Waiting changes skipped.</p>");
});

it("a test event is told at the top: its answer, how long it took, and what to do about a bad one", {
  tags: "slow",
}, async () => {
  let status = 204;
  const { owner, path, page, act } = await scene(() => status);
  const told = async () => {
    const html = await (await owner.page(`${path}?tested`)).text();
    return /<p class="notice (good|bad)" role="status"[^>]*data-done[^>]*>(.*?)<\/p>/.exec(html)?.slice(1);
  };
  expect(await told()).toBeUndefined();
  await act({ do: "test" });
  expect(await told()).toEqual([
    "good",
    expect.stringMatching(/^Your endpoint answered the test event with 204 in \d+ ms\. $/),
  ]);
  status = 404;
  await act({ do: "test" });
  expect(await told()).toEqual(["bad", expect.stringMatching(/with 404 in \d+ ms\. Check that the URL is right/)]);
  expect(await page()).not.toContain("test event with");
});

it("says that all changes are none of the account itself", async () => {
  const html = await (await createOwner().page("/webhooks/new")).text();
  expect(html).toMatch(/Everything that happens on your boards<.*Not events of the account</s);
});

it("names each type in words: where an example of it is chosen, and where it is ticked", async () => {
  const { page } = await scene();
  const html = await page();
  const types = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, type]) => type).toSorted();
  expect(types(/<option value="([^"]+)">[A-Z][^<.]+</g)).toEqual([...DELIVERY_TYPES, TEST_TYPE].toSorted());
  const ticked = /value="([^"]+)"\/?><span>[A-Z][^<]+<span class="hint">\1</g;
  expect(types(ticked)).toEqual([...DELIVERY_TYPES].toSorted());
});

it("tells a failed test beside the state, on the page and in the list, until a test or a delivery works", {
  tags: "slow",
}, async () => {
  let status = 404;
  const { owner, page, act } = await scene(() => status);
  const states = async () =>
    [await page(), await (await owner.page("/webhooks")).text()].map((html) =>
      /<p class="(hint|paused)">([^<]+)</.exec(html)?.slice(1),
    );
  const active = ["hint", "Active"];
  const failed = ["paused", "Active. The last test event failed."];
  expect(await states()).toEqual([active, active]);
  await act({ do: "test" });
  expect(await states()).toEqual([failed, failed]);
  status = 204;
  await act({ do: "test" });
  expect(await states()).toEqual([active, active]);
  status = 404;
  await act({ do: "test" });
  status = 204;
  const { key } = await owner.create("Writer");
  const headers = { "X-API-Key": key, "Content-Type": "application/json" };
  await owner.isolate.request("/tenant/ideabanks", { method: "POST", headers, body: JSON.stringify({ name: "One" }) });
  expect(await states()).toEqual([active, active]);
});

it("each button does what it says, and leads back to the page", { tags: "slow" }, async () => {
  const { owner, receiver, act, list, path, page } = await scene();
  const back = [303, `/account${path}`];
  expect(await act({ do: "pause" })).toEqual(back);
  expect((await list())[0]).toMatchObject({ state: "paused" });
  expect(await page()).toContain("Paused");
  const tested = [303, `/account${path}?tested`];
  expect(await act({ do: "test" })).toEqual(tested);
  expect(receiver.taken).toHaveLength(1);
  expect(await page()).toContain("<strong>204</strong> Ping <code>webhook.test</code>");
  expect(await act({ do: "test", type: "comment.created" })).toEqual(tested);
  expect(receiver.taken[1]?.body).toMatchObject({ type: "comment.created", comment: { body: expect.any(String) } });
  expect(await page()).toContain("<strong>204</strong> Someone commented <code>comment.created</code>");
  expect(await act({ do: "resume" })).toEqual(back);
  expect((await list())[0]).toMatchObject({ state: "active" });
  expect(await act({ do: "change", url: `${URL_}/new`, types: ["comment.created", "comment.deleted"] })).toEqual(back);
  expect((await list())[0]).toMatchObject({ url: `${URL_}/new`, types: ["comment.created", "comment.deleted"] });
  expect(await page()).toContain('value="comment.deleted" checked=""');
  expect(await act({ do: "change", url: URL_ })).toEqual(back);
  expect((await list())[0]).toMatchObject({ url: URL_, types: null });
  expect(await act({ do: "move", to: "next" })).toEqual([303, `/account${path}?told=change-skipped`]);
  expect(await act({ do: "move", to: "now" })).toEqual([303, `/account${path}?told=changes-skipped`]);
  expect(await act({ do: "move", at: "2026-11-20T12:00" })).toEqual(back);
  expect(await act({ do: "delete" })).toEqual([303, "/account/webhooks?told=webhook-deleted"]);
  expect(await (await owner.page("/webhooks?told=webhook-deleted")).text()).toContain(">Webhook deleted.</p>");
  expect(await list()).toEqual([]);
});

it("what is refused comes back with what was typed and what is wrong, and nothing is changed", {
  tags: "slow",
}, async () => {
  const { owner, path, list } = await scene();
  const before = await list();
  for (const [to, fields, words] of [
    ["/webhooks", { url: "http://no.example" }, "URL must be https://"],
    [path, { do: "change", url: "http://no.example" }, "URL must be https://"],
    [path, { do: "move", at: "" }, "Time must be"],
    [path, { do: "nothing" }, "Nothing was changed"],
    [path, {}, "Nothing was changed"],
  ] as const) {
    const refused = await owner.submit(to, fields);
    const html = await refused.text();
    expect([to, refused.status]).toEqual([to, 400]);
    expect(html).toContain(words);
    if ("url" in fields) expect(html).toContain(`value="${fields.url}"`);
  }
  expect(await list()).toEqual(before);
});

it("says how the deliveries go: what waits, what failed, what was missed", { tags: "slow" }, async () => {
  const { receiver, owner, page, path } = await scene(() => 503);
  const { key } = await owner.create("Writer");
  await owner.isolate.request("/tenant/ideabanks", {
    method: "POST",
    headers: { "X-API-Key": key, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "Ideas" }),
  });
  expect(receiver.seen).toHaveLength(1);
  for (const text of [await page(), await (await owner.page("/webhooks")).text()]) expect(text).toContain(">Failing<");
  expect(await page()).toContain("<strong>503</strong> A board was created <code>ideabank.created</code>");
  expect(await page()).toContain(`POST ${URL_}`);
  expect(await page()).toContain("<dt>Waiting changes</dt><dd>1</dd>");
  expect(await page()).toContain("Your endpoint returned 503 for the last delivery. Look for the error in its log.");
  expect(await page()).toMatch(/Next try <time[^>]*>(now|in \d+ seconds?)<\/time>\. 1 waiting\./);
  // Its owner has mended the receiver, and waits for no schedule.
  const again = (await page()).match(/name="do" value="(\w+)">Try again</)?.[1] ?? "";
  expect((await owner.submit(path, { do: again })).status).toBe(303);
  expect(await page()).not.toContain("Try again");
  expect(await page()).not.toContain("Failing since");
});

it("says that nothing was delivered yet, and why an attempt had no answer as far as that is known", {
  tags: "slow",
}, async () => {
  const { owner, page } = await scene(() => ({ status: null, retryAfter: null }));
  const delivered = (html: string) => html.match(/<dt>Last delivered change<\/dt><dd>(.*?)<\/dd>/)?.[1];
  expect(delivered(await page())).toBe("None yet");
  const { key } = await owner.create("Writer");
  const headers = { "X-API-Key": key, "Content-Type": "application/json" };
  await owner.isolate.request("/tenant/ideabanks", { method: "POST", headers, body: JSON.stringify({ name: "One" }) });
  const html = await page();
  expect(html).toContain("<strong>Couldn’t connect</strong>");
  expect(html).toContain("Couldn’t connect for the last delivery. Check that its address, port and certificate");
  expect(delivered(html)).toBe("None yet");
  expect([noAnswer(15_000), noAnswer(14_000)]).toEqual(["No answer in 15 seconds", "Couldn’t connect"]);
  const good = await scene();
  const { key: other } = await good.owner.create("Writer");
  await good.owner.isolate.request("/tenant/ideabanks", {
    method: "POST",
    headers: { ...headers, "X-API-Key": other },
    body: JSON.stringify({ name: "One" }),
  });
  expect(delivered(await good.page())).toMatch(/^<time/);
});

it("replays from an attempt: that change is waiting again", async () => {
  const { owner, list, path, page } = await scene();
  const { key } = await owner.create("Writer");
  const headers = { "X-API-Key": key, "Content-Type": "application/json" };
  await owner.isolate.request("/tenant/ideabanks", { method: "POST", headers, body: JSON.stringify({ name: "Once" }) });
  await owner.submit(path, { do: "test" });
  expect((await list())[0]).toMatchObject({ waiting: 0 });
  const buttons = [...(await page()).matchAll(/name="to" value="([^"]+)">Replay from here/g)];
  expect(buttons).toHaveLength(1);
  expect((await owner.submit(path, { do: "move", to: buttons[0]?.[1] ?? "" })).status).toBe(303);
  expect((await list())[0]).toMatchObject({ waiting: 1 });
});

it("a webhook of another account is not found; another site can send no form; other methods are refused", {
  tags: "slow",
}, async () => {
  const { path, list, owner } = await scene();
  const before = await list();
  const other = createOwner();
  await other.keys();
  expect((await other.page(path)).status).toBe(404);
  for (const action of ["delete", "pause", "test", "rotate", "move"])
    expect([action, (await other.submit(path, { do: action, to: "now" })).status]).toEqual([action, 404]);
  const headers = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
  for (const to of ["/webhooks", path])
    expect((await owner.submit(to, { do: "delete", url: URL_ }, headers)).status).toBe(403);
  for (const to of ["/webhooks", path]) {
    const refused = await owner.isolate.request(`/account${to}`, { method: "PUT", headers: { Origin: ORIGIN } });
    expect([refused.status, refused.headers.get("Allow")]).toEqual([405, "GET, HEAD, POST"]);
  }
  expect(await list()).toEqual(before);
});

it("four webhooks leave no way to another; the navigation leads here", async () => {
  const { owner } = await scene();
  for (let more = 1; more < 4; more++) await owner.json("POST", "/webhooks", { url: URL_ });
  const html = await (await owner.page("/webhooks")).text();
  expect(html).not.toContain("Create webhook");
  expect(html).toContain("4 of 4 webhooks. Delete one to create another.");
  expect(html).toContain('<a href="/account/webhooks" aria-current="page">Webhooks</a>');
});
