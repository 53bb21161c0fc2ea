/** A key's requests over the last 24 hours, admitted and limited apart: an SVG that says in words what it shows. */
import type { ApiKey } from "../../model/account.ts";

const HOUR_MS = 3_600_000;
const HOURS = 24;
const BAR = { width: 10, gap: 3, height: 56 };
const WIDTH = HOURS * (BAR.width + BAR.gap) - BAR.gap;

export const UsageChart = ({ apiKey, now }: { apiKey: ApiKey; now: number }) => {
  const first = now - (now % HOUR_MS) - (HOURS - 1) * HOUR_MS;
  const hours = Array.from({ length: HOURS }, (_, index) => {
    const hour = new Date(first + index * HOUR_MS).toISOString();
    return apiKey.usage.find((count) => count.hour === hour) ?? { hour, admitted: 0, limited: 0 };
  });
  const admitted = hours.reduce((sum, count) => sum + count.admitted, 0);
  const limited = hours.reduce((sum, count) => sum + count.limited, 0);
  const most = Math.max(1, ...hours.map((count) => count.admitted + count.limited));
  const scale = (count: number) => Math.round((count / most) * BAR.height * 10) / 10;
  const summary = `Last 24 hours: ${admitted.toLocaleString("en")} admitted, ${limited.toLocaleString("en")} over the limit`;
  return (
    <figure class="usage">
      <svg viewBox={`0 0 ${WIDTH} ${BAR.height + 1}`} preserveAspectRatio="xMinYMax" role="img" aria-label={summary}>
        {hours.map((count, index) => {
          const [low, high] = [scale(count.admitted), scale(count.limited)];
          const x = index * (BAR.width + BAR.gap);
          return (
            <g>
              <title>{`${count.hour.slice(11, 16)} UTC: ${count.admitted} admitted, ${count.limited} over the limit`}</title>
              <rect class="empty" x={x} y={BAR.height} width={BAR.width} height={1} />
              <rect class="admitted" x={x} y={BAR.height - low} width={BAR.width} height={low} />
              <rect class="limited" x={x} y={BAR.height - low - high} width={BAR.width} height={high} />
            </g>
          );
        })}
      </svg>
      <figcaption>{summary}</figcaption>
    </figure>
  );
};
