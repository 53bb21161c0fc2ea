/** A link in what people write is a link, in both elements; and nothing else is made of it. */
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { ask, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const text = (name: string) => `Before (https://example.com/${name}?a=1&b="2"), <b>after</b>\njavascript:alert(1)`;
const url = (name: string) => `https://example.com/${name}?a=1&b=`;

describe("links in the elements", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  it("are in descriptions, comments, responses and changelog entries, and lead out of the page", async () => {
    const bank = await stage.ideaBank({}, [{ title: "Dogs", description: text("idea"), status: "implemented" }]);
    const path = `${bank.path}/proposals/${bank.ids[0]}`;
    await stage.tenant("PATCH", path, { response: { text: text("response") } });
    await stage.tenant("POST", `${path}/comments`, { body: text("comment") });
    const { page, complaints } = await stage.page();
    const head = ["board", "changelog"]
      .map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`)
      .join("");
    const tags = `<idea-bank-changelog token="${bank.token}"></idea-bank-changelog>
      <idea-bank-board token="${bank.token}" proposal="${bank.ids[0]}"></idea-bank-board>`;
    await page.goto(stage.hostPage(tags, { head, headers: stage.strictPolicy }));
    await page.locator(".comment").waitFor();
    const attributes = "[element.href, element.textContent, element.rel, element.target]";
    for (const [place, name] of [
      ["idea-bank-changelog .prose", "idea"],
      [".content > .prose", "idea"],
      [".response .prose", "response"],
      [".comment .prose", "comment"],
    ] as const) {
      await expect
        .poll(() => ask(page.locator(`${place} a`), attributes))
        .toEqual([url(name), url(name), "nofollow ugc noopener", "_blank"]);
      await expect.poll(() => page.locator(place).textContent()).toBe(text(name));
    }
    await expect.poll(() => page.locator(".prose *").count()).toBe(4);
    await expectAccessible(page, "links");
    expect(complaints).toEqual([]);
  });

  it("stay a text for the author who edits", async () => {
    const bank = await stage.ideaBank({}, [{ title: "Dogs", description: "" }]);
    const { page } = await stage.page();
    const head = `<script type="module" src="${stage.api}/embed/board.js"></script>`;
    const tag = `<idea-bank-board token="${bank.token}" proposal="${bank.ids[0]}"></idea-bank-board>`;
    await page.goto(stage.hostPage(tag, { head, headers: stage.strictPolicy }));
    await page.getByLabel("Add a comment").fill("See https://example.com/a.");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByRole("link", { name: "https://example.com/a" }).waitFor();
    await page.locator(".comment").getByRole("button", { name: "Edit" }).click();
    await expect.poll(() => page.getByLabel("Your comment").inputValue()).toBe("See https://example.com/a.");
    await page.getByLabel("Your comment").fill("See http://example.com/b");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: "http://example.com/b" }).waitFor();
    await expect.poll(() => page.locator(".comment .prose").textContent()).toBe("See http://example.com/b");
  });
});
