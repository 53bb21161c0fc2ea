/** What members are told of ideas by e-mail, and when a day's e-mail is due: at an hour of the member's own day. Pure. */

export const MAIL_MODES = ["now", "daily", "never"] as const;
export type MailMode = (typeof MAIL_MODES)[number];
export const isMailMode = (text: string): text is MailMode => (MAIL_MODES as readonly string[]).includes(text);

/** What a member chooses for. */
export const MAIL_KINDS = ["ideas", "comments"] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

export const STANDARD_HOUR = 8;
const UTC = "UTC";

const [QUARTER_MS, HOUR_MS, DAY_MS] = [900_000, 3_600_000, 86_400_000];
/** A day has at most 25 hours. A zone that crosses the date line skips one. */
const QUARTERS = (2 * DAY_MS + HOUR_MS) / QUARTER_MS;

const clockOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en", {
    ...{ timeZone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric" },
  });

/** Undefined for a text that names no zone. */
function findClock(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return clockOf(timeZone);
  } catch {
    return undefined;
  }
}

/** An IANA name, such as `Europe/Berlin`. Offsets are refused: they know no summer. */
export const isTimeZone = (text: string): boolean =>
  text.length <= 64 && /^[A-Za-z]/.test(text) && findClock(text) !== undefined;

/** The zones to choose from. */
export const timeZones = (): readonly string[] => [
  UTC,
  ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== UTC),
];

/** What the clock on the wall shows at this time, as if it showed UTC. */
function wallClock(clock: Intl.DateTimeFormat, at: number): number {
  const parts = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  const shown = new Date(0);
  shown.setUTCFullYear(year, month - 1, day);
  return shown.setUTCHours(hour, minute);
}

/**
 * The next time (Unix milliseconds) at which a day of the zone reaches the hour. Each day has one: where the clock skips the hour, when it has
 * skipped it, and where the hour comes twice, the first. An unknown zone is UTC.
 */
export function nextDigestAt(
  now: number,
  { timeZone, hour }: { readonly timeZone: string | null; readonly hour: number },
): number {
  const clock = (timeZone !== null && findClock(timeZone)) || clockOf(UTC);
  /** The number of the last day that has reached the hour. Every zone's clock strikes, and changes, at a quarter of an hour of UTC. */
  const reached = (at: number) => Math.floor((wallClock(clock, at) - hour * HOUR_MS) / DAY_MS);
  const first = Math.floor(now / QUARTER_MS);
  const today = reached(now);
  let [before, from] = [0, QUARTERS];
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (reached((first + middle) * QUARTER_MS) > today) from = middle;
    else before = middle;
  }
  return (first + from) * QUARTER_MS;
}
