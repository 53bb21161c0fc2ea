/** The approval queue in a real browser, against `npm run dev`: by keyboard and without JavaScript. */
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { openStage, type Stage } from "../../support/node/element-stage.ts";
import { lookAround } from "../../support/node/look-around.ts";
import { openPage } from "../../support/node/owner-pages.ts";

const shared = inject("stage");

describe("the approval queue in Chromium", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const pending = (title: string) => ({ title, description: `About ${title}.`, visibility: "pending" });

  it.each([true, false])(
    "is worked off by keyboard: approve, hide, answer, merge (JavaScript: %s)",
    async (javaScriptEnabled) => {
      // The page shows the ideas of the whole account: these are told from others by their titles.
      const own = `JavaScript ${javaScriptEnabled}`;
      const named = (title: string) => `${title}, ${own}`;
      const { path, ids } = await stage.ideaBank({ name: "Queue" }, [
        { title: named("Later ferries"), description: "" },
        ...["Ferries at night", "Free money", "Quay lights", "Warm piers"].map(named).map(pending),
      ]);
      const stored = (index: number) => stage.tenant<Record<string, unknown>>("GET", `${path}/proposals/${ids[index]}`);
      const { page, complaints } = await openPage(stage, { javaScriptEnabled });
      const gone = (title: string) =>
        page.getByRole("heading", { name: title, exact: true }).waitFor({ state: "detached" });
      await page.goto("/account/approval");
      await page.getByRole("button", { name: `Approve “${named("Warm piers")}”` }).press("Enter");
      await gone(named("Warm piers"));
      await page.getByRole("button", { name: `Hide “${named("Free money")}”` }).press("Enter");
      await gone(named("Free money"));
      await page.getByRole("link", { name: named("Quay lights"), exact: true }).press("Enter");
      await page.getByLabel("Official response").fill("In spring.");
      await page.getByRole("button", { name: `Approve “${named("Quay lights")}”` }).press("Enter");
      await page.getByRole("heading", { name: "Waiting for approval", exact: true }).waitFor();
      await page.getByRole("link", { name: named("Ferries at night"), exact: true }).press("Enter");
      await page.getByRole("radio", { name: named("Later ferries") }).press("Space");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Waiting for approval", exact: true }).waitFor();
      await page.waitForLoadState();
      await expect.poll(() => page.getByRole("heading", { name: own }).count()).toBe(0);
      expect(await stored(4)).toMatchObject({ visibility: "public" });
      expect(await stored(2)).toMatchObject({ visibility: "hidden" });
      expect(await stored(3)).toMatchObject({ visibility: "public", response: { text: "In spring." } });
      expect(await stored(1)).toMatchObject({ duplicateOf: ids[0] });
      expect(complaints).toEqual([]);
    },
  );

  it("has nothing for axe-core to complain of, in light and dark, wide and narrow; see the screenshots", async () => {
    const { path, ids } = await stage.ideaBank({ name: "Rider ideas" }, [
      { title: "More night buses", description: "" },
      pending("Night buses"),
      { title: `Night buses ${"w".repeat(150)}`, description: "" },
      pending("A long title that goes on and on, so that a line of a narrow screen has no room for it by any means"),
    ]);
    const { page } = await openPage(stage, { bypassCSP: true });
    for (const [name, address] of [
      ["approval", "/account/ideas?visibility=pending"],
      ["review", `/account/idea-banks/${path.split("/").at(-1)}/ideas/${ids[1]}`],
    ] as const) {
      await page.goto(address);
      // Other files of the shared server have ideas of this name, too.
      await page.getByRole("button", { name: "Approve “Night buses”" }).first().waitFor();
      await lookAround(page, name);
    }
    for (const id of ids) await stage.tenant("DELETE", `${path}/proposals/${id}`);
  });
});
