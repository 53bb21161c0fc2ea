/** The Worker in its own runtime, and receivers that are real servers on this machine. Each verifies with the package `standardwebhooks`. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildWorker } from "../../../src/commands/development/build-worker.ts";
import { makeState, runVersions } from "../../support/node/two-versions.ts";

type Got = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };
type Closed = { readonly written: number };

/** 64 MB are more than the connection takes before somebody reads them. */
const LARGE = 64 * 2 ** 20;

const got: Got[] = [];
const closed = Promise.withResolvers<Closed>();
const trickled = Promise.withResolvers<void>();

/** Answers that begin at once, and of which a byte comes each half second. */
const INTERVAL_MS = 500;
const dripping = new Set<NodeJS.Timeout>();
function drip(response: ServerResponse, write: () => void): void {
  const timer = setInterval(write, INTERVAL_MS);
  dripping.add(timer);
  response.once("close", () => clearInterval(timer));
}

/** Answers that a test holds back. */
const released = Promise.withResolvers<void>();
const slow = (response: ServerResponse) => void released.promise.then(() => response.writeHead(204).end());

/** How each path is answered. */
const ANSWERS: Record<string, (response: ServerResponse) => void> = {
  "/good": (response) => response.writeHead(204).end(),
  "/hangs": () => {},
  "/slow": slow,
  "/slow-too": slow,
  "/seconds": (response) => void setTimeout(() => response.writeHead(204).end(), 2_000),
  "/head-in-bytes": (response) => {
    response.socket?.write("HTTP/1.1 200 OK\r\nX-Padding: ");
    drip(response, () => response.socket?.write("x"));
  },
  "/trickles": (response) => {
    response.writeHead(200, { "Content-Length": LARGE });
    drip(response, () => response.write("x"));
    response.once("close", () => trickled.resolve());
  },
  "/endless": (response) => response.writeHead(200).write("a body that never ends"),
  "/large": (response) => {
    response.writeHead(200, { "Content-Length": LARGE });
    const chunk = Buffer.alloc(2 ** 16);
    let written = 0;
    const write = () => {
      while (written < LARGE && !response.closed) {
        written += chunk.length;
        if (!response.write(chunk)) return void response.once("drain", write);
      }
    };
    response.once("close", () => closed.resolve({ written }));
    write();
  },
  "/moved": (response) => response.writeHead(307, { Location: "/good" }).end(),
  "/gone": (response) => response.writeHead(410).end(),
  "/reset": (response) => void response.socket?.destroy(),
};

const receiver = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const path = request.url ?? "";
  got.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString() });
  ANSWERS[path]?.(response);
});

let origin = "";
let runtime: Awaited<ReturnType<typeof runVersions>>;
let state: Awaited<ReturnType<typeof makeState>>;
let webhook: { id: string; secret: string };

beforeAll(async () => {
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
  origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  state = await makeState();
  const current = await buildWorker();
  runtime = await runVersions({ front: current, gates: current }, state.folder);
  const { status, json } = await runtime.send("POST", "/account/api/webhooks", {}, { url: `${origin}/good` });
  expect([status, json]).toEqual([201, expect.objectContaining({ secret: expect.stringMatching(/^whsec_/) })]);
  webhook = { id: json.webhook.id, secret: json.secret };
});
afterAll(async () => {
  await runtime.stop();
  await state.remove();
  for (const timer of dripping) clearInterval(timer);
  receiver.closeAllConnections();
  receiver.close();
});

const path = () => `/account/api/webhooks/${webhook.id}`;
const verify = ({ body, headers }: Got, secret = webhook.secret) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

async function test(answer: string): Promise<{ status: number | null; durationMs: number }> {
  const { status } = await runtime.send("PATCH", path(), {}, { url: origin + answer });
  expect(status).toBe(200);
  return (await runtime.send("POST", `${path()}/test`)).json;
}

