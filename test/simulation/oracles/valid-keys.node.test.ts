import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { HistoryEvent } from "../history.ts";
import { account, apiKey, asked, history, KEY, KEY_ID, world, wrote } from "./seen/hand-made.ts";
import { validKeys } from "./valid-keys.ts";

const NEW = KEY.replaceAll("S", "A");
const secret_hash = createHash("sha256").update(NEW).digest("hex");
const row = (more: object = {}) => apiKey({ secret_hash, ...more });
const found = (...events: (HistoryEvent | readonly HistoryEvent[])[]): number =>
  validKeys.check(history([...world, ...events])).length;

/** Committed in the middle, and answered when its lease has ended. */
const rotate = (from: number, to: number) => [
  wrote(from + 10, "api_keys", row(), apiKey(), 1),
  ...asked(
    1,
    [from, to],
    {
      operation: "rotateApiKey",
      method: "POST",
      path: `/account/api/keys/${KEY_ID}/rotate`,
      body: { graceSeconds: 0 },
    },
    201,
    { body: { apiKey: { id: KEY_ID }, key: NEW, warning: null } },
  ),
];
const refused = (at: number, reason: string, status = 403) =>
  asked(2, [at, at + 10], { operation: "whoami", path: "/tenant/whoami", headers: { "x-api-key": NEW } }, status, {
    body: { reason },
  });
const suspended = (at: number) => wrote(at, "accounts", account({ status: "suspended" }), account());
const resumed = (at: number) => wrote(at, "accounts", account({ status: "active" }), account({ status: "suspended" }));

test("who has rotated a key, and was told that its gate knows, is not refused", () => {
  expect(found(rotate(100, 1_100), refused(2_000, "suspended"))).toBe(1);
  expect(found(rotate(100, 1_100), refused(2_000, "", 401))).toBe(1);
  expect(found(rotate(100, 1_100), refused(1_050, "", 401))).toBe(0);
});
test("its gate may have read the row and the account again while the rotation was not answered yet", () => {
  expect(found(suspended(50), rotate(100, 1_100), resumed(600), refused(2_000, "suspended"))).toBe(0);
  expect(found(suspended(50), resumed(90), rotate(100, 1_100), refused(2_000, "suspended"))).toBe(1);
  const paused = wrote(300, "api_keys", row({ paused_at: 1 }), row());
  const again = wrote(600, "api_keys", row(), row({ paused_at: 1 }));
  expect(found(rotate(100, 1_100), paused, again, refused(2_000, "paused"))).toBe(0);
});
