/** One rule for every body: it is read once its sender is admitted, has ten seconds to arrive, and takes a share of its sender's. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BodyShares } from "../../../src/worker/http/body-shares.ts";
import { slowBody } from "../../support/bodies.ts";
import { withFault } from "../../support/faults.ts";
import { createGitHub } from "../../support/github.ts";
import { createIsolate, type Isolate } from "../../support/isolate.ts";
import { OPERATOR_SECRET } from "../../support/operator.ts";
import { createPanel } from "../../support/panel.ts";
import { VirtualTime } from "../../support/virtual-time.ts";
import { addAccount, addApiKey, addIdeaBank, type KeyOptions } from "../../support/world.ts";

const START = 1_900_000_000_000;
const JSON_BODY = { "Content-Type": "application/json" };
const FORM_BODY = { "Content-Type": "application/x-www-form-urlencoded" };
const OWN_PAGE = { Origin: "https://api.example", "Sec-Fetch-Site": "same-origin" };
const github = await createGitHub();
let time: VirtualTime;

beforeEach(() => {
  time = new VirtualTime(START);
  for (const level of ["warn", "error", "debug"] as const) vi.spyOn(console, level).mockImplementation(() => {});
});
afterEach(() => void vi.useRealTimers());

type Headers = Record<string, string>;
type Surface = { readonly path: string; readonly headers: () => Promise<Headers> | Headers; readonly says?: string };

const identify = async () => ({ email: "owner@example.com", actor: "owner@example.com" });
const open = (who?: typeof identify) =>
  createIsolate(withFault({ ...github.bindings, OPERATOR_SECRET }, time, {}).bindings, who);
const post = (isolate: Isolate, path: string, headers: Headers, body: ReadableStream | string) =>
  isolate.request(path, { method: "POST", headers, body });

const keyHeaders = async (options: KeyOptions = {}) => ({ ...JSON_BODY, "X-API-Key": (await addApiKey(options)).text });

const SURFACES: Surface[] = [
  { path: "/tenant/surveys", headers: keyHeaders },
  { path: "/mcp", headers: keyHeaders },
  {
    path: "/ideabank/proposals",
    headers: async () => ({ ...JSON_BODY, Authorization: (await addIdeaBank()).token }),
  },
  { path: "/operator/sign-ins", headers: () => ({ ...JSON_BODY, Authorization: `Bearer ${OPERATOR_SECRET}` }) },
  { path: "/account/api/keys", headers: () => JSON_BODY },
  { path: "/account/api-keys", headers: () => ({ ...FORM_BODY, ...OWN_PAGE }) },
  { path: "/account/sign-in", headers: () => ({ ...FORM_BODY, ...OWN_PAGE }) },
  {
    path: "/leaks/github",
    headers: () => ({
      ...JSON_BODY,
      "Github-Public-Key-Identifier": "a".repeat(64),
      "Github-Public-Key-Signature": "MAA=",
    }),
  },
  { path: "/leaks/reports", headers: () => FORM_BODY, says: "/leaks/again" },
];

describe("a body that does not come to its end", () => {
  it.each(SURFACES)("is given up ten seconds after its sender was admitted: $path", async ({ path, headers, says }) => {
    const isolate = open(identify);
    const body = slowBody("{");
    const { answer, elapsedMs } = await time.until(post(isolate, path, await headers(), body.readable));
    expect([body.wasAsked(), answer.status]).toEqual([true, says === undefined ? 408 : 303]);
    expect(elapsedMs).toBe(10_000);
    if (says !== undefined) expect(answer.headers.get("Location")).toBe(says);
    else if (answer.headers.get("Content-Type") === "application/problem+json")
      expect(await answer.json()).toMatchObject({ error: "request-timeout", title: "Request Timeout" });
  });
});

describe("of a sender that is not admitted nothing is read", () => {
  const BAD: [string, string, () => Promise<Headers>, number][] = [
    ["a revoked key", "/tenant/surveys", () => keyHeaders({ revokedAt: START - 1 }), 401],
    ["a revoked key", "/mcp", () => keyHeaders({ revokedAt: START - 1 }), 401],
    ["an expired key", "/mcp", () => keyHeaders({ expiresAt: START - 1 }), 401],
    ["a narrow key", "/tenant/surveys", () => keyHeaders({ scopes: ["ideabanks:read"] }), 403],
    [
      "a key of a suspended account",
      "/tenant/surveys",
      async () => keyHeaders({ accountId: await addAccount({ status: "suspended" }) }),
      403,
    ],
    ["a wrong secret", "/operator/sign-ins", async () => ({ ...JSON_BODY, Authorization: "Bearer x" }), 401],
    ["no token", "/ideabank/proposals", async () => JSON_BODY, 401],
    ["a foreign page", "/account/api-keys", async () => ({ ...FORM_BODY, Origin: "https://evil.example" }), 403],
    ["a foreign page", "/account/sign-in", async () => ({ ...FORM_BODY, Origin: "https://evil.example" }), 403],
    ["an unknown signer", "/leaks/github", async () => ({ ...JSON_BODY, "Github-Public-Key-Identifier": "b" }), 401],
  ];
  it.each(BAD)("%s at %s", async (_, path, headers, status) => {
    const body = slowBody();
    const { answer } = await time.until(post(open(), path, await headers(), body.readable));
    expect([answer.status, body.wasAsked()]).toEqual([status, false]);
  });

  it("a key over its limit", async () => {
    const headers = await keyHeaders({ limit: 1 });
    const isolate = open();
    expect((await time.until(post(isolate, "/tenant/surveys", headers, '{"title":"A survey"}'))).answer.status).toBe(
      201,
    );
    const body = slowBody();
    const { answer } = await time.until(post(isolate, "/tenant/surveys", headers, body.readable));
    expect([answer.status, body.wasAsked()]).toEqual([429, false]);
  });

  it("nobody who is signed in", async () => {
    for (const path of ["/account/api/keys", "/account/api-keys"]) {
      const body = slowBody();
      const headers = { ...(path.includes("/api/") ? JSON_BODY : FORM_BODY), ...OWN_PAGE };
      const { answer } = await time.until(post(open(), path, headers, body.readable));
      expect([path, answer.status, body.wasAsked()]).toEqual([path, 403, false]);
    }
  });
});

describe("a sender's share of the isolate's memory", () => {
  const LARGE = `{"title":"${"x".repeat(64 * 1024 - 12)}`;
  const hold = async (isolate: Isolate, path: string, headers: Headers, times: number) => {
    const bodies = Array.from({ length: times }, () => slowBody(LARGE));
    const answers = bodies.map(({ readable }) => post(isolate, path, headers, readable));
    // Time stands still meanwhile.
    await Promise.all(bodies.map(({ taken }) => taken));
    return { bodies, answers };
  };

  it.each(["/tenant/surveys", "/mcp"])("is 2 MiB, whoever else is there: %s", { tags: "slow" }, async (path) => {
    const [headers, others] = [await keyHeaders(), await keyHeaders()];
    const isolate = open();
    const send = (as: Headers) => post(isolate, "/tenant/surveys", as, '{"title":"A survey"}');
    // Their gates have their records from now on, so nothing below waits for a timer.
    for (const each of [headers, others]) expect((await time.until(send(each))).answer.status).toBe(201);
    const { bodies, answers } = await hold(isolate, path, headers, 32);
    const full = await send(headers);
    expect([full.status, full.headers.get("Retry-After")]).toEqual([503, "1"]);
    expect((await send(others)).status).toBe(201);
    for (const body of bodies) body.end();
    await Promise.all(answers);
    expect((await send(headers)).status).toBe(201);
  });

  const KIB = 1024;
  const of = (sender: string, person = sender) => ({ sender, person });

  it("is 64 KiB while all together hold 32 MiB, so that another tenant's request is taken", () => {
    const shares = new BodyShares();
    const full = Array.from({ length: 16 }, (_, sender) => shares.open(of(`sender ${sender}`), START));
    for (const share of full) share.take(2 * 1024 * KIB);
    const small = shares.open(of("another"), START);
    small.take(64 * KIB);
    expect(full.map(({ ended }) => ended.aborted)).not.toContain(true);
    expect(() => shares.open(of("sender 0"), START).take(1)).toThrow("too many request bodies");
    small.release();
    small.take(64 * KIB);
  });

  it("takes more than that only from a sender that has more still", () => {
    const shares = new BodyShares();
    const full = Array.from({ length: 16 }, (_, sender) => shares.open(of(`sender ${sender}`), START));
    for (const share of full) share.take(2 * 1024 * KIB);
    const busy = Array.from({ length: 4 }, () => shares.open(of("busy"), START));
    for (const share of busy) share.take(64 * KIB);
    expect(full.filter(({ ended }) => ended.aborted)).toHaveLength(1);
    expect(busy.filter(({ ended }) => ended.aborted)).toEqual([]);
  });

  it("is one for the panelists of an idea bank: who has most gives up the oldest body, then who is slow", () => {
    const shares = new BodyShares();
    const hold = (person: string, bytes: number, since = START) => {
      const share = shares.open(of("board", person), since);
      share.take(bytes);
      return share;
    };
    const [oldest, younger, ...rest] = Array.from({ length: 32 }, () => hold("greedy", 64 * KIB));
    const quick = hold("quick", 4 * KIB);
    expect([oldest?.ended.aborted, younger?.ended.aborted, quick.ended.aborted]).toEqual([true, false, false]);
    // Who has the most does not get more.
    expect(() => hold("greedy", 64 * KIB)).toThrow("too many request bodies");
    for (const share of [younger, ...rest]) share?.release();
    quick.release();
    const equals = Array.from({ length: 32 }, (_, person) => hold(`person ${person}`, 64 * KIB));
    expect(() => hold("quick", 4 * KIB, START + 999)).toThrow("too many request bodies");
    expect(hold("quick", 4 * KIB, START + 1_000).ended.aborted).toBe(false);
    expect(equals.map(({ ended }) => ended.aborted).indexOf(true)).toBe(0);
    expect(equals.filter(({ ended }) => ended.aborted)).toHaveLength(1);
  });

  it("is counted by what is held: a thousand small pieces are one body", async () => {
    let left = 1_000;
    const readable = new ReadableStream<Uint8Array>({
      pull(controller) {
        left -= 1;
        controller.enqueue(new TextEncoder().encode(left === 999 ? '{"title":"A survey"' : left === 0 ? "}" : " "));
        if (left === 0) controller.close();
      },
    });
    const { answer } = await time.until(post(open(), "/tenant/surveys", await keyHeaders(), readable));
    expect(answer.status).toBe(201);
  });
});

describe("people who send slowly to a board", { tags: "slow" }, () => {
  const PART = `{"body":"${"x".repeat(60 * 1024)}`;

  /** Somebody sends the beginning of some bodies, and then nothing. Resolves when each is being read, or was refused. */
  const dribble = async (isolate: Isolate, path: string, token: string, times: number) => {
    const bodies = Array.from({ length: times }, () => slowBody(PART));
    const answers = bodies.map(({ readable }) =>
      post(isolate, path, { ...JSON_BODY, Authorization: token }, readable).then(({ status }) => status),
    );
    await Promise.all(bodies.map(({ taken }, index) => Promise.race([taken, answers[index]])));
    return { bodies, answers };
  };

  async function createBoard() {
    const isolate = open();
    const panel = await createPanel({}, isolate);
    const path = `/ideabank/proposals/${await panel.propose()}/comments`;
    const comment = async () => {
      const { send } = await panel.panelist();
      return (await send("POST", path, { body: "An honest comment" })).status;
    };
    const settle = async (held: Awaited<ReturnType<typeof dribble>>[]) => {
      for (const { bodies } of held) for (const body of bodies) body.end();
      return Promise.all(held.flatMap(({ answers }) => answers));
    };
    return { isolate, panel, path, comment, settle };
  }

  it("keep no quick comment out: all 40 are taken beside eight of them", async () => {
    const { isolate, panel, path, comment, settle } = await createBoard();
    const slow = await Promise.all(Array.from({ length: 8 }, () => panel.panelist()));
    const held = await Promise.all(slow.map(({ token }) => dribble(isolate, path, token, 5)));
    const statuses = await Promise.all(Array.from({ length: 40 }, comment));
    expect(statuses).toEqual(statuses.map(() => 201));
    // Some gave up their places, and were told so. What came of the others is no JSON.
    expect(new Set(await settle(held))).toEqual(new Set([503, 400]));
  });

  it.each([
    ["that the isolate knows are blocked are not read", true],
    ["that are blocked keep nobody out where the isolate has not heard of it", false],
  ])("%s", async (_, isKnown) => {
    const { isolate, panel, path, comment, settle } = await createBoard();
    const blocked = await Promise.all(Array.from({ length: 3 }, () => panel.panelist()));
    for (const { id } of blocked)
      expect((await panel.tenant.send("PATCH", `/tenant/panelists/${id}`, { active: false })).status).toBe(200);
    if (isKnown) await blocked[0]?.send("GET", "/ideabank");
    const held = await Promise.all(blocked.map(({ token }) => dribble(isolate, path, token, 12)));
    const statuses = await Promise.all(Array.from({ length: 8 }, comment));
    expect(statuses).toEqual(statuses.map(() => 201));
    if (isKnown) expect(held.flatMap(({ bodies }) => bodies).filter((body) => body.wasAsked())).toEqual([]);
    const answers = await settle(held);
    expect(answers.filter((status) => status !== 401 && status !== 503)).toEqual([]);
  });

  it("where the board takes no comments, is read no body, and a retry of one that was taken is answered", async () => {
    const { isolate, panel, path, settle } = await createBoard();
    const { send, token } = await panel.panelist();
    const key = { "Idempotency-Key": crypto.randomUUID() };
    expect((await send("POST", path, { body: "Taken" }, key)).status).toBe(201);
    await panel.manage("PATCH", "", { commentsEnabled: false });
    await send("GET", "/ideabank");
    const held = await dribble(isolate, path, token, 3);
    expect(held.bodies.filter((body) => body.wasAsked())).toEqual([]);
    expect(new Set(await settle([held]))).toEqual(new Set([403]));
    expect((await send("POST", path, { body: "Taken" }, key)).status).toBe(201);
    const missing = `/ideabank/proposals/${panel.bank.id}/comments`;
    expect((await send("POST", missing, { body: "Nowhere" })).status).toBe(404);
    // Memory is behind, and D1 decides.
    await panel.manage("PATCH", "", { commentsEnabled: true });
    expect((await send("POST", path, { body: "Open again" })).status).toBe(201);
  });
});
