import { expect, test } from "vitest";
import type { HistoryEvent, Row } from "../history.ts";
import { leaks } from "./leaks.ts";
import { account, apiKey, asked, fault, history, KEY, KEY_ID, stored, world, wrote } from "./seen/hand-made.ts";

const found = (...events: (HistoryEvent | readonly HistoryEvent[])[]): number =>
  leaks.check(history([...world, ...events])).length;

const NEWER = `${KEY.slice(0, -1)}U`;
const key = (more: Row = {}) => apiKey({ secret_hash: "first", leaked_at: null, ...more });
const created = [
  wrote(50, "api_keys", key(), null, 1),
  ...asked(1, [10, 90], { operation: "createApiKey", method: "POST", path: "/account/api/keys" }, 201, {
    body: { apiKey: { id: KEY_ID }, key: KEY },
  }),
];
const rotated = [
  wrote(550, "api_keys", key({ secret_hash: "second" }), key(), 2),
  ...asked(
    2,
    [500, 590],
    { operation: "rotateApiKey", method: "POST", path: `/account/api/keys/${KEY_ID}/rotate` },
    201,
    {
      body: { apiKey: { id: KEY_ID }, key: NEWER },
    },
  ),
];
const report = (call: number, from: number, { secret = KEY, location = "/leaks/thanks", body = "" } = {}) =>
  asked(
    call,
    [from, from + 100],
    { client: "finder", operation: "pasteLeak", method: "POST", path: "/leaks/reports", body: { key: secret } },
    303,
    { headers: { location, "x-request-id": String(call) }, body },
  );
const use = (at: number, status: number, secret = KEY) =>
  asked(at, [at, at + 10], { headers: { "x-api-key": secret } }, status);
const ends = (call: number, at: number, before = key()) =>
  wrote(at, "api_keys", { ...before, revoked_at: at, leaked_at: at }, before, call);
const marks = wrote(200, "accounts", account({ marks_leaked_keys: 1 }), account());

test("from the answer on no request with it is admitted", () => {
  expect(found(created, ends(3, 1_050), report(3, 1_000), use(1_090, 200), use(1_200, 401))).toBe(0);
  expect(found(created, ends(3, 1_050), report(3, 1_000), use(1_200, 200))).toBe(1);
  expect(found(created, rotated, report(3, 1_000), use(1_200, 200))).toBe(1);
  expect(found(created, rotated, report(3, 1_000), use(1_200, 200, NEWER))).toBe(0);
});

test("or it is marked, as its owner has chosen", () => {
  const marked = wrote(1_050, "api_keys", key({ leaked_at: 1_050 }), key(), 3);
  expect(found(created, marks, marked, report(3, 1_000), use(1_200, 200))).toBe(0);
  expect(found(created, marks, report(3, 1_000))).toBe(1);
  expect(found(created, marks, ends(3, 1_050), report(3, 1_000))).toBe(1);
  expect(found(created, marked, report(3, 1_000))).toBe(1);
});

test("a secret from before a rotation ends alone", () => {
  const second = key({ secret_hash: "second" });
  expect(found(created, rotated, ends(3, 1_050, second), report(3, 1_000))).toBe(1);
  expect(found(created, rotated, ends(3, 1_050, second), report(3, 1_000, { secret: NEWER }))).toBe(0);
});

test("the same report again changes nothing", () => {
  const event = wrote(2_050, "audit_events", { id: "0event000001" }, null, 4);
  expect(found(created, ends(3, 1_050), report(3, 1_000), report(4, 2_000))).toBe(0);
  expect(found(created, ends(3, 1_050), report(3, 1_000), event, report(4, 2_000))).toBe(1);
  // By the second one's clock the first is yet to come.
  const step = { kind: "clock-stepped", at: 10, where: "b", by: -2_000 } as const;
  expect(found(created, step, ends(3, 1_050), report(3, 1_000), event, report(4, 2_000))).toBe(0);
  // Marked at first, and ended since its owner has chosen so.
  const chosen = wrote(1_500, "accounts", account({ marks_leaked_keys: 0 }), account({ marks_leaked_keys: 1 }));
  const marked = wrote(1_050, "api_keys", key({ leaked_at: 1_050 }), key(), 3);
  const ended = ends(4, 2_050, key({ leaked_at: 1_050 }));
  expect(found(created, marks, marked, report(3, 1_000), chosen, ended, report(4, 2_000))).toBe(0);
});

test("who pastes learns nothing", () => {
  const forged = `${KEY.slice(0, -1)}0`;
  expect(found(created, ends(3, 1_050), report(3, 1_000), report(4, 2_000, { secret: forged }))).toBe(0);
  expect(found(report(4, 2_000, { secret: forged }), report(5, 3_000, { secret: forged, body: "?" }))).toBe(1);
  expect(found(report(4, 2_000, { secret: forged }), stored(4, 2_050, "d1", "0"))).toBe(1);
  const again = { location: "/leaks/again" };
  expect(found(created, report(3, 1_000, again))).toBe(1);
  expect(found(created, fault("gate", 900, 2_000, KEY_ID), report(3, 1_000, again), use(1_200, 200))).toBe(0);
  expect(found(created, fault("gate", 900, 2_000), report(3, 1_000, { ...again, secret: forged }))).toBe(1);
});
