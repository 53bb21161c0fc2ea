/** Times in words, with the exact time on hover. With JavaScript they are in the reader's time zone, without it in UTC. */
import { useFrame } from "./frame.ts";

const MONTH_SECONDS = 30 * 86_400;
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** "3 minutes ago", "in 2 days", and a date for what is longer ago than a month, as on the board. `now` is in Unix milliseconds. */
export function relativeTime(timestamp: string, now: number): string {
  const seconds = (Date.parse(timestamp) - now) / 1000;
  if (seconds < -MONTH_SECONDS) return dayOf(Date.parse(timestamp));
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  const count = seconds < 0 ? Math.trunc(seconds / size) : Math.round(seconds / size);
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(count || 0, unit);
}

export const exactTime = (timestamp: string): string => `${timestamp.slice(0, 19).replace("T", " ")} UTC`;

/** "Nov 27, 2026, 14:05 UTC". */
export const timeInWords = (timestamp: string): string =>
  `${dayOf(Date.parse(timestamp))}, ${timestamp.slice(11, 16)} UTC`;

/** "Nov 27, 2026", of UTC. */
export const dayOf = (time: number): string =>
  new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" }).format(time);

/** `now`, by default when the page is made. */
export const Time = ({ at, now = useFrame().now }: { at: string; now?: number }) => (
  <time datetime={at} title={exactTime(at)}>
    {relativeTime(at, now)}
  </time>
);

type ZonedProps = { readonly at: string; readonly look?: "long" | "medium" };

/** "December 12, 2026 at 17:00 (UTC)": when something is going to be. */
export const ZonedTime = ({ at, look = "long" }: ZonedProps) => (
  <time datetime={at} data-zoned={look}>
    {`${new Intl.DateTimeFormat("en", { dateStyle: look, timeStyle: "short", hourCycle: "h23", timeZone: "UTC" }).format(Date.parse(at))} (UTC)`}
  </time>
);

/** An hour of the day. */
export const Clock = ({ at }: { at: string }) => (
  <time datetime={at} data-clock>
    {`${at.slice(11, 16)} UTC`}
  </time>
);
