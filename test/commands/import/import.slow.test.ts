/** `npm run import` against a running server: once, twice, interrupted in the middle, over the rate limit. */
import { spawn } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DevServer, freePort, makeCheckout, startDev } from "../../support/node/checkout.ts";
import { fiderArchive } from "../../support/node/zip.ts";

let checkout: Awaited<ReturnType<typeof makeCheckout>>;
let server: DevServer;
let url: string;
let apiKey: string;
let files: string;

beforeAll(async () => {
  checkout = await makeCheckout();
  const port = await freePort();
  url = `http://localhost:${port}`;
  server = await startDev(checkout.folder, "--port", String(port));
  apiKey = server.output.match(/^API key: (\S+)$/m)?.[1] ?? "";
  files = join(checkout.folder, "files");
  await mkdir(files);
  for (const name of ["canny.json", "ideas.csv"]) await cp(`test/fixtures/import/${name}`, join(files, name));
  await writeFile(join(files, "fider.zip"), await fiderArchive());
});
afterAll(async () => {
  await server?.stop();
  await checkout?.remove();
});

async function ask<Body>(path: string, method = "GET", body?: object): Promise<Body> {
  const headers = { "X-API-Key": apiKey, "Content-Type": "application/json" };
  const answer = await fetch(url + path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Body;
}
const newIdeaBank = async () => (await ask<{ id: string }>("/tenant/ideabanks", "POST", { name: "Imported" })).id;

type Item = Record<string, unknown> & { id: string };
/** Everything of an idea bank, without what each import makes anew: identifiers, and the time of a vote. */
async function contentOf(bank: string) {
  const proposals = `/tenant/ideabanks/${bank}/proposals`;
  const items = async (path: string) => (await ask<{ items: Item[] }>(`${path}?limit=100`)).items;
  const people = new Map(
    (await items("/tenant/panelists")).map(({ id, externalId, displayName }) => [id, [externalId, displayName]]),
  );
  const listed = await items(proposals);
  const merged = await Promise.all(
    ["fider:12"].map(
      async (externalId) => (await ask<{ items: Item[] }>(`${proposals}?externalId=${externalId}`)).items,
    ),
  );
  const all = await Promise.all(
    [...listed, ...merged.flat()].map(async ({ id, panelistId, duplicateOf, ...proposal }) => ({
      ...proposal,
      author: people.get(String(panelistId)),
      isDuplicate: duplicateOf !== null,
      voters: (await items(`${proposals}/${id}/votes`)).map(({ externalId }) => externalId).toSorted(),
      comments: (await items(`${proposals}/${id}/comments`)).map((comment) => [
        people.get(String(comment.panelistId)),
        comment.body,
        comment.createdAt,
      ]),
    })),
  );
  return all.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

type Run = { readonly code: number; readonly printed: string };
/** `signalAfter`: interrupts it when it has printed that. */
function run(
  args: readonly string[],
  { key = apiKey, to = url, stopAt }: { key?: string; to?: string; stopAt?: Promise<void> } = {},
) {
  const child = spawn(process.execPath, ["src/commands/import/import.ts", ...args, "--url", to], {
    cwd: checkout.folder,
    env: { ...process.env, API_KEY: key },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk));
  void stopAt?.then(() => child.kill("SIGINT"));
  return new Promise<Run>((done) => child.once("close", (code) => done({ code: code ?? -1, printed })));
}

/**
 * A server before the real one, which counts the writes and tells when there were so many; `answer` may answer in its place. What is
 * written to a `lost` path is written, and its first answer does not arrive.
 */
async function proxy(after: number, answer: (count: number) => number | undefined = () => undefined, lost = /^$/) {
  const losing = new Set<string>();
  let writes = 0;
  let tell: () => void = () => {};
  const reached = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const front: Server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = "GET", url: path = "" } = incoming;
    if (method !== "GET") writes += 1;
    if (writes === after) tell();
    const refused = answer(writes);
    if (refused !== undefined) {
      outgoing.writeHead(refused, { "Retry-After": "1", "Content-Type": "application/problem+json" });
      return outgoing.end('{"detail":"Not now."}');
    }
    const headers = { "X-API-Key": apiKey, "Content-Type": "application/json" };
    const body = chunks.length > 0 ? Buffer.concat(chunks) : null;
    const key = String(incoming.headers["idempotency-key"] ?? "");
    const real = await fetch(url + path, {
      method,
      headers: { ...headers, ...(key && { "Idempotency-Key": key }) },
      body,
    });
    // So the import cannot end before it is interrupted.
    if (after >= 0 && writes >= after) return;
    const write = `${method} ${path} ${body}`;
    if (method !== "GET" && lost.test(path) && !losing.has(write)) {
      losing.add(write);
      outgoing.writeHead(503, { "Retry-After": "1" });
      return outgoing.end();
    }
    outgoing.writeHead(real.status, { "Content-Type": "application/json" });
    outgoing.end(await real.text());
  });
  await new Promise<void>((ready) => front.listen(0, "127.0.0.1", ready));
  const { port } = front.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, reached, close: () => front.close() };
}

