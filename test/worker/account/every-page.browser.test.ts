/**
 * Each page of Account Settings in a real browser, the pages being what its routes say: for axe-core, on a phone, in the dark, and
 * without JavaScript. There are screenshots of all in `test-results/`.
 */
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { type DeskIds, fillDesk, type SendJson } from "../../support/desk-account.ts";
import { addressOfPage, DESK_PAGES, SIGN_IN } from "../../support/desk-pages.ts";
import { openStage, type Stage } from "../../support/node/element-stage.ts";
import { lookAround } from "../../support/node/look-around.ts";
import { openPage } from "../../support/node/owner-pages.ts";

const shared = inject("stage");

/** Shown in frames of the pages Embed and Public page, which have the headings. */
const FRAMED = ["/account/idea-banks/:ideaBankId/preview", "/account/idea-banks/:ideaBankId/public-page/preview"];

/**
 * What sends a form, and is in no window that its own button opens: without a script nobody can press it. A hidden one may say what
 * Enter does, if a button of its form that can be seen does the same.
 */
const HIDDEN_BUTTONS = `(() => {
  for (const details of document.querySelectorAll("details")) details.open = true;
  const isSeen = (button) => button.checkVisibility({ visibilityProperty: true });
  const doesTheSame = (button) => (other) => other.name === button.name && other.value === button.value && isSeen(other);
  return [...document.querySelectorAll("form button, button[form]")]
    .filter((button) => button.type === "submit" && !button.closest("[popover]") && !isSeen(button))
    .filter((button) => ![...button.form.querySelectorAll("button")].some(doesTheSame(button)))
    .map((button) => button.outerHTML);
})()`;

/** What only a script makes work. A preview of another page is there to be looked at. */
const DEAD_BUTTONS = `[...document.querySelectorAll("button:not([inert] *)")]
  .filter((button) => button.type !== "submit" && !button.popoverTargetElement && !button.commandForElement && button.checkVisibility())
  .map((button) => button.outerHTML)`;

describe("each page of Account Settings in Chromium", () => {
  let stage: Stage;
  let ids: DeskIds;

  const asOwner: SendJson = async <Answer>(method: string, path: string, body?: object) => {
    const init = { method, headers: { "Content-Type": "application/json" }, body: body ? JSON.stringify(body) : null };
    const response = await fetch(`${stage.api}/account/api${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return JSON.parse((await response.text()) || "{}") as Answer;
  };

  beforeAll(async () => {
    stage = await openStage(shared);
    ids = await fillDesk({ asOwner, asTenant: stage.tenant }, "each");
  });
  afterEach(() => stage?.closePages());
  afterAll(async () => {
    if (ids !== undefined) {
      await stage.tenant("DELETE", `/ideabanks/${ids.ideaBankId}`);
      await stage.tenant("DELETE", `/panelists/${ids.panelistId}`);
      await asOwner("DELETE", `/keys/${ids.apiKeyId}`);
      await asOwner("DELETE", `/webhooks/${ids.webhookId}`);
      await asOwner("DELETE", `/members/${ids.memberId}`);
    }
    await stage?.close();
  });

  it.each(DESK_PAGES.filter((path) => !FRAMED.includes(path)))(
    "%s can be read and used: wide and on a phone, in the dark, with a screen reader",
    async (path) => {
      const { page, complaints } = await openPage(stage, { bypassCSP: true });
      await page.goto(addressOfPage(path, ids), { referer: `${stage.api}/account/ideas` });
      await lookAround(page, `page${path.slice("/account".length).replace(/\W+/g, "-")}`);
      // Whoever has no link to sign in with sees a page, too.
      if (path !== SIGN_IN) expect(complaints).toEqual([]);
    },
  );

  it("each shows what it has without JavaScript, and each of its buttons does something", async () => {
    const { page } = await openPage(stage, { javaScriptEnabled: false });
    for (const path of DESK_PAGES) {
      await page.goto(addressOfPage(path, ids), { referer: `${stage.api}/account/ideas` });
      for (const buttons of [HIDDEN_BUTTONS, DEAD_BUTTONS])
        await expect.poll(() => page.evaluate(buttons), { message: path }).toEqual([]);
    }
  });
});
