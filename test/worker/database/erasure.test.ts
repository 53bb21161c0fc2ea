/** Every column that can hold a person's words is known. erasure.slow.test.ts fills and erases them. */
import { expect, it } from "vitest";
import { NONE, PLACES, textColumns } from "../../support/places-of-words.ts";

it("each column of a text is on the list: who may hold a panelist's words, and how a deletion reaches them", async () => {
  expect([...Object.keys(PLACES), ...NONE].toSorted()).toEqual((await textColumns()).toSorted());
});