const SOURCES = [
  ["canny", "files/canny.json", "3 new ideas", 4],
  ["fider", "files/fider.zip", "3 new ideas", 4],
  ["csv", "files/ideas.csv", "3 new ideas", 3],
] as const;

describe.each(SOURCES)("from %s", (from, file, created, middle) => {
  it("gives the same when it runs twice, and when it was interrupted in the middle and runs again", async () => {
    const [once, broken] = [await newIdeaBank(), await newIdeaBank()];
    const first = await run(["--from", from, file, "--idea-bank", once]);
    expect(first).toMatchObject({ code: 0, printed: expect.stringContaining(created) });
    // Progress is for a terminal.
    expect(first.printed).not.toContain(" left");
    const content = await contentOf(once);
    const again = await run(["--from", from, file, "--idea-bank", once]);
    expect(again).toMatchObject({
      code: 0,
      printed: expect.stringContaining("0 new ideas, 0 new panelists, 0 votes, 0 comments, 0 merges"),
    });
    expect(await contentOf(once)).toEqual(content);

    const front = await proxy(middle);
    const stopped = await run(["--from", from, file, "--idea-bank", broken], { to: front.url, stopAt: front.reached });
    front.close();
    expect(stopped).toMatchObject({ code: 1, printed: expect.stringContaining("Interrupted.") });
    const part = await contentOf(broken).catch(() => []);
    expect(part).not.toEqual(content);
    expect((await run(["--from", from, file, "--idea-bank", broken])).code).toBe(0);
    expect(await contentOf(broken)).toEqual(content);
  });
});

it("keeps the visibility that the tenant has given since, and imports what is hidden as hidden", async () => {
  const bank = await newIdeaBank();
  const args = ["--from", "csv", "files/ideas.csv", "--idea-bank", bank];
  const proposals = `/tenant/ideabanks/${bank}/proposals`;
  const visibilities = async () =>
    (await ask<{ items: Item[] }>(`${proposals}?limit=100`)).items
      .map((item) => [item.externalId, item.visibility])
      .toSorted();
  expect((await run(args)).code).toBe(0);
  expect(await visibilities()).toEqual([
    ["csv:1", "public"],
    ["csv:2", "public"],
    ["csv:3", "hidden"],
  ]);
  for (const [externalId, visibility] of [
    ["csv:1", "hidden"],
    ["csv:2", "pending"],
    ["csv:3", "public"],
  ]) {
    const { items } = await ask<{ items: Item[] }>(`${proposals}?externalId=${externalId}`);
    await ask(`${proposals}/${items[0]?.id}`, "PATCH", { visibility });
  }
  expect((await run(args)).code).toBe(0);
  expect(await visibilities()).toEqual([
    ["csv:1", "hidden"],
    ["csv:2", "pending"],
    ["csv:3", "public"],
  ]);
});

it("writes nothing twice when the answers to writes are lost", async () => {
  const [once, lossy] = [await newIdeaBank(), await newIdeaBank()];
  expect((await run(["--from", "canny", "files/canny.json", "--idea-bank", once])).code).toBe(0);
  const front = await proxy(-1, () => undefined, /comments\/batch$|by-external-id/);
  const written = await run(["--from", "canny", "files/canny.json", "--idea-bank", lossy], { to: front.url });
  front.close();
  expect(written).toMatchObject({ code: 0, printed: expect.stringContaining("answered 503") });
  expect(await contentOf(lossy)).toEqual(await contentOf(once));
});

it("waits as long as a 429 says, and goes on; gives up after 5xx, and on a refusal, with a status", async () => {
  const bank = await newIdeaBank();
  let limited = 0;
  const busy = await proxy(-1, () => (limited++ === 1 ? 429 : undefined));
  const waited = await run(["--from", "csv", "files/ideas.csv", "--idea-bank", bank], { to: busy.url });
  busy.close();
  expect(waited).toMatchObject({
    code: 0,
    printed: expect.stringContaining("rate limit is reached: waiting for 1 s."),
  });
  const refused = await run(["--from", "csv", "files/ideas.csv", "--idea-bank", "000000000000"]);
  expect(refused).toMatchObject({ code: 1, printed: expect.stringContaining("403") });
  const foreign = await run(["--from", "csv", "files/ideas.csv", "--idea-bank", bank], { key: "ibk_wrong" });
  expect(foreign).toMatchObject({ code: 1, printed: expect.stringContaining("401") });
});
