/** What the API would refuse in the middle of an import: found before, or not sent. */
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { importIdeas } from "../../../src/commands/import/import.ts";
import { ImportClient } from "../../../src/commands/import/import-client.ts";
import { writeIdeas } from "../../../src/commands/import/write.ts";
import { faultsOf } from "../../../src/import/faults.ts";
import type { Idea } from "../../../src/import/ideas.ts";

const idea = (externalId: string, more: Partial<Idea> = {}): Idea => ({
  place: externalId,
  externalId,
  title: externalId,
  description: "",
  status: "submitted",
  visibility: "public",
  tags: [],
  metadata: {},
  createdAt: undefined,
  author: undefined,
  response: undefined,
  voters: [],
  countedVotes: 0,
  comments: [],
  duplicateOf: undefined,
  ...more,
});

it("an idea bank has 200 tags: more in the file are named before anything is sent", () => {
  const tagged = (count: number) =>
    Array.from({ length: count }, (_, index) => idea(`${index}`, { tags: [`tag ${index}`] }));
  // The same letter, written in two ways.
  const twice = [idea("a", { tags: ["caf\u00e9"] }), idea("b", { tags: ["cafe\u0301"] })];
  expect(faultsOf([...tagged(199), ...twice])).toEqual([]);
  expect(faultsOf([...tagged(200), ...twice])).toEqual([
    "the ideas have 201 different tags: an idea bank has at most 200",
  ]);
});

