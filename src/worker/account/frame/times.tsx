/** Times in words, with the exact time on hover. With JavaScript they are in the reader's time zone, without it in UTC. */

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** "3 minutes ago", "in 2 days"; `now` is in Unix milliseconds. */
export function relativeTime(timestamp: string, now: number): string {
  const seconds = (Date.parse(timestamp) - now) / 1000;
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  if (unit === "second") return seconds > 0 ? "in less than a minute" : "less than a minute ago";
  return new Intl.RelativeTimeFormat("en").format(Math.round(seconds / size), unit);
}

export const exactTime = (timestamp: string): string => `${timestamp.slice(0, 19).replace("T", " ")} UTC`;

/** "Nov 27, 2026", of UTC. */
export const dayOf = (time: number): string =>
  new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" }).format(time);

export const Time = ({ at, now }: { at: string; now: number }) => (
  <time datetime={at} title={exactTime(at)}>
    {relativeTime(at, now)}
  </time>
);

/** An hour of the day. */
export const Clock = ({ at }: { at: string }) => (
  <time datetime={at} data-clock>
    {`${at.slice(11, 16)} UTC`}
  </time>
);
