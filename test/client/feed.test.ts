/** The client's feed of changes, its check of webhooks and its signed tokens, against the Worker. */
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { Client, InvalidWebhook, signToken, verifyWebhook } from "../../src/client/index.ts";
import type { Send } from "../../src/worker/deliveries/send.ts";
import { databaseOf } from "../support/databases.ts";
import { createIsolate } from "../support/isolate.ts";
import { createPanel } from "../support/panel.ts";
import { createSigner, statuses } from "../support/signing.ts";
import { addWebhook, SECRET } from "../support/webhooks.ts";

type Panel = Awaited<ReturnType<typeof createPanel>>;

const clientOf = ({ tenant }: Pick<Panel, "tenant">) =>
  new Client({
    url: "https://api.example",
    apiKey: tenant.text,
    pause: async () => {},
    fetch: (input, init) => {
      const { pathname, search } = new URL(String(input));
      return tenant.isolate.request(pathname + search, init);
    },
  });

/** The identifiers of the proposals in the pages, and the cursor behind them. */
async function follow(client: Client, after: string) {
  const seen: unknown[] = [];
  let cursor = after;
  for await (const { items, nextCursor } of client.followChanges({ after, limit: 2 })) {
    seen.push(...items.map((change) => "proposalId" in change && change.proposalId));
    cursor = nextCursor;
  }
  return { seen, cursor };
}

describe("the feed", () => {
  it("goes on at the cursor that its caller has stored", { tags: "slow" }, async () => {
    const panel = await createPanel();
    const client = clientOf(panel);
    const create = async (title: string) => (await client.createProposal({ ideaBankId: panel.bank.id, title })).id;
    await create("Before");
    const start = await follow(client, "now");
    expect(start.seen).toEqual([]);
    const created = [await create("First"), await create("Second"), await create("Third")];
    const { seen, cursor } = await follow(client, start.cursor);
    expect(seen).toEqual(created);
    const late = await create("Late");
    expect((await follow(client, cursor)).seen).toEqual([late]);
  });

  it("asks again where it is told to, until its signal", async () => {
    const panel = await createPanel();
    const client = clientOf(panel);
    const { id: ideaBankId } = panel.bank;
    const stop = new AbortController();
    const pages: number[] = [];
    const feed = client.followChanges({ after: "now", everySeconds: 60 }, { signal: stop.signal });
    const read = async () => {
      for await (const { items } of feed) {
        pages.push(items.length);
        if (pages.length === 1) await client.createProposal({ ideaBankId, title: "Meanwhile" });
        if (pages.length === 3) stop.abort("enough");
      }
    };
    await expect(read()).rejects.toBe("enough");
    expect(pages).toEqual([0, 1, 0]);
  });

  it("says that a cursor is too old", async () => {
    const panel = await createPanel();
    const client = clientOf(panel);
    const { cursor } = await follow(client, "now");
    for (const title of ["First", "Second"]) await client.createProposal({ ideaBankId: panel.bank.id, title });
    await databaseOf(panel.bank.accountId)
      .prepare("DELETE FROM change_log WHERE account_id = ?1 AND number < (SELECT max(number) FROM change_log)")
      .bind(panel.bank.accountId)
      .run();
    await expect(follow(client, cursor)).rejects.toMatchObject({ status: 410, error: "cursor-expired" });
  });
});

