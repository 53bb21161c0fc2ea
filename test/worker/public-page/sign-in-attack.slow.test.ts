/** The part of the attack on the sign-in of a board's page (sign-in-attack.test.ts) that takes a while. */
import { expect, it } from "vitest";
import { LIMITS } from "../../../src/worker/database/pages/sign-in-codes.ts";
import { codeIn, createSignInScene, newEmail, wrong } from "../../support/page-visitor.ts";

const sender = (index: number) => `2001:db8:${index.toString(16)}::1`;
const times = <Answer>(count: number, act: (index: number) => Answer) =>
  Array.from({ length: count }, (_, index) => act(index));

it("guessing a code from 1,000 addresses at once, with the cookie of the browser that asked: five guesses reach the code", async () => {
  const { visitor: newVisitor, mails, rows } = await createSignInScene();
  const owner = newVisitor();
  await owner.ask(newEmail());
  const code = codeIn(mails[0]);
  const guesses = times(1_000, (index) => {
    const guesser = newVisitor(sender(index));
    guesser.cookies = { ...owner.cookies };
    return guesser.enter(wrong(code, index + 1));
  });
  expect(new Set((await Promise.all(guesses)).map(({ status }) => status))).toEqual(new Set([200]));
  expect(await rows("SELECT tries FROM sign_in_codes")).toEqual([{ tries: LIMITS.triesOfCode }]);
  expect((await owner.enter(code)).status).toBe(200);
  expect(owner.page).toContain("Too many tries.");
  expect(await rows("SELECT 1 FROM panelists WHERE email IS NOT NULL")).toEqual([]);
});
