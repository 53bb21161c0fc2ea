/** Which errors of a D1 call mean that the database does not answer, and which that a statement is wrong. */

import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { databaseAnswer, isDatabaseOutage } from "../../../src/worker/store/outage.ts";
import { openSession, type Target } from "../../../src/worker/store/session.ts";
import { prepare } from "../../../src/worker/store/statement.ts";
import { interceptStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { addApiKey } from "../../support/world.ts";

/** The platform's own D1 client, with this in place of the connection to the database. */
const clientOf = (fetch: () => Promise<Response>): D1Database => Reflect.construct(env.DB.constructor, [{ fetch }]);

const failed = (error: string) => async () => Response.json({ success: false, error }, { status: 500 });

/** https://developers.cloudflare.com/d1/observability/debug-d1/ and what SQLite says when the statement is not at fault. */
const DOCUMENTED = [
  "Your account has exceeded D1's maximum account storage limit, please contact Cloudflare to raise your limit",
  "Exceeded maximum DB size.",
  "Your account has exceeded D1's free tier daily row read limit.",
  "D1 DB reset because its code was updated.",
  "Internal error while starting up D1 DB storage caused object to be reset.",
  "Network connection lost.",
  "Replica disconnected from primary.",
  "Internal error in D1 DB storage caused object to be reset.",
  "Cannot resolve D1 DB due to transient issue on remote node.",
  "Can't read from request stream because client disconnected.",
  "D1 DB storage operation exceeded timeout which caused object to be reset.",
  "D1 DB is overloaded. Requests queued for too long.",
  "D1 DB is overloaded. Too many requests queued.",
  "D1 DB's isolate exceeded its memory limit and was reset.",
  "D1 DB exceeded its CPU time limit and was reset.",
  "internal error; reference = 0123456789abcdef",
  "database is locked: SQLITE_BUSY",
  "database table is locked: SQLITE_LOCKED",
  "database or disk is full: SQLITE_FULL",
  "out of memory: SQLITE_NOMEM",
  "disk I/O error: SQLITE_IOERR (extended: SQLITE_IOERR_WRITE)",
  "database disk image is malformed: SQLITE_CORRUPT",
  "interrupted: SQLITE_INTERRUPT",
];

/** What the client makes of a broken connection or a garbled answer, some of it without the prefix `D1_ERROR`. */
const TRANSPORT: Record<string, () => Promise<Response>> = {
  "the connection is lost": () => Promise.reject(new Error("Network connection lost.")),
  "the object of the database was reset": () =>
    Promise.reject(Object.assign(new Error("Durable Object reset because its code was updated."), { retryable: true })),
  "the object of the database is overloaded": () =>
    Promise.reject(Object.assign(new Error("Durable Object is overloaded."), { overloaded: true })),
  "what is thrown is not an error": () => Promise.reject("lost"),
  "a proxy answers with HTML": async () => new Response("<html>SQLITE_ERROR</html>", { status: 502 }),
  "the answer is empty": async () => new Response("", { status: 500 }),
  "the answer breaks off": async () =>
    new Response(new ReadableStream({ start: (controller) => controller.error(new Error("broken off")) })),
  "the answer is null": async () => Response.json(null),
  "the answer is an empty list": async () => Response.json([]),
  "the answer has no fields": async () => Response.json({}),
};

const SELECT = prepare("SELECT :n", { n: 1 });

const CALLS: Record<string, (database: D1Database) => Promise<unknown>> = {
  first: (database) => sessionAt(() => database).first(SELECT),
  all: (database) => sessionAt(() => database).all(SELECT),
  run: (database) => sessionAt(() => database).run(SELECT),
  batch: (database) => sessionAt(() => database).batch({ one: SELECT, two: SELECT }),
  "all in a D1 session": (database) => sessionAt(() => database.withSession("first-primary")).all(SELECT),
  "batch in a D1 session": (database) => sessionAt(() => database.withSession()).batch({ one: SELECT, two: SELECT }),
};

const sessionAt = (connect: () => Target) => openSession(connect, databaseAnswer);

const rejectionOf = (database: D1Database, call: (database: D1Database) => Promise<unknown>) =>
  call(database).then(
    () => expect.unreachable("the call did not fail"),
    (error: unknown) => error,
  );

describe.each(Object.entries(CALLS))("%s", (_, call) => {
  it("is an outage whatever the documented error", async () => {
    for (const message of DOCUMENTED) {
      const error = await rejectionOf(clientOf(failed(message)), call);
      expect([message, isDatabaseOutage(error)]).toEqual([message, true]);
    }
  });

  it("is an outage whatever the connection does", async () => {
    for (const [name, fetch] of Object.entries(TRANSPORT)) {
      const error = await rejectionOf(clientOf(fetch), call);
      expect([name, isDatabaseOutage(error)]).toEqual([name, true]);
    }
  });

  it("answers within ten seconds when the database does not", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const rejection = rejectionOf(
      clientOf(() => new Promise(() => {})),
      call,
    );
    await vi.advanceTimersByTimeAsync(9_999);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(isDatabaseOutage(await rejection)).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a defect in the statement is no outage:", () => {
  const statement = (sql: string, ...values: number[]) =>
    rejectionOf(env.DB, (database) => sessionAt(() => database).all({ sql, values }));

  it.each([
    ["a syntax error", "SELEC 1", []],
    ["an unknown table", "SELECT * FROM nowhere", []],
    ["too few values", "SELECT ?1", []],
    ["too many values", "SELECT ?1", [1, 2]],
    ["no statement", "", []],
    ["a comment", "-- nothing", []],
    ["a transaction", "BEGIN TRANSACTION", []],
    ["a constraint", "INSERT INTO accounts (id) VALUES (NULL)", []],
    ["what is not allowed", "ATTACH 'x' AS y", []],
    ["a statement that is too long", `SELECT '${"x".repeat(200_000)}'`, []],
    ["a value that is too big", "SELECT zeroblob(3000000000)", []],
    ["malformed JSON", "SELECT json('{')", []],
  ])("%s", async (_, sql, values) => {
    expect(isDatabaseOutage(await statement(sql, ...values))).toBe(false);
  });

  it("and an error of our own is none either, whatever it says", () => {
    expect(isDatabaseOutage(new TypeError("Cannot read properties of undefined"))).toBe(false);
    expect(isDatabaseOutage(new Error("Network connection lost."))).toBe(false);
  });
});

describe("the answer to the client", () => {
  it.each(["Network connection lost.", "D1_ERROR: Network connection lost.", "internal error; reference = 0a1b"])(
    "to %j is 503 with Retry-After",
    async (message) => {
      const key = await addApiKey();
      const lost = interceptStores(env, (kind, makeCall) =>
        kind === "d1" ? Promise.reject(new Error(message)) : makeCall(),
      );
      const response = await createIsolate(lost).request("/tenant/surveys", { headers: { "X-API-Key": key.text } });
      expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "5"]);
      expect(await response.text()).not.toContain("connection");
    },
  );

  it("to a defect is 500", async () => {
    const key = await addApiKey();
    const broken = interceptStores(env, (kind, makeCall) =>
      kind === "d1" ? Promise.reject(new Error("D1_ERROR: no such table: surveys: SQLITE_ERROR")) : makeCall(),
    );
    const response = await createIsolate(broken).request("/tenant/surveys", { headers: { "X-API-Key": key.text } });
    expect(response.status).toBe(500);
  });
});