/** What is merged, by the names in the file, when each idea is a duplicate already as `merged` says. */
async function mergesOf(ideas: readonly Idea[], merged: Readonly<Record<string, string>>): Promise<string[]> {
  const merges: string[] = [];
  const server = createServer(async (request, response) => {
    const sent = JSON.parse((await request.toArray()).join("") || "{}");
    const [, source] = /proposals\/(\w+)\/merge$/.exec(request.url ?? "") ?? [];
    if (source !== undefined) merges.push(`${source} into ${sent.into}`);
    const id = request.url?.split("/").at(-1) ?? "";
    response.end(JSON.stringify({ id, votes: 0, comments: 0, duplicateOf: merged[id] ?? null }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new ImportClient({
      url: origin,
      apiKey: "",
      signal: new AbortController().signal,
      complain: () => {},
    });
    await writeIdeas(client, { ideaBankId: "bank", ideas, progress: () => {}, progressOfPeople: () => {} });
    return merges;
  } finally {
    server.close();
  }
}

it("a person who is first met without a name has the name that comes later; comments go in batches, and those that are replayed are not counted", {
  tags: "slow",
}, async () => {
  const people: unknown[] = [];
  const sizes: number[] = [];
  const server = createServer(async (request, response) => {
    const sent = JSON.parse((await request.toArray()).join("") || "{}");
    const isPost = request.method === "POST";
    if (request.url === "/tenant/panelists") people.push(...sent.panelists);
    if (request.url?.endsWith("/comments/batch")) {
      sizes.push(sent.comments.length);
      response.setHeader("Idempotency-Replayed", String(sent.comments[0].body === "0"));
    }
    response.statusCode = isPost ? 201 : 200;
    response.end(JSON.stringify({ id: "id", ids: ["kim"], created: 1, votes: 0, comments: 0, duplicateOf: null }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new ImportClient({
      url: origin,
      apiKey: "",
      signal: new AbortController().signal,
      complain: () => {},
    });
    const kim = { externalId: "kim", displayName: "Kim" };
    const texts = [...Array.from({ length: 103 }, (_, index) => `${index}`), "🙂".repeat(9_000), "🙂".repeat(9_000)];
    const comments = texts.map((body) => ({ author: kim, body, createdAt: "2026-01-01T00:00:00.000Z" }));
    const ideas = [idea("one", { voters: [{ ...kim, displayName: null }] }), idea("two", { author: kim, comments })];
    expect(
      await writeIdeas(client, { ideaBankId: "bank", ideas, progress: () => {}, progressOfPeople: () => {} }),
    ).toMatchObject({
      panelists: 1,
      comments: 5,
    });
    expect(people).toEqual([kim]);
    // A request takes 100, and 64 KiB.
    expect(sizes).toEqual([100, 4, 1]);
  } finally {
    server.close();
  }
});

it("a duplicate goes where its original was merged meanwhile, and never into itself", { tags: "slow" }, async () => {
  const ideas = [
    idea("original"),
    idea("first", { duplicateOf: "original" }),
    idea("second", { duplicateOf: "original" }),
  ];
  expect(await mergesOf(ideas, {})).toEqual(["first into original", "second into original"]);
  expect(await mergesOf(ideas, { original: "another" })).toEqual(["first into another", "second into another"]);
  expect(await mergesOf(ideas, { original: "first" })).toEqual(["second into first"]);
});

it("looks once at what each idea repeats, however many there are", { tags: "slow" }, async () => {
  let looks = 0;
  const ideas = Array.from({ length: 50 }, (_, index) =>
    Object.defineProperty(idea(`${index}`), "duplicateOf", {
      get: () => {
        looks += 1;
        return undefined;
      },
    }),
  );
  await mergesOf(ideas, {});
  expect(looks).toBe(50);
});

/** Imports `ideas` into a server that answers nothing until 20 requests wait for it. */
async function importInto(ideas: readonly Idea[], answer: (path: string) => number = () => 200) {
  let open: () => void = () => {};
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  const people: string[] = [];
  let [requests, waiting, most] = [0, 0, 0];
  const server = createServer(async (request, response) => {
    requests += 1;
    most = Math.max(most, ++waiting);
    // A 21st would come meanwhile.
    if (waiting === 20) setTimeout(open, 100);
    const sent = JSON.parse((await request.toArray()).join("") || "{}");
    const path = request.url ?? "";
    // People come first, and in one request.
    if (path !== "/tenant/panelists") await isOpen;
    const ids = (sent.panelists ?? []).map(({ externalId }: { externalId: string }) => externalId);
    people.push(...ids);
    response.statusCode = path === "/tenant/panelists" ? 200 : answer(path);
    waiting -= 1;
    const id = path.split("/").at(-1);
    response.end(JSON.stringify({ id, ids, created: ids.length, votes: 0, comments: 0, duplicateOf: null }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new ImportClient({
      url: origin,
      apiKey: "",
      signal: new AbortController().signal,
      complain: () => {},
    });
    const done: number[] = [];
    const made: number[] = [];
    const written = await writeIdeas(client, {
      ideaBankId: "bank",
      ideas,
      progress: (count) => done.push(count),
      progressOfPeople: (count) => made.push(count),
    }).catch((error: Error) => error);
    return { written, done, made, people, most, requests };
  } finally {
    server.close();
  }
}

it("has at most 20 requests in flight, over all ideas, and makes each person once", { tags: "slow" }, async () => {
  const voters = Array.from({ length: 30 }, (_, index) => ({ externalId: `p${index}`, displayName: null }));
  const ideas = Array.from({ length: 30 }, (_, index) => idea(`i${index}`, { voters }));
  const { written, done, made, people, most } = await importInto(ideas);
  expect(made).toEqual([30]);
  expect(written).toMatchObject({ changed: 30, panelists: 30, votes: 900 });
  expect(done).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  expect(people.toSorted()).toEqual(voters.map(({ externalId }) => externalId).toSorted());
  expect(most).toBe(20);
});

it("begins nothing more after a refusal, and throws it when what was under way has ended", {
  tags: "slow",
}, async () => {
  const ideas = Array.from({ length: 200 }, (_, index) => idea(`i${index}`));
  const { written, requests } = await importInto(ideas, (path) => (path.endsWith("i0") ? 403 : 200));
  expect(String(written)).toContain("403");
  expect(requests).toBeLessThan(60);
});

it("on a terminal a line shows how far it is, and elsewhere a short import shows none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "import-"));
  await writeFile(join(folder, "ideas.csv"), "id,title\n1,Night buses\n2,Bike racks\n");
  const server = createServer((_, response) =>
    response.end('{"id":"p","ids":[],"created":0,"votes":0,"comments":0,"duplicateOf":null}'),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const args = ["--from", "csv", "ideas.csv", "--idea-bank", "b4nKb4nKb4nK", "--url", `http://127.0.0.1:${port}`];
  const printed: string[] = [];
  const shown: string[] = [];
  const context = {
    folder,
    variables: { API_KEY: "ibk_any" },
    print: (line: string) => printed.push(line),
    complain: (line: string) => printed.push(line),
    runWrangler: async () => expect.unreachable("it needs no wrangler"),
  };
  try {
    expect(await importIdeas.run(args, context)).toBe(0);
    const elsewhere = printed.splice(0);
    expect(await importIdeas.run(args, { ...context, showProgress: (line) => shown.push(line) })).toBe(0);
    expect(printed).toEqual(elsewhere);
    expect(printed.join()).not.toContain(" left");
    expect(shown[0]).toBe("Reading ideas.csv");
    expect(shown.at(-1)).toBe("2 of 2 ideas (100 %), 0 min left");
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
});
