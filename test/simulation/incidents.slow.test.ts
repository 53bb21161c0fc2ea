/** docs/incidents.md and its plots are what the simulation says today: a number in them that no code makes any more is a lie. */
import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { makeIncidents } from "./incident-report.ts";

const FOLDER = `${import.meta.dirname}/../../docs`;

test("the page of incidents and its plots are made anew, and are the same", async () => {
  const made = await makeIncidents();
  for (const [name, text] of made)
    expect(await readFile(`${FOLDER}/${name}`, "utf8"), `docs/${name}: npm run simulate -- --incidents`).toBe(text);
  const names = (await readdir(FOLDER)).filter((name) => name.startsWith("incident"));
  expect(names.toSorted()).toEqual([...made.keys()].toSorted());
});
