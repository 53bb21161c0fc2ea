/** Statements whose parameters have names. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { prepare } from "../../../src/worker/store/statement.ts";
import { sessionOf } from "../../support/databases.ts";

const first = (sql: string, values: Parameters<typeof prepare>[1]) => sessionOf(env.DB).first(prepare(sql, values));

it("binds each value by its name, wherever and however often it is named, and leaves the others", async () => {
  const sql = "SELECT :second AS a, :first AS b, :second AS c";
  expect(await first(sql, { first: 1, unused: "x", second: "two" })).toEqual({ a: "two", b: 1, c: "two" });
});

it("takes undefined for NULL, and a flag for 0 or 1", async () => {
  const row = await first("SELECT :a AS a, :b AS b, :c AS c", { a: undefined, b: true, c: false });
  expect(row).toEqual({ a: null, b: 1, c: 0 });
});

it("throws for a name without a value: a fragment that was put where its value is not known", () => {
  expect(() => prepare("SELECT :ideaBankId", { panelistId: "x" })).toThrow("no value for :ideaBankId");
  expect(() => prepare("SELECT :toString", {})).toThrow("no value for :toString");
});
