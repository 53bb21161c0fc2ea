/** The page of imports in a real browser, against `npm run dev`: chosen, mapped, imported, interrupted, sent again. */
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { openStage, type Stage } from "../../support/node/element-stage.ts";
import { lookAround } from "../../support/node/look-around.ts";
import { openPage } from "../../support/node/owner-pages.ts";
import { fiderArchive } from "../../support/node/zip.ts";

const shared = inject("stage");
const FOREIGN = [
  "Nr;Idee;Stand;Erstellt;Mail",
  "1;Züge bei Nacht;In Arbeit;3 Mar 2024;kim@example.com",
  "2;Häfen;Fertig;;4.9E+11",
];

describe("the page of imports in Chromium", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  /** A board of its own, and the page on which it is chosen. */
  async function open(name: string, options = {}) {
    const { path } = await stage.ideaBank({ name }, []);
    const opened = await openPage(stage, options);
    await opened.page.goto(`/account/import?board=${path.split("/").at(-1)}`, {
      referer: `${stage.api}/account/ideas`,
    });
    const ideas = async () =>
      (await stage.tenant<{ items: Record<string, unknown>[] }>("GET", `${path}/proposals?limit=100`)).items;
    return { ...opened, path, ideas };
  }
  const choose = (page: Page, name: string, content: string | Buffer) =>
    page.getByLabel("File").setInputFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) });

  it("reads a spreadsheet's file in its letters, is told what its columns and statuses are, and imports it", async () => {
    const { page, complaints, ideas } = await open("Foreign");
    await choose(page, "ideen.csv", Buffer.from(FOREIGN.join("\r\n"), "latin1"));
    await page.getByText("1;Züge bei Nacht;In Arbeit").waitFor();
    await page.getByRole("button", { name: "Use Western European" }).click();
    await page.getByText("Which column is the title?").waitFor();
    await page.getByText("Züge bei Nacht", { exact: true }).waitFor();
    await page.getByLabel("Idee", { exact: true }).selectOption("Title");
    await page.getByLabel("Nr", { exact: true }).selectOption("ID of the idea");
    await page.getByLabel("Stand", { exact: true }).selectOption("Status");
    await page.getByLabel("Erstellt", { exact: true }).selectOption("Date");
    await page.getByLabel("Mail", { exact: true }).selectOption("Email of the author");
    await page.getByText('line 3: "4.9E+11" is a number that a spreadsheet has rounded').waitFor();
    await page.getByLabel("In Arbeit", { exact: true }).selectOption("In progress");
    await page
      .getByRole("row", { name: /line 2.*Züge bei Nacht.*In progress.*kim@example\.com.*2024-03-03/ })
      .waitFor();
    await page.getByRole("button", { name: "Import 1 idea" }).click();
    await page.getByText("2 rows of ideen.csv: 1 new, 0 already here, 1 fault.").waitFor();
    expect(await ideas()).toMatchObject([
      { title: "Züge bei Nacht", status: "in-progress", createdAt: "2024-03-03T12:00:00.000Z", externalId: "csv:1" },
    ]);
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download report" }).click();
    await (await downloading).saveAs("test-results/import-report.csv");
    const report = await readFile("test-results/import-report.csv", "utf8");
    expect(report).toContain('"line 2","Züge bei Nacht","new"');
    expect(report).toContain('"line 3","","fault"');
    expect(complaints).toEqual([]);
  });

  it("goes on after a reload in the middle; the same file again is already here", async () => {
    const { page, complaints, ideas } = await open("Long");
    const text = ["id,title", ...Array.from({ length: 60 }, (_, index) => `${index},Idea ${index}`)].join("\n");
    let sent = 0;
    let isHeld = true;
    await page.route("**/account/import", (route) => {
      if (route.request().method() !== "POST") return route.continue();
      sent += 1;
      // Its page is gone before the server gets it.
      return isHeld && sent > 1 ? undefined : route.continue();
    });
    await choose(page, "long.csv", text);
    await page.getByRole("button", { name: "Import 60 ideas" }).click();
    await expect.poll(() => sent).toBe(2);
    await page.getByText("20 of 60 ideas.").waitFor();
    expect(await ideas()).toHaveLength(20);
    isHeld = false;
    await page.reload();
    await page.getByText("60 rows of long.csv: 60 new, 0 already here, 0 faults.").waitFor();
    expect(await ideas()).toHaveLength(60);
    await page.reload();
    await choose(page, "long.csv", text);
    await page.getByRole("button", { name: "Import 60 ideas" }).click();
    await page.getByText("60 rows of long.csv: 0 new, 60 already here, 0 faults.").waitFor();
    expect(complaints.filter((line) => !line.includes("net::ERR"))).toEqual([]);
  });

  it("one row that the server refuses is that row's fault, and the others go on; a pause is offered to go on from", async () => {
    const { page, ideas } = await open("Faults");
    let answers = 0;
    await page.route("**/account/import", async (route) => {
      const body = route.request().postData() ?? "";
      if (!body.includes("Never")) return route.continue();
      answers += 1;
      await route.fulfill({
        status: 409,
        contentType: "application/problem+json",
        body: '{"error":"conflict","detail":"Not this one."}',
      });
    });
    await choose(page, "faults.csv", "id,title\n1,First\n2,Never\n3,Last");
    await page.getByRole("button", { name: "Import 3 ideas" }).click();
    await page.getByText("3 rows of faults.csv: 2 new, 0 already here, 1 fault.").waitFor();
    await page.getByText("line 3: Not this one.").waitFor();
    expect(answers).toBe(2);
    expect((await ideas()).map(({ title }) => title).toSorted()).toEqual(["First", "Last"]);
    await page.unroute("**/account/import");
    await page.route("**/account/import", (route) =>
      route.request().method() === "POST"
        ? route.fulfill({
            status: 403,
            contentType: "application/problem+json",
            body: '{"detail":"You are not a member."}',
          })
        : route.continue(),
    );
    await choose(page, "more.csv", "id,title\n4,Fourth");
    await page.getByRole("button", { name: "Import 1 idea" }).click();
    await page.getByText("You are not a member.").waitFor();
    await page.unroute("**/account/import");
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await page.getByText("1 row of more.csv: 1 new, 0 already here, 0 faults.").waitFor();
  });

  it("reads Canny's and Fider's exports, merges what Fider has merged, and keeps votes without voters in the report", async () => {
    const { page, complaints, path, ideas } = await open("Services");
    await choose(page, "canny.json", await readFile("test/fixtures/import/canny.json"));
    await page.getByText("2 votes in Canny").waitFor();
    await page.getByRole("button", { name: "Import 3 ideas" }).click();
    await page.getByText("3 rows of canny.json: 3 new, 0 already here, 0 faults.").waitFor();
    await choose(page, "fider.zip", await fiderArchive());
    await page.getByRole("button", { name: "Import 3 ideas" }).click();
    await page.getByText("3 rows of fider.zip: 3 new, 0 already here, 0 faults.").waitFor();
    expect(await ideas()).toHaveLength(5);
    const { items } = await stage.tenant<{ items: Record<string, unknown>[] }>(
      "GET",
      `${path}/proposals?externalId=fider:11`,
    );
    expect(items).toMatchObject([{ votes: 3, status: "planned" }]);
    expect(complaints).toEqual([]);
  });

  it("has nothing for axe-core to complain of, in light and dark, wide and narrow; see the screenshots", async () => {
    const { page } = await open("Look", { bypassCSP: true });
    await lookAround(page, "import-empty");
    const rows = Array.from(
      { length: 30 },
      (_, index) => `${index},Idea ${index} ${"word ".repeat(index)},Someday,Mobile;Bus,${index},x`,
    );
    await choose(
      page,
      "ideas.csv",
      ["id,title,status,tags,votes,priority", ...rows, "1,Twice,,,,", ",No id,,,,"].join("\n"),
    );
    await page.getByRole("heading", { name: "Preview" }).waitFor();
    await lookAround(page, "import-preview");
    await page.getByRole("button", { name: "Import 30 ideas" }).click();
    await page.getByText("32 rows of ideas.csv: 30 new, 0 already here, 2 faults.").waitFor();
    await lookAround(page, "import-report");
  });
});
