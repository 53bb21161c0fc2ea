/**
 * A status of ideas can be added: to a database with data, by a step and the lines that docs/schema.md names, and then the API, the
 * desk and the elements have it. A copy of the project is changed as a developer would change it.
 */
import { globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type DevServer, freePort, makeCheckout, startDev } from "../support/node/checkout.ts";
import { openStage, type Stage } from "../support/node/element-stage.ts";
import { openPage } from "../support/node/owner-pages.ts";

const { browserAddress } = inject("stage");
const [BESIDE, NEW, NAME] = ["under-review", "on-hold", "On hold"];

/** One entry of a list, one entry of a record, one rule of a stylesheet, one selector in a list of selectors. */
const LINES: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^( +)"${BESIDE}": (\\{\n[^}]*\n\\1\\},)$`, "gm"), `$&\n$1"${NEW}": $2`],
  [new RegExp(`^( +)"${BESIDE}",$`, "gm"), `$&\n$1"${NEW}",`],
  [new RegExp(`^( +)"${BESIDE}": (\\[?)".*"(\\]?),$`, "gm"), `$&\n$1"${NEW}": $2"${NAME}"$3,`],
  [
    new RegExp(`^(\\.status)?\\.${BESIDE} \\{\n[^}]*\\}\n`, "gm"),
    `$&\n$1.${NEW} {\n  --tone: light-dark(#5a4a3a, #d8c4a8);\n}\n`,
  ],
  [new RegExp(`, \\.${BESIDE}, `, "g"), `$&.${NEW}, `],
];

/** Adds the status. Returns the files that it stands in. */
async function addStatus(folder: string): Promise<readonly string[]> {
  const changed: string[] = [];
  const sources = globSync(["src/{worker,elements}/**/*.{ts,tsx,css,json}", "src/import/*.ts", "public/assets/*.css"], {
    cwd: folder,
  });
  for (const path of sources) {
    const before = await readFile(join(folder, path), "utf8");
    const after = LINES.reduce((text, [line, lines]) => text.replaceAll(line, lines), before);
    if (after === before) continue;
    await writeFile(join(folder, path), after);
    changed.push(path);
  }
  const schema = await readFile("schema.sql", "utf8");
  const triggers = ["proposal_status_added", "proposal_status_changed"].map((name) => {
    const [sql = ""] = schema.match(new RegExp(`CREATE TRIGGER IF NOT EXISTS ${name} [\\s\\S]*?\nEND;`)) ?? [];
    return `DROP TRIGGER ${name};\n${sql.replace(`'${BESIDE}'`, `'${BESIDE}', '${NEW}'`)}`;
  });
  const step = `migrations/9998_${NEW}.sql`;
  await writeFile(join(folder, step), `${triggers.join("\n")}\n`);
  return [...changed, step, "schema.sql"];
}

describe("a status that is added to a database with ideas and votes", () => {
  let checkout: Awaited<ReturnType<typeof makeCheckout>>;
  let server: DevServer;
  let stage: Stage;
  let port: string;
  let files: readonly string[];
  let bank: Awaited<ReturnType<Stage["ideaBank"]>>;

  const start = async (): Promise<void> => {
    server = await startDev(checkout.folder, "--port", port);
    const printed = (name: string) => server.output.match(new RegExp(`^${name}: (\\S+)$`, "m"))?.[1] ?? "";
    stage = await openStage({
      ...{ api: `http://localhost:${port}`, platform: "", browserAddress },
      apiKey: printed("API key"),
      demoToken: printed("Token"),
    });
  };
  const stop = async (): Promise<void> => {
    await stage?.close();
    await server?.stop();
  };
  const panelist = async <Answer>(method: string, path: string): Promise<Answer> => {
    const response = await fetch(`${stage.api}${path}`, { method, headers: { Authorization: bank.token } });
    expect([path, response.status]).toEqual([path, 200]);
    return JSON.parse(await response.text());
  };
  type Ideas = {
    readonly items: readonly { readonly title: string; readonly votes: number; readonly status: string }[];
  };

  beforeAll(async () => {
    checkout = await makeCheckout();
    port = String(await freePort());
    await start();
    bank = await stage.ideaBank({ name: "Rider ideas" }, [
      { title: "Dogs travel free", description: "", status: "planned" },
      { title: "Night buses", description: "" },
    ]);
    for (const id of bank.ids) await panelist("PUT", `/ideabank/proposals/${id}/vote`);
    const refused = stage.tenant("PATCH", `${bank.path}/proposals/${bank.ids[0]}`, { status: NEW });
    await expect(refused).rejects.toThrow("400");
    await stop();
    files = await addStatus(checkout.folder);
    await start();
  });
  afterAll(async () => {
    await stop();
    await checkout?.remove();
  });

  it("stands in at most ten files", () => {
    expect(files.length, files.join("\n")).toBeLessThanOrEqual(10);
  });

  it("is set, answered and filtered by the API, and no idea and no vote is lost", async () => {
    const path = `${bank.path}/proposals/${bank.ids[0]}`;
    expect(await stage.tenant("PATCH", path, { status: NEW })).toMatchObject({ status: NEW, votes: 1 });
    const all = await panelist<Ideas>("GET", "/ideabank/proposals");
    expect(all.items.map(({ title, votes, status }) => [title, votes, status]).toSorted()).toEqual([
      ["Dogs travel free", 1, NEW],
      ["Night buses", 1, "submitted"],
    ]);
    for (const items of [
      (await panelist<Ideas>("GET", `/ideabank/proposals?status=${NEW}`)).items,
      (await stage.tenant<Ideas>("GET", `${bank.path}/proposals?status=${NEW}`)).items,
    ])
      expect(items.map(({ title }) => title)).toEqual(["Dogs travel free"]);
    await expect(stage.tenant("PATCH", path, { status: "unheard-of" })).rejects.toThrow("400");
  });

  it("is chosen and found at the desk", async () => {
    const { page, complaints } = await openPage(stage);
    await page.goto(`/account/idea-banks${bank.path.replace("/ideabanks", "")}/ideas/${bank.ids[1]}`);
    await page.getByLabel("Status", { exact: true }).selectOption(NAME);
    await page.getByRole("button", { name: "Save", exact: true }).first().click();
    await page.getByText(NAME).first().waitFor();
    await page.goto(`/account/ideas?status=${NEW}`);
    await page.getByRole("link", { name: "Night buses", exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("is shown and filtered by the board, in the visitor's language", async () => {
    const { page, complaints } = await stage.page();
    const script = `<script type="module" src="${stage.api}/embed/board.js"></script>`;
    await page.goto(stage.hostPage(`<idea-bank-board token="${bank.token}"></idea-bank-board>`, { head: script }));
    const idea = page.locator("li", { hasText: "Dogs travel free" });
    await idea.locator(`.status.${NEW}`, { hasText: NAME }).waitFor();
    await page.getByLabel("Show").selectOption(NAME);
    await idea.waitFor();
    expect(complaints).toEqual([]);
  });
});
