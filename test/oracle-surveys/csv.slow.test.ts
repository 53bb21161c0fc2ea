/** The CSV of a survey's responses, read by a reader of its own (RFC 4180). */
import { describe, expect, it } from "vitest";
import type { Question } from "./recount.ts";
import { answer, createScene, DESIGNED, type Scene, TENANT_SURVEYS } from "./scene.ts";

/** Rows of cells. Throws where a quote stands or is missing where it must not. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]];
  let at = text.startsWith("\ufeff") ? 1 : 0;
  const row = () => rows.at(-1) ?? [];
  while (at < text.length) {
    let cell = "";
    if (text[at] === '"') {
      at += 1;
      for (;;) {
        const end = text.indexOf('"', at);
        if (end < 0) throw new Error("a quote is not closed");
        cell += text.slice(at, end);
        at = end + 1;
        if (text[at] !== '"') break;
        cell += '"';
        at += 1;
      }
    } else {
      const rest = /[,\r\n]/.exec(text.slice(at));
      const end = rest === null ? text.length : at + rest.index;
      cell = text.slice(at, end);
      if (cell.includes('"')) throw new Error(`a quote inside ${cell}`);
      at = end;
    }
    row().push(cell);
    if (text.startsWith("\r\n", at)) at += 2;
    else if (text[at] === "\n") at += 1;
    else if (text[at] === ",") {
      at += 1;
      if (at === text.length) row().push("");
      continue;
    } else if (at < text.length) throw new Error(`after a cell stands ${text.slice(at, at + 10)}`);
    if (at < text.length) rows.push([]);
  }
  return rows;
}

async function read({ tenant }: Scene, id: string, query = "") {
  const given = await tenant.send("GET", `${TENANT_SURVEYS}/${id}/responses.csv${query}`);
  expect(given.status).toBe(200);
  expect(given.headers.get("Content-Type")).toMatch(/^text\/csv/);
  expect(given.headers.get("Content-Disposition")).toMatch(/attachment.*\.csv/);
  const bytes = new Uint8Array(await given.arrayBuffer());
  const text = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(bytes);
  const [head = [], ...rows] = parse(text);
  for (const row of rows) expect(row).toHaveLength(head.length);
  return { text, head, rows };
}

/** The columns whose title has one of these words, in their order. */
const columns = (head: readonly string[], words: readonly string[]) =>
  words.map((word) => head.findIndex((title) => title.includes(word)));

describe("the columns", () => {
  it("stand in the survey's order, not the alphabet's, with all of them when nobody has answered", async () => {
    const scene = await createScene();
    const { id } = await scene.open();
    for (const query of ["", "?labels=true"]) {
      const { head, rows } = await read(scene, id, query);
      expect(rows).toEqual([]);
      const words = query === "" ? ["recommend", "why", "next", "uses"] : DESIGNED.map(({ title }) => title);
      const at = columns(head, words);
      expect(
        at.every((each) => each >= 0),
        head.join("|"),
      ).toBe(true);
      expect(at).toEqual(at.toSorted((left, right) => left - right));
      const ofChoices = columns(
        head,
        query === "" ? ["map", "tickets", "alerts", "lost"] : ["The map", "Tickets", "Alerts", "Lost and found"],
      );
      expect(
        ofChoices.every((each) => each >= 0),
        head.join("|"),
      ).toBe(true);
      expect(ofChoices).toEqual(ofChoices.toSorted((left, right) => left - right));
    }
  });

  it("are the same whatever was answered", async () => {
    const scene = await createScene();
    const { id } = await scene.open();
    const { head } = await read(scene, id);
    await answer(await scene.panelist(), id, { recommend: 9, uses: ["lost"] });
    await answer(await scene.panelist(), id, { recommend: 1, why: "x", next: { other: "y" } });
    expect((await read(scene, id)).head).toEqual(head);
  });

  it("have titles that are unique, also of questions with one title and with one label", async () => {
    const scene = await createScene();
    const questions: Question[] = [
      { id: "one", kind: "text", title: "Why?" },
      { id: "two", kind: "text", title: "Why?" },
      {
        id: "three",
        kind: "choices",
        title: "Why?",
        options: [
          { id: "x", label: "Same" },
          { id: "y", label: "Other" },
        ],
      },
      {
        id: "four",
        kind: "choices",
        title: "Why?",
        options: [
          { id: "x", label: "Same" },
          { id: "y", label: "Other" },
        ],
      },
      { id: "five", kind: "text", title: "Why? (one)" },
    ];
    const { id } = await scene.open({ questions });
    await answer(await scene.panelist(), id, {
      one: "text one",
      two: "text two",
      three: ["x"],
      four: ["y"],
      five: "text five",
    });
    for (const query of ["", "?labels=true"]) {
      const { head, rows } = await read(scene, id, query);
      expect(new Set(head).size, head.join("|")).toBe(head.length);
      for (const text of ["text one", "text two", "text five"])
        expect(rows[0]?.filter((cell) => cell === text)).toHaveLength(1);
    }
  });

  it("keep their order and gain one at the end of a question when an option is added; an id does not move", async () => {
    const scene = await createScene();
    const { id } = await scene.open();
    const { head } = await read(scene, id);
    const questions = DESIGNED.map((each) =>
      each.id === "uses" ? { ...each, options: [...(each.options ?? []), { id: "aaa", label: "AAA" }] } : each,
    );
    await scene.change(id, { questions });
    const grown = await read(scene, id);
    expect(grown.head.filter((title) => head.includes(title))).toEqual(head);
    expect(grown.head).toHaveLength(head.length + 1);
  });
});