describe("a webhook", () => {
  it("is verified as it is delivered", async () => {
    const taken: unknown[] = [];
    const send: Send = async ({ headers, body }) => {
      const { id, change } = await verifyWebhook({ headers, body }, SECRET);
      taken.push([id === headers["webhook-id"], change.type]);
      return { status: 204, retryAfter: null };
    };
    const panel = await createPanel({}, createIsolate(undefined, undefined, send));
    await addWebhook(panel.bank.accountId);
    await clientOf(panel).createProposal({ ideaBankId: panel.bank.id, title: "Night buses" });
    expect(taken).toEqual([[true, "proposal.created"]]);
  });

  const body = '{"type":"webhook.test"}';
  const at = new Date("2026-11-20T12:00:00Z");
  const sign = (id: string, text: string, secret = SECRET) => new Webhook(secret).sign(id, at, text);
  const headersOf = (signature: string) => ({
    "webhook-id": "msg_1",
    "webhook-timestamp": String(at.getTime() / 1_000),
    "webhook-signature": signature,
  });
  const verify = (headers: Record<string, string>, late = 0) =>
    verifyWebhook({ headers: new Headers(headers), body }, SECRET, at.getTime() + late * 1_000);

  it("has two signatures after a rotation, of which one is enough", async () => {
    const other = sign("msg_1", body, "whsec_c2VjcmV0LXRoYXQtY29tZXMtYWZ0ZXItdGhpcw==");
    expect(await verify(headersOf(`${other} v2,what ${sign("msg_1", body)}`))).toMatchObject({ id: "msg_1" });
    await expect(verify(headersOf(other))).rejects.toBeInstanceOf(InvalidWebhook);
  });

  it("has a signature that cannot be read before the good one, and is taken as Standard Webhooks' own library takes it", async () => {
    const now = new Date();
    const good = new Webhook(SECRET).sign("msg_1", now, body);
    const unreadable = ["v1,§", "v1,not base64!", "v1,c2hvcnQ=", "v1,", "v1", "v1a,§", "v2,§", ",", "§", "v1,=", " "];
    for (const signature of [...unreadable.map((each) => `${each} ${good}`), `${good} v1,§`, ...unreadable]) {
      const headers = { "webhook-id": "msg_1", "webhook-timestamp": `${Math.floor(now.getTime() / 1_000)}` };
      const delivery = { body, headers: { ...headers, "webhook-signature": signature } };
      const library = () => new Webhook(SECRET).verify(body, delivery.headers);
      if (signature.includes(good)) {
        expect(library(), signature).toEqual(JSON.parse(body));
        expect(await verifyWebhook(delivery, SECRET), signature).toMatchObject({ change: JSON.parse(body) });
      } else {
        expect(library, signature).toThrow();
        await expect(verifyWebhook(delivery, SECRET), signature).rejects.toThrow(InvalidWebhook);
      }
    }
    await expect(verifyWebhook({ body, headers: headersOf(good) }, "whsec_§", at.getTime())).rejects.toThrow("secret");
    for (const none of ["", "whsec_"])
      await expect(verifyWebhook({ body, headers: headersOf(good) }, none, at.getTime())).rejects.toThrow("empty");
  });

  it("is refused with another body or id, without its headers, and when it is old or early", async () => {
    const good = headersOf(sign("msg_1", body));
    expect(await verify(good, 300)).toMatchObject({ change: { type: "webhook.test" } });
    const bad = [
      verify(headersOf(sign("msg_1", "{}"))),
      verify(headersOf(sign("msg_2", body))),
      verify(headersOf("v1,§")),
      verify({}),
      verify({ ...good, "webhook-timestamp": "soon" }),
      verify(good, 301),
      verify(good, -301),
    ];
    for (const each of bad) await expect(each).rejects.toBeInstanceOf(InvalidWebhook);
  });

  it("is refused with the reason: a time that is missing, or one that is not now", async () => {
    const late = headersOf(sign("msg_1", body));
    await expect(verify({})).rejects.toThrow("webhook-timestamp is missing");
    await expect(verify({ ...late, "webhook-timestamp": "soon" })).rejects.toThrow("webhook-timestamp is missing");
    await expect(verify(late, 301)).rejects.toThrow("webhook-timestamp is more than five minutes from now");
  });

  it("is read whatever the case of its header names", async () => {
    const named = Object.entries(headersOf(sign("msg_1", body)));
    const headers = Object.fromEntries(named.map(([name, value]) => [name.toUpperCase(), value]));
    expect(await verifyWebhook({ headers, body }, SECRET, at.getTime())).toMatchObject({ id: "msg_1" });
  });

  it("is read as Node's server has its headers", async () => {
    const headers = { ...headersOf(sign("msg_1", body)), "set-cookie": ["a", "b"], accept: undefined };
    expect(await verifyWebhook({ headers, body }, SECRET, at.getTime())).toMatchObject({ id: "msg_1" });
  });
});

describe("a signed token", () => {
  it("opens the idea bank for the person, with a name of any script", async () => {
    const { bank, secret, isolate, introspect } = await createSigner();
    const token = await signToken(secret, { ideaBankId: bank.id, externalId: "customer-42", name: "Zoë 🦊" });
    expect(await statuses(isolate, token)).toEqual([200, 200, 200]);
    expect(await introspect(token)).toMatchObject({ active: true, externalId: "customer-42" });
  });

  it("lives as long as it is told, at most an hour", async () => {
    const { bank, secret, isolate } = await createSigner();
    const sign = (seconds: number) => signToken(secret, { ideaBankId: bank.id, externalId: "customer-42", seconds });
    expect(await statuses(isolate, await sign(60))).toEqual([200, 200, 200]);
    expect(await statuses(isolate, await sign(3_601))).toEqual([401, 401, 401]);
  });
});
