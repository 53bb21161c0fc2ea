/** What `npm run simulate` is told is checked: who mistypes the name of an oracle is not told that no promise is broken. */
import { expect, it } from "vitest";
import { runHistories, type Told } from "./run-histories.ts";

it.each<[Told, string]>([
  [{ only: "revokation" }, "There is no oracle revokation. Name one of "],
  [{ profile: "nope" }, "There is no profile nope. Name one of gates, panel, replicas, outage, changes, all."],
  [{ scenario: "nope" }, "There is no scenario nope. Name one of readers, steady-use."],
  [{ seed: "abc" }, "--seed abc: a whole number, such as 7."],
  [{ seed: "1.5" }, "--seed 1.5: a whole number, such as 7."],
  [{ histories: "0" }, "--histories 0: a number above 0, such as 7."],
  [{ minutes: "" }, "--minutes : a number above 0, such as 7."],
])("%j is refused with a sentence", async (told, message) => {
  await expect(runHistories(told)).rejects.toThrow(message);
});
