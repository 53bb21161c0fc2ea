/** An export is read in pieces, of any size: each ends where a statement ends. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readPieces } from "../../../../src/commands/deployment/databases/sql-pieces.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pieces-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function pieces(text: string, bytes: number): string[] {
  const file = join(folder, "export.sql");
  writeFileSync(file, text);
  return [...readPieces(file, bytes)];
}

/** Everything that can hold a semicolon that ends no statement. */
const TRAPS = `PRAGMA defer_foreign_keys=TRUE;
CREATE TABLE a (id TEXT, -- it's; not the end
  "b;" TEXT, [c;] TEXT, \`d;\` TEXT /* nor; 'here */);
INSERT INTO "a" ("id","b;","c;") VALUES('it''s;
INSERT INTO "a" VALUES(1);
','"; — ü 🚌',X'3B');
CREATE TABLE first (end TEXT); INSERT INTO first VALUES ('1');
CREATE TRIGGER t AFTER INSERT ON a BEGIN
  -- END;
  UPDATE a SET id = CASE WHEN id = ';' THEN 1 ELSE 2 END;
  DELETE FROM a WHERE id = '; END;'; /* ; */
END;
create temp trigger if not exists u after delete on a begin select 1; end ;
INSERT INTO first VALUES ('last')`;

it.each([1, 2, 3, 7, 16, 50, 1_000_000])("read %i bytes at a time, every piece is whole statements", (bytes) => {
  const found = pieces(TRAPS, bytes);
  expect(found.join("")).toBe(TRAPS);
  const database = new DatabaseSync(":memory:");
  for (const piece of found) database.exec(piece);
  const [one, whole] = [database, new DatabaseSync(":memory:")];
  whole.exec(TRAPS);
  const dump = (of: DatabaseSync) =>
    ["sqlite_master", "a", "first"].map((table) => of.prepare(`SELECT * FROM ${table}`).all());
  expect(dump(one)).toEqual(dump(whole));
});

it("cuts at every statement's end, so that little is held in memory", () => {
  const found = pieces(TRAPS, 1).filter((piece) => piece.trim() !== "");
  expect(found.map((piece) => piece.trim().slice(0, 20))).toEqual([
    "PRAGMA defer_foreign",
    "CREATE TABLE a (id T",
    'INSERT INTO "a" ("id',
    "CREATE TABLE first (",
    "INSERT INTO first VA",
    "CREATE TRIGGER t AFT",
    "create temp trigger ",
    "INSERT INTO first VA",
  ]);
});

it("reads the project's own schema", () => {
  const schema = readFileSync("schema.sql", "utf8");
  const database = new DatabaseSync(":memory:");
  for (const piece of pieces(schema, 300)) database.exec(piece);
  expect(database.prepare("SELECT count(*) AS n FROM sqlite_master WHERE type = 'trigger'").get()).toEqual({
    n: schema.match(/^CREATE TRIGGER/gm)?.length,
  });
});

it("of a file without statements: says so before it fills the memory", () => {
  expect(() => pieces("<html>".repeat(1_000), 100)).not.toThrow();
  expect(() => pieces(" ".repeat(65 * 1024 * 1024), 8 * 1024 * 1024)).toThrow("a statement is longer than 64 MiB");
});
