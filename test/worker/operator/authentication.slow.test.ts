/** Requests without the operator's secret: the same for each of the operator's operations, generated from the definitions. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { countStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { bodyOf, operationsOf } from "../../support/operations.ts";
import { type Bindings, OPERATOR_SECRET, sendAsOperator, withSecret } from "../../support/operator.ts";

describe.each(operationsOf("operator"))("$name", ({ method, path, operation }) => {
  it.each([
    ["no header", undefined],
    ["another secret", `Bearer ${OPERATOR_SECRET.replace("t", "T")}`],
    ["a part of the secret", `Bearer ${OPERATOR_SECRET.slice(0, -1)}`],
    ["an empty secret", "Bearer "],
    ["the secret without its scheme", OPERATOR_SECRET],
  ])("with %s is 401, and no store is called", async (_, authorization) => {
    const { env: counted, counts } = countStores(withSecret);
    const response = await createIsolate(counted).request(path, {
      method,
      headers: authorization === undefined ? {} : { Authorization: authorization },
      body: method === "GET" ? null : "{",
    });
    expect(response.status).toBe(401);
    expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="operator"');
    expect(counts).toEqual({ d1: 0, "kv.read": 0, "kv.write": 0, gate: 0 });
  });

  it("is not there where the secret is not set, or is empty: the answer of an unknown path", async () => {
    const unknown = await (await createIsolate().request("/operator/nothing", { method })).json();
    const cases: [Bindings, string][] = [
      [env, OPERATOR_SECRET],
      [{ ...env, OPERATOR_SECRET: "" }, ""],
    ];
    for (const [bindings, secret] of cases) {
      const response = await sendAsOperator(method, path, bodyOf(operation), bindings, secret);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual(unknown);
    }
  });

  it("is not opened by a short secret that is guessed, and the log names the setting", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    const short: Bindings = { ...env, OPERATOR_SECRET: "short" };
    const response = await sendAsOperator(method, path, bodyOf(operation), short, "short");
    expect(response.status).toBe(500);
    expect(String(error.mock.calls[0]?.[0].cause)).toContain("OPERATOR_SECRET must have at least 32 characters");
  });
});