it("a change reaches the receiver after the answer to the write, signed, as the feed shows it", async () => {
  const { key } = await runtime.create({ name: "Writer" });
  const headers = { "X-API-Key": key };
  const { json } = await runtime.send("POST", "/tenant/ideabanks", headers, { name: "Ideas" });
  await expect.poll(() => got.length).toBe(1);
  const [first] = got;
  const feed = await runtime.send("GET", "/tenant/changes", headers);
  expect(first && verify(first)).toEqual(feed.json.items[0]);
  expect(first && JSON.parse(first.body)).toMatchObject({ type: "ideabank.created", ideaBank: { id: json.id } });
  expect(first?.headers["content-type"]).toBe("application/json");
  const list = async () => (await runtime.send("GET", "/account/api/webhooks")).json.items[0];
  await expect.poll(async () => (await list()).waiting).toBe(0);
  expect(await list()).toMatchObject({ state: "active", attempts: [{ type: "ideabank.created", status: 204 }] });
});

it("while a rotation lasts, both secrets verify", async () => {
  const { secret } = (await runtime.send("POST", `${path()}/rotate`)).json;
  expect((await test("/good")).status).toBe(204);
  const last = got.at(-1);
  if (last === undefined) throw new Error("nothing came");
  for (const each of [secret, webhook.secret]) {
    expect(verify(last, each)).toMatchObject({ type: "webhook.test" });
  }
  expect(() => verify({ ...last, body: `${last.body} ` }, secret)).toThrow();
  webhook.secret = secret;
});

it("a receiver that hangs is given up after 15 seconds", async () => {
  const { status, durationMs } = await test("/hangs");
  expect(status).toBeNull();
  expect(durationMs).toBeGreaterThanOrEqual(14_900);
});

it("a head that comes byte by byte is given up after 15 seconds, too", async () => {
  const { status, durationMs } = await test("/head-in-bytes");
  expect(status).toBeNull();
  expect(durationMs).toBeGreaterThanOrEqual(14_900);
});

it("an answer that takes seconds is one", async () => {
  const { status, durationMs } = await test("/seconds");
  expect(status).toBe(204);
  expect(durationMs).toBeGreaterThanOrEqual(1_900);
});

it("slow receivers hold up neither the answer to a write nor one another, and get their changes in order", async () => {
  const { key } = await runtime.create({ name: "Slow" });
  await runtime.send("PATCH", path(), {}, { url: `${origin}/slow` });
  await runtime.send("POST", "/account/api/webhooks", {}, { url: `${origin}/slow-too` });
  const begin = got.length;
  const namesOf = () =>
    ["/slow", "/slow-too"].map((at) =>
      got.slice(begin).flatMap((each) => (each.path === at ? [JSON.parse(each.body).ideaBank.name] : [])),
    );
  const write = async (name: string) =>
    (await runtime.send("POST", "/tenant/ideabanks", { "X-API-Key": key }, { name })).status;
  expect(await write("One")).toBe(201);
  await expect.poll(namesOf).toEqual([["One"], ["One"]]);
  expect(await write("Two")).toBe(201);
  expect(namesOf()).toEqual([["One"], ["One"]]);
  released.resolve();
  await expect.poll(namesOf).toEqual([
    ["One", "Two"],
    ["One", "Two"],
  ]);
});

it("a body that trickles is not waited for: the connection is closed", async () => {
  expect((await test("/trickles")).status).toBe(200);
  await trickled.promise;
});

it("a body that never ends is not waited for", async () => {
  expect((await test("/endless")).status).toBe(200);
});

it("64 MB are not read", async () => {
  expect((await test("/large")).status).toBe(200);
  expect((await closed.promise).written).toBeLessThan(LARGE);
});

it("a redirect is not followed", async () => {
  const before = got.length;
  expect((await test("/moved")).status).toBe(307);
  expect(got.slice(before).map(({ path }) => path)).toEqual(["/moved"]);
});

it("a connection that breaks is no answer; a 410 to a test ends nothing", async () => {
  expect((await test("/reset")).status).toBeNull();
  expect((await test("/gone")).status).toBe(410);
  expect((await runtime.send("GET", "/account/api/webhooks")).json.items[0].state).toBe("active");
});
