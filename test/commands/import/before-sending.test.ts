/** `npm run import` before it sends anything: what it would write, what it refuses. There is no network. */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { importIdeas, progressOf, unreadOf } from "../../../src/commands/import/import.ts";

let folder: string;
let files: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "import-"));
  files = join(folder, "files");
  await mkdir(files);
  for (const name of ["canny.json", "ideas.csv"]) await cp(`test/fixtures/import/${name}`, join(files, name));
});
afterAll(() => rm(folder, { recursive: true }));

const dry = async (args: readonly string[], variables = {}) => {
  const lines: string[] = [];
  const fetched: unknown[] = [];
  const real = globalThis.fetch;
  globalThis.fetch = async (...call) => {
    fetched.push(call);
    throw new Error("no network");
  };
  const line = (text: string) => lines.push(text);
  try {
    const code = await importIdeas.run(args, {
      folder,
      variables,
      print: line,
      complain: line,
      runWrangler: async () => expect.unreachable("it needs no wrangler"),
    });
    return { code, fetched, text: lines.join("\n") };
  } finally {
    globalThis.fetch = real;
  }
};

it("--dry-run says what it would write and what has no counterpart, and sends nothing", async () => {
  const { code, fetched, text } = await dry(["--from", "canny", "files/canny.json", "--dry-run"]);
  expect([code, fetched]).toEqual([0, []]);
  expect(text).toContain("files/canny.json: 3 ideas, 3 people, 5 votes, 2 comments.");
  expect(text).toContain("  1 × private comment");
  expect(text).toContain("nothing was sent");
});

it.each([
  [["--from", "canny"], "Name one file."],
  [["files/canny.json"], "Say what the file is"],
  [["--from", "jira", "files/canny.json"], "--from jira is unknown. Say what the file is"],
  [["--from", "csv", "files/none.csv"], "There is no file files/none.csv in FOLDER."],
  [["--from", "csv", "/none/none.csv"], "There is no file /none/none.csv."],
  [["--from", "csv", "files"], "files is a folder. Name a file."],
  [["--from", "fider", "files"], "files is a folder. Name a file."],
  [["--from", "csv", "files/ideas.csv/more"], "There is no file files/ideas.csv/more in FOLDER."],
  [["--from", "canny", "files/ideas.csv"], "The file is not JSON"],
  [["--from", "csv", "files/ideas.csv", "--url", "https://api.example"], "Say where: --idea-bank"],
  [["--from", "csv", "files/ideas.csv", "--idea-bank", "b4nKb4nKb4nK"], "Say where: --url"],
  [["--from", "csv", "files/ideas.csv", "--idea-bank", "b4nKb4nKb4nK", "--url", "http://api.example"], "not https"],
  [["--from", "csv", "files/ideas.csv", "--idea-bank", "b4nKb4nKb4nK", "--url", "https://api.example"], "Set API_KEY"],
])("%j is refused with a sentence", async (args, message) => {
  const { code, fetched, text } = await dry(args);
  expect([code, fetched]).toEqual([1, []]);
  expect(text).toContain(message.replace("FOLDER", folder));
  expect(text).not.toMatch(/\bE[A-Z]{4,}\b| {4}at /);
});

it("a file that its user may not read is said to be one", () => {
  const refused = Object.assign(new Error("EACCES"), { code: "EACCES", syscall: "open", errno: -13 });
  expect(unreadOf(refused, "ideas.csv", folder)).toBe("You have no permission to read ideas.csv.");
});

it.each([
  ["canny", "null", 'no list "posts"'],
  ["canny", '{"posts":[{"id":"1"}]}', "post 1: it has no title"],
  ["canny", '\ufeff{"posts":[]}', "0 ideas"],
])("a file of %s that holds %s: %s", async (service, content, said) => {
  await writeFile(join(files, "file"), content);
  expect((await dry(["--from", service, "files/file", "--dry-run"])).text).toContain(said);
});

