/** The time in the field of a survey's form: of the reader's zone, across the changes of its clocks. */
import { expect, it } from "vitest";
import { closingTime } from "../../../src/worker/account/surveys/closing-time.ts";

const timeOf = (closesAt: string, zone = "") => closingTime(new URLSearchParams({ closesAt, zone }));

it.each([
  ["2026-12-12T18:00", "", "2026-12-12T18:00:00.000Z"],
  ["2026-12-12T18:00", "Europe/Berlin", "2026-12-12T17:00:00.000Z"],
  ["2026-07-12T18:00", "Europe/Berlin", "2026-07-12T16:00:00.000Z"],
  // An hour before the clocks go forward, and an hour after; the same in autumn.
  ["2026-03-29T01:30", "Europe/Berlin", "2026-03-29T00:30:00.000Z"],
  ["2026-03-29T03:30", "Europe/Berlin", "2026-03-29T01:30:00.000Z"],
  ["2026-10-25T01:30", "Europe/Berlin", "2026-10-24T23:30:00.000Z"],
  ["2026-10-25T03:30", "Europe/Berlin", "2026-10-25T02:30:00.000Z"],
  ["2026-01-01T00:15", "Pacific/Auckland", "2025-12-31T11:15:00.000Z"],
  ["2026-01-01T00:15", "Asia/Kolkata", "2025-12-31T18:45:00.000Z"],
])("%s in “%s” is %s", (local, zone, time) => expect(timeOf(local, zone)).toBe(time));

it("is no time in an empty field, and what was typed where it is none", () => {
  expect(timeOf("")).toBeNull();
  expect(timeOf("soon", "Europe/Berlin")).toBe("soon");
});