describe("the cells", () => {
  it("tell 0, an empty answer and nothing apart, with ids or with labels", async () => {
    const scene = await createScene();
    const questions: Question[] = [
      { id: "zero", kind: "scale", title: "Zero", from: 0, to: 3 },
      {
        id: "pick",
        kind: "choice",
        title: "Pick",
        options: [
          { id: "aa", label: "Label A" },
          { id: "bb", label: "Label B" },
        ],
      },
    ];
    const { id } = await scene.open({ questions });
    await answer(await scene.panelist(), id, { zero: 0, pick: "bb" });
    await answer(await scene.panelist(), id, {});
    for (const [query, label] of [
      ["", "bb"],
      ["?labels=true", "Label B"],
    ] as const) {
      const { head, rows } = await read(scene, id, query);
      const [zero = -1, pick = -1] = columns(head, query === "" ? ["zero", "pick"] : ["Zero", "Pick"]);
      const cells = rows.map((row) => [row[zero], row[pick]]).toSorted();
      expect(cells).toEqual([
        ["", ""],
        ["0", label],
      ]);
    }
  });

  it("survive commas, quotes, line breaks, umlauts and emoji", async () => {
    const scene = await createScene();
    const { id } = await scene.open();
    const texts = ['a "quoted", text', "two\nlines", "a\r\nb", "Übergröße 😀", "semi;colon\ttab", '"', ",", "'plain"];
    for (const why of texts) await answer(await scene.panelist(), id, { recommend: 0, why });
    const { head, rows, text } = await read(scene, id);
    const [why = -1] = columns(head, ["why"]);
    const stored = (await scene.texts(id, "why")).map((each) => each.text);
    expect(rows.map((row) => row[why]).toSorted()).toEqual(stored.toSorted());
    expect(rows).toHaveLength(texts.length);
    expect(text.startsWith("sep=")).toBe(false);
  });

  it("disarm formulas in answers, other answers, titles and labels, and leave numbers alone", async () => {
    const scene = await createScene();
    const evil = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", '=HYPERLINK("http://x","y")', "\uff1d1+1"];
    const questions: Question[] = [
      { id: "t", kind: "text", title: "=cmd|' /C calc'!A0" },
      {
        id: "c",
        kind: "choice",
        title: "+title",
        other: true,
        options: [
          { id: "x", label: "=1+1" },
          { id: "y", label: "@y" },
        ],
      },
      {
        id: "m",
        kind: "choices",
        title: "-title",
        options: [
          { id: "x", label: "=2+2" },
          { id: "y", label: "-y" },
        ],
      },
      { id: "n", kind: "scale", title: "N", from: 0, to: 10 },
    ];
    const { id } = await scene.open({ questions });
    for (const text of evil) await answer(await scene.panelist(), id, { t: text, c: { other: text }, m: ["x"], n: 7 });
    await answer(await scene.panelist(), id, { c: "x", n: 0 });
    for (const query of ["", "?labels=true"]) {
      const { head, rows } = await read(scene, id, query);
      for (const cell of [...head, ...rows.flat()]) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
      const [number = -1] = columns(head, query === "" ? ["n"] : ["N"]).filter((at) => at >= 0);
      expect(number).toBeGreaterThanOrEqual(0);
      expect(rows.flat().filter((cell) => cell === "7")).toHaveLength(evil.length);
    }
  });

  it("name the person and times that a spreadsheet reads, with the zone in the title", async () => {
    const scene = await createScene();
    const robin = await scene.panelist("Robin");
    const { id } = await scene.open();
    const stored = await answer(robin, id, { recommend: 9 });
    const { head, rows } = await read(scene, id);
    const [row = []] = rows;
    expect(row).toContain(robin.id);
    const time = stored.createdAt.slice(0, 19).replace("T", " ");
    const at = row.indexOf(time);
    expect(at, row.join("|")).toBeGreaterThanOrEqual(0);
    expect(head[at]).toMatch(/UTC/);
    for (const cell of row) expect(cell).not.toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  it("begin with a byte order mark, so that spreadsheets read umlauts", async () => {
    const scene = await createScene();
    const { id } = await scene.open();
    expect((await read(scene, id)).text.startsWith("\ufeff")).toBe(true);
  });
});

describe("the rows", () => {
  it("are all of them, beyond a page, each once", async () => {
    const scene = await createScene();
    const { id } = await scene.open();
    const people = await scene.people(230);
    for (const [at, person] of people.entries()) await answer(person, id, { recommend: at % 11 });
    const { rows } = await read(scene, id);
    expect(rows).toHaveLength(230);
    const named = rows.map((row) => people.find((person) => row.includes(person.id))?.id);
    expect(new Set(named)).toEqual(new Set(people.map((person) => person.id)));
  });

  it("are those of this survey, not of the other in the same idea bank", async () => {
    const scene = await createScene();
    const [one, two] = [await scene.open(), await scene.open({ title: "Two" })];
    const robin = await scene.panelist();
    await answer(robin, one.id, { recommend: 0, why: "said in one" });
    await answer(robin, two.id, { recommend: 1, why: "said in two" });
    const [first, second] = [await read(scene, one.id), await read(scene, two.id)];
    expect([first.rows.length, second.rows.length]).toEqual([1, 1]);
    expect(first.text).not.toContain("said in two");
    expect(second.text).not.toContain("said in one");
  });

  it("have `other` where it was said, and nothing of it after another choice", async () => {
    const scene = await createScene();
    const { id } = await scene.open();
    const robin = await scene.panelist();
    await answer(robin, id, { recommend: 9, next: { other: "A later last train" } });
    expect((await read(scene, id)).rows.flat().filter((cell) => cell.includes("A later last train"))).toHaveLength(1);
    await answer(robin, id, { recommend: 9, next: "dark" });
    expect((await read(scene, id)).text).not.toContain("A later last train");
  });
});
