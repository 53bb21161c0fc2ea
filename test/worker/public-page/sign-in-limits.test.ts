/** The limits of signing in are those that the documents name. */
import { expect, it } from "vitest";
import { FIRST_HOUR } from "../../../src/worker/database/pages/new-people.ts";
import { LIMITS } from "../../../src/worker/database/pages/sign-in-codes.ts";

const documents = import.meta.glob<string>("../../../docs/{security,pages}.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

const cellsOf = (document: string, beginning: string) =>
  new RegExp(`^\\| ${beginning}[^|]*\\|([^|]*)\\|`, "m")
    .exec(documents[`../../../docs/${document}.md`] ?? "")?.[1]
    ?.trim();

it("docs/security.md has each of them", () => {
  const rows = {
    "e-mails to a mailbox, for one account": LIMITS.mailbox,
    "of those, for one sender": LIMITS.mailboxOfSender,
    "e-mails for one sender, for all boards": LIMITS.sender,
    "e-mails of a board ": LIMITS.board,
    "e-mails of a board, for browsers that were signed in": LIMITS.boardOfKnown,
    "codes entered for a mailbox": LIMITS.tries,
    "of those, for e-mails of one sender": LIMITS.triesOfSender,
    "codes entered for one e-mail": LIMITS.triesOfCode,
  };
  for (const [row, most] of Object.entries(rows))
    expect([row, cellsOf("security", row)]).toEqual([row, most.toLocaleString("en")]);
  expect(Object.keys(rows)).toHaveLength(Object.keys(LIMITS).length);
  expect(cellsOf("security", "ideas, comments of somebody new")).toBe(
    `${FIRST_HOUR.proposals}, ${FIRST_HOUR.comments}`,
  );
});

it("docs/pages.md has those that people meet", () => {
  expect(cellsOf("pages", "e-mails to a mailbox")).toBe(
    `${LIMITS.mailbox}, of which one sender asks for ${LIMITS.mailboxOfSender}`,
  );
  expect(cellsOf("pages", "e-mails for one sender")).toBe(String(LIMITS.sender));
  expect(cellsOf("pages", "e-mails of a board")).toBe(LIMITS.board.toLocaleString("en"));
  expect(cellsOf("pages", "tries of a code")).toBe(String(LIMITS.triesOfCode));
  expect(cellsOf("pages", "what somebody new writes")).toBe(
    `${FIRST_HOUR.proposals} ideas, ${FIRST_HOUR.comments} comments`,
  );
});

it("tries never reach their limit before the codes of a sender and a mailbox do: nobody’s own tries are taken by others", () => {
  expect(LIMITS.tries).toBe(LIMITS.mailbox * LIMITS.triesOfCode);
  expect(LIMITS.triesOfSender).toBe(LIMITS.mailboxOfSender * LIMITS.triesOfCode);
});
