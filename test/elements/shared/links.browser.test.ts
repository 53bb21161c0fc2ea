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
    await expect.poll(() => page.locator(".prose *").count()).toBe(8);
    await expectAccessible(page, "links");
    expect(complaints).toEqual([]);
  });

  it("stand among light formatting, made of elements; what is not understood stays as typed", async () => {
    const description =
      "**Bold**, *italic* and `code`\n\n- one\n- [two](https://example.com/two)\n\n> said\n\n3. three\n\n" +
      "# no heading <img src=x onerror=alert(1)> [x](javascript:alert(1)) ![y](https://example.com/y.png)";
    const bank = await stage.ideaBank({}, [{ title: "Dogs", description, status: "implemented" }]);
    const { page, complaints } = await stage.page();
    const head = ["board", "changelog"]
      .map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`)
      .join("");
    const tags = `<idea-bank-changelog token="${bank.token}"></idea-bank-changelog>
      <idea-bank-board token="${bank.token}" proposal="${bank.ids[0]}"></idea-bank-board>`;
    await page.goto(stage.hostPage(tags, { head, headers: stage.strictPolicy }));
    for (const place of ["idea-bank-changelog .prose", ".content > .prose"]) {
      const made = "[...element.querySelectorAll('*')].map((each) => each.localName + ':' + each.textContent)";
      await expect
        .poll(() => ask<string[]>(page.locator(place), made))
        .toEqual([
          ...["p:Bold, italic and code", "strong:Bold", "em:italic", "code:code"],
          ...["ul:onetwo", "li:one", "li:two", "a:two", "blockquote:said", "ol:three", "li:three"],
          "p:# no heading <img src=x onerror=alert(1)> [x](javascript:alert(1)) !y",
          "a:y",
        ]);
      await expect.poll(() => ask(page.locator(`${place} ol`), "element.start")).toBe(3);
    }
    await expectAccessible(page, "formatting");
    // In a list, its first line without marks.
    const list = await stage.page();
    const board = `<idea-bank-board token="${bank.token}"></idea-bank-board>`;
    await list.page.goto(stage.hostPage(board, { head, headers: stage.strictPolicy }));
    await expect.poll(() => list.page.locator(".excerpt").textContent()).toBe("Bold, italic and code");
    expect([...complaints, ...list.complaints]).toEqual([]);
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
