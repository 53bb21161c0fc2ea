/**
 * A key's requests over the last 24 hours or 30 days, admitted and over the limit, as bars with an axis, a total, and each hour's
 * numbers.
 */

import type { Child } from "hono/jsx";
import type { ApiKey, HourlyCount } from "../../model/account-key.ts";
import { useFrame } from "../frame/frame.ts";
import { Clock, Time } from "../frame/times.tsx";
import { number } from "../frame/words.ts";

const HOUR_MS = 3_600_000;
const HOURS = 24;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 30;
/** Bars are drawn in percent of the axis. A bar that is not zero has at least this height, so that it is visible. */
const LEAST = 2;

type Props = { readonly apiKey: ApiKey };
type Counts = Pick<HourlyCount, "admitted" | "limited">;

export const UsageChart = ({ apiKey }: Props) => {
  const hours = spans(HOURS, HOUR_MS, useFrame().now).map(
    (hour) => apiKey.usage.find((count) => count.hour === hour) ?? { hour, admitted: 0, limited: 0 },
  );
  const { admitted, limited } = sumOf(hours);
  if (admitted + limited === 0) return <Unused lastUsedAt={apiKey.lastUsedAt} />;
  return <Chart bars={hours} in="24 hours" every={6} label={({ hour }) => <Clock at={hour} />} />;
};

/** By day of UTC. Renders nothing when the key was not used. */
export const DayChart = ({ usage }: { usage: readonly HourlyCount[] }) => {
  const days = spans(DAYS, DAY_MS, useFrame().now).map((start) => {
    const day = start.slice(0, 10);
    return { day, ...sumOf(usage.filter(({ hour }) => hour.startsWith(day))) };
  });
  const { admitted, limited } = sumOf(days);
  if (admitted + limited === 0) return null;
  return <Chart bars={days} in="30 days (UTC)" every={8} label={({ day }) => <Day day={day} />} />;
};

const Day = ({ day }: { day: string }) => <time datetime={day}>{day.slice(5)}</time>;

/** The beginnings of the last `count` spans of `spanMs` milliseconds, in UTC. */
const spans = (count: number, spanMs: number, now: number): string[] =>
  Array.from({ length: count }, (_, index) =>
    new Date(now - (now % spanMs) - (count - 1 - index) * spanMs).toISOString(),
  );

const sumOf = (counts: readonly Counts[]): Counts => ({
  admitted: counts.reduce((sum, count) => sum + count.admitted, 0),
  limited: counts.reduce((sum, count) => sum + count.limited, 0),
});

type ChartProps<Each extends Counts> = {
  readonly bars: readonly Each[];
  readonly in: string;
  /** There is one label for this many bars. */
  readonly every: number;
  readonly label: (bar: Each) => Child;
};

function Chart<Each extends Counts>({ bars, in: span, every, label }: ChartProps<Each>) {
  const { admitted, limited } = sumOf(bars);
  const top = roundUp(Math.max(1, ...bars.map((count) => count.admitted + count.limited)));
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(LEAST, Math.round((count / top) * 1000) / 10));
  return (
    <figure class="usage">
      <figcaption>
        <span>
          <strong>{number(admitted + limited)}</strong>
          {` in ${span}`}
        </span>
        <span class="legend admitted">{`${number(admitted)} admitted`}</span>
        <span class="legend limited">{`${number(limited)} over the limit`}</span>
      </figcaption>
      <div class="plot" aria-hidden="true">
        <div class="scale">
          {[top, top / 2, 0].map((value) => (
            <span>{value.toLocaleString("en", { notation: "compact" })}</span>
          ))}
        </div>
        <div class="bars">
          {bars.map((count) => (
            <div>
              <Bar low={heightOf(count.admitted)} high={heightOf(count.limited)} />
              <span class="tip">
                {label(count)}
                {`: ${number(count.admitted)} admitted, ${number(count.limited)} over the limit`}
              </span>
            </div>
          ))}
        </div>
        <div class="hours">{bars.map((bar, index) => index % every === 0 && label(bar))}</div>
      </div>
    </figure>
  );
}

/** The requests over the limit are stacked on the admitted ones. */
const Bar = ({ low, high }: { low: number; high: number }) => (
  <svg viewBox="0 0 1 100" preserveAspectRatio="none" aria-hidden="true">
    <rect class="admitted" y={100 - low} width={1} height={low} />
    <rect class="limited" y={Math.max(0, 100 - low - high)} width={1} height={high} />
  </svg>
);

/** 2, 4, 6, 8 or 10 times a power of ten, so that half of it is round too. */
function roundUp(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return [2, 4, 6, 8, 10].map((factor) => factor * power).find((top) => top >= most) ?? most;
}

const Unused = ({ lastUsedAt }: { lastUsedAt: string | null }) => (
  <div class="usage unused">
    <p>
      <strong>{lastUsedAt ? "No requests in the last 24 hours" : "Not used yet"}</strong>
    </p>
    {lastUsedAt ? (
      <p>
        Last request <Time at={lastUsedAt} />. Revoke keys you no longer use.
      </p>
    ) : (
      <p>
        Send the key in the header <code>X-API-Key</code>. The first requests are seen here within a minute.
      </p>
    )}
  </div>
);
