/** A day's e-mail by the member's own clock: each day has one, whatever the clocks do. */
import { describe, expect, it } from "vitest";
import { isTimeZone, nextDigestAt, timeZones } from "../../../src/worker/model/member-mails.ts";

const at = (text: string) => Date.parse(text);
const next = (now: string, timeZone: string | null, hour: number) =>
  new Date(nextDigestAt(at(now), { timeZone, hour })).toISOString();
const localDay = (time: number, timeZone: string) => new Date(time).toLocaleDateString("sv-SE", { timeZone });
const localHour = (time: number, timeZone: string) =>
  new Date(time).toLocaleTimeString("sv-SE", { timeZone, hour: "2-digit", minute: "2-digit" });

describe("the next digest", () => {
  it.each([
    ["today, before the hour", "2027-01-10T06:59:59Z", "Europe/Berlin", 8, "2027-01-10T07:00:00.000Z"],
    ["tomorrow, from the hour on", "2027-01-10T07:00:00Z", "Europe/Berlin", 8, "2027-01-11T07:00:00.000Z"],
    [
      "an hour earlier in UTC when summer begins",
      "2027-03-27T08:00:00Z",
      "Europe/Berlin",
      8,
      "2027-03-28T06:00:00.000Z",
    ],
    ["an hour later when it ends", "2027-10-30T08:00:00Z", "Europe/Berlin", 8, "2027-10-31T07:00:00.000Z"],
    ["after an hour that the clock skips", "2027-03-27T12:00:00Z", "Europe/Berlin", 2, "2027-03-28T01:00:00.000Z"],
    ["at the first of two hours", "2027-10-30T12:00:00Z", "Europe/Berlin", 2, "2027-10-31T00:00:00.000Z"],
    ["not again at the second", "2027-10-31T00:00:00Z", "Europe/Berlin", 2, "2027-11-01T01:00:00.000Z"],
    ["14 hours ahead, on its own day", "2027-01-10T18:30:00Z", "Pacific/Kiritimati", 8, "2027-01-11T18:00:00.000Z"],
    ["8 hours behind", "2027-01-10T15:00:00Z", "America/Los_Angeles", 8, "2027-01-10T16:00:00.000Z"],
    ["in a zone of quarters", "2027-01-10T00:00:00Z", "Asia/Kathmandu", 8, "2027-01-10T02:15:00.000Z"],
    ["of an unknown zone, in UTC", "2027-01-10T09:00:00Z", "Middle/Earth", 8, "2027-01-11T08:00:00.000Z"],
    ["of a zone that was not chosen, in UTC", "2027-01-10T07:00:00Z", null, 8, "2027-01-10T08:00:00.000Z"],
  ] as const)("is %s", (_, now, timeZone, hour, expected) => {
    expect(next(now, timeZone, hour)).toBe(expected);
  });

  it.each([
    ...[
      "Europe/Berlin",
      "America/Los_Angeles",
      "Pacific/Kiritimati",
      "Australia/Lord_Howe",
      "America/Santiago",
      "Africa/Cairo",
    ],
    ...["Pacific/Chatham", "UTC"],
  ])("comes once on each day of a year, and not before its hour: %s", { tags: "slow" }, (timeZone) => {
    for (const hour of [0, 2]) {
      const end = at("2028-01-01T00:00:00Z");
      let time = nextDigestAt(at("2027-01-01T12:00:00Z"), { timeZone, hour });
      for (let day = localDay(time, timeZone); time < end; ) {
        const following = nextDigestAt(time, { timeZone, hour });
        const nextDay = localDay(following, timeZone);
        expect([timeZone, hour, nextDay]).toEqual([
          timeZone,
          hour,
          localDay(at(`${day}T12:00:00Z`) + 86_400_000, "UTC"),
        ]);
        const clock = localHour(following, timeZone);
        const isLater = clock > `${String(hour).padStart(2, "0")}:00`;
        // Only where the clock skipped the hour.
        if (isLater)
          expect(localHour(following - 60_000, timeZone) < `${String(hour).padStart(2, "0")}:00` || hour === 0).toBe(
            true,
          );
        expect(clock >= `${String(hour).padStart(2, "0")}:00`).toBe(true);
        [time, day] = [following, nextDay];
      }
    }
  });
});

it("a zone is an IANA name: no offset, nothing made up", () => {
  for (const zone of ["UTC", "Europe/Berlin", "Asia/Calcutta", "Pacific/Kiritimati"])
    expect(isTimeZone(zone)).toBe(true);
  for (const zone of ["", "+02:00", "Middle/Earth", "Europe/Berlin\n", "x".repeat(100)])
    expect(isTimeZone(zone)).toBe(false);
  expect(timeZones()).toContain("Europe/Berlin");
  expect(timeZones().filter((zone) => zone === "UTC")).toHaveLength(1);
});