it("lists every fault of every row in one run, and sends nothing", async () => {
  const long = "x".repeat(252);
  const rows = [
    `${long},Long id,,,`,
    ",No id,,,soon",
    "1,One,,Someday,",
    `1,,${"y".repeat(201)},,`,
    "3,Fine,customer-1,,",
  ];
  await writeFile(join(files, "bad.csv"), ["id,title,voters,status,created_at", ...rows].join("\n"));
  const { code, fetched, text } = await dry(
    ["--from", "csv", "files/bad.csv", "--idea-bank", "b4nKb4nKb4nK", "--url", "https://api.example"],
    { API_KEY: "ibk_any" },
  );
  expect([code, fetched]).toEqual([1, []]);
  expect(text.trim().split("\n")).toEqual([
    "files/bad.csv: 4 ideas, 2 people, 2 votes, 0 comments.",
    "Without a counterpart:",
    "  1 × status “Someday”: imported as submitted",
    "  1 × idea without a title: imported as “Untitled”",
    '  To say what “Someday” is here: --status "Someday=planned"',
    "",
    "Nothing was sent. Correct these first:",
    "  line 3: no id",
    expect.stringContaining('line 3: created_at "soon": give a past date'),
    `  line 2: its id must have 1 to 255 characters`,
    "  line 5: line 4 has the same id",
    `  line 5: person "${"y".repeat(201)}": externalId must have 1 to 200 characters`,
  ]);
});

it("shows no key in its arguments: it is in the environment alone", async () => {
  const { text } = await dry(["--help"]);
  expect(text).toContain("API_KEY");
  expect(await readFile("src/commands/import/import.ts", "utf8")).not.toMatch(/"(?:api-)?key"/);
});

it.each(["constructor", "__proto__", "toString"])("--from %s is refused with a sentence", async (service) => {
  expect((await dry(["--from", service, "files/ideas.csv", "--dry-run"])).text).toContain("Say what the file is");
});

it("no control character of a file reaches the terminal", async () => {
  const evil = "\u001b]0;owned\u0007\u009b2J\u202e\u007f\r";
  const rows = [`1,A,x${evil},2027-01-01`, `2,B,y${evil},`, `3${evil},C,planned,${evil}`];
  await writeFile(join(files, "evil.csv"), [`id,title,status,created_at`, ...rows].join("\n"));
  await writeFile(join(files, "evil.json"), `{"posts": ${evil}}`);
  await writeFile(join(files, "odd.csv"), `id,title,status,${evil.trim()}\n1,A,"x${evil}",1`);
  for (const args of [
    ["--from", "csv", "files/evil.csv"],
    ["--from", "csv", "files/odd.csv"],
    ["--from", "canny", "files/evil.json"],
    ["--from", evil, "files/odd.csv"],
    ["--from", "csv", evil],
    ["--from", "csv", "files/odd.csv", "--column", `description=${evil}x`],
    ["--from", "csv", "files/odd.csv", "--status", `x${evil}`],
  ]) {
    const { text } = await dry([...args, "--dry-run"]);
    expect(text).not.toMatch(/[^\P{Cc}\n\t]|\p{Bidi_Control}/u);
  }
  expect((await dry(["--from", "csv", "files/odd.csv", "--dry-run"])).text).toContain("status “x\\u{1b}]0;owned");
});

it("votes that the file only counts are told first", async () => {
  await writeFile(join(files, "counted.csv"), 'id,title,votes,voters\n1,A,"1,200",p1\n2,B,3,\n');
  const { text } = await dry(["--from", "csv", "files/counted.csv", "--dry-run"]);
  expect(text.split("\n")[0]).toBe(
    "1202 votes cannot be imported: the file has their number, and does not name their voters.",
  );
});

it.each([
  [["--from", "canny", "files/canny.json", "--column", "title=x"], "--column is for CSV"],
  [["--from", "csv", "files/ideas.csv", "--column", "constructor=x"], "--column constructor=x: <ours>=<name>"],
  [["--from", "csv", "files/ideas.csv", "--column", "description"], "--column description: <ours>=<name>"],
  [["--from", "csv", "files/ideas.csv", "--column", "description=none"], 'no column "none"'],
  [["--from", "csv", "files/ideas.csv", "--status", "Shipped=shipped"], "with one of submitted, "],
  [["--from", "csv", "files/ideas.csv", "--status", "=planned"], "with one of submitted, "],
])("%j is refused with a sentence", async (args, message) => {
  const { code, text } = await dry([...args, "--dry-run"]);
  expect(code).toBe(1);
  expect(text).toContain(message);
});

it.each([
  [1, 3, 60_000, "1 of 3 ideas (33 %), 2 min left"],
  [20, 200_000, 36_000, "20 of 200000 ideas (0 %), 100 h left"],
  [3, 3, 60_000, "3 of 3 ideas (100 %), 0 min left"],
])("the progress of %i of %i ideas in %i ms is: %s", (done, all, milliseconds, line) =>
  expect(progressOf(done, all, milliseconds)).toBe(line),
);
