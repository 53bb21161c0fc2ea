/** Statements whose parameters have names. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { prepare } from "../../../src/worker/database/statement.ts";

const session = () => env.DB.withSession();

it("binds each value by its name, wherever and however often it is named, and leaves the others", async () => {
  const sql = "SELECT :second AS a, :first AS b, :second AS c";
  const row = await prepare(session(), sql, { first: 1, unused: "x", second: "two" }).first();
  expect(row).toEqual({ a: "two", b: 1, c: "two" });
});

it("takes undefined for NULL, and a flag for 0 or 1", async () => {
  const row = await prepare(session(), "SELECT :a AS a, :b AS b, :c AS c", { a: undefined, b: true, c: false }).first();
  expect(row).toEqual({ a: null, b: 1, c: 0 });
});

it("throws for a name without a value: a fragment that was put where its value is not known", () => {
  expect(() => prepare(session(), "SELECT :ideaBankId", { panelistId: "x" })).toThrow("no value for :ideaBankId");
  expect(() => prepare(session(), "SELECT :toString", {})).toThrow("no value for :toString");
});
