/** A status has one color: on the owners' pages as in the elements, whose styles are built apart. */
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { PROPOSAL_STATUSES } from "../../src/worker/model/proposal.ts";

it("each status has the color of the elements on the owners' pages", async () => {
  const [board, pages] = await Promise.all(
    ["src/elements/board/board.css", "public/assets/account.css"].map((file) => readFile(file, "utf8")),
  );
  const toneOf = (css = "", selector: string) =>
    css.split(`\n${selector} {`)[1]?.match(/--tone: ([^;]+);/)?.[1] ?? `none of ${selector}`;
  for (const status of PROPOSAL_STATUSES)
    expect([status, toneOf(pages, `.status.${status}`)]).toEqual([
      status,
      toneOf(board, status === "submitted" ? ".status" : `.${status}`),
    ]);
});
