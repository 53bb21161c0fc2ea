/** The time at which a survey closes, in a field: a date and a time of a zone. The script sets the reader's zone; without it, it is UTC. */

type Fields = Pick<URLSearchParams, "get">;

/** What the clocks of the zone show at this time, as if it were UTC. Throws a RangeError for an unknown zone. */
function clockAt(time: number, timeZone: string): number {
  const options = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
  const parts = new Intl.DateTimeFormat("en-US", {
    ...options,
    timeZone,
    hourCycle: "h23",
    era: undefined,
  }).formatToParts(time);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((each) => each.type === type)?.value);
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"));
}

export const isZone = (timeZone: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false;
  }
};

/** The time as the API takes it; null for an empty field, and what was sent where it is none. */
export function closingTime(fields: Fields): string | null {
  const local = fields.get("closesAt")?.trim() ?? "";
  if (local === "") return null;
  const wanted = Date.parse(`${local}Z`);
  if (Number.isNaN(wanted)) return local;
  const zone = fields.get("zone") ?? "";
  if (zone === "" || !isZone(zone)) return new Date(wanted).toISOString();
  const offsetAt = (time: number) => clockAt(time, zone) - (time - (time % 60_000));
  // The offset at the time that it would be without one may be that of the other side of a change of the clocks.
  const near = wanted - offsetAt(wanted);
  return new Date(wanted - offsetAt(near)).toISOString();
}

/** As the field shows it, in UTC. */
export const toField = (closesAt: string | null): string => closesAt?.slice(0, 16) ?? "";
