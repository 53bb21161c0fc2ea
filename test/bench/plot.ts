/** Plots as SVG. Each has a background of its own: the page around it may be dark where the reader's system is light. */

const WIDTH = 760;
const FONT = "font-family='system-ui, sans-serif' font-size='13'";
const COLORS = { ours: "#e8710a", limit: "#9aa0a6", peer: "#4285f4" };

export type Bar = {
  readonly label: string;
  readonly value: number;
  /** A thin line goes on from the value to here. */
  readonly until?: number;
  readonly text: string;
  readonly kind: keyof typeof COLORS;
};
/** `scale` is the value of the longest possible bar, of groups that are read side by side. */
export type BarGroup = { readonly title: string; readonly scale?: number; readonly bars: readonly Bar[] };

/** Horizontal bars from zero, each group on a scale of its own. */
export function plotBars(title: string, groups: readonly BarGroup[]): string {
  const left = 340;
  const row = 24;
  const parts: string[] = [];
  let y = 10;
  for (const { title: heading, scale, bars } of groups) {
    const longest = (scale ?? Math.max(...bars.map(({ value, until = value }) => until))) || 1;
    y += row;
    parts.push(text(8, y - 6, heading, "font-weight='600'"));
    for (const { label, value, until = value, text: caption, kind } of bars) {
      const toWidth = (length: number) => Math.max(1, ((WIDTH - left - 110) * length) / longest);
      const [width, end] = [toWidth(value), toWidth(until)];
      parts.push(text(left - 8, y + 16, label, "text-anchor='end'"));
      parts.push(
        `<rect x='${left}' y='${y + 3}' width='${width.toFixed(1)}' height='${row - 7}' rx='2' fill='${COLORS[kind]}'/>`,
      );
      if (end > width) {
        parts.push(
          `<rect x='${left}' y='${y + 10}' width='${end.toFixed(1)}' height='3' fill='${COLORS[kind]}' fill-opacity='0.6'/>`,
        );
      }
      parts.push(text(left + end + 6, y + 16, caption));
      y += row;
    }
    y += 8;
  }
  return frame(title, y + 8, parts);
}

export type Line = {
  readonly label: string;
  readonly kind: keyof typeof COLORS;
  readonly points: readonly (readonly [number, number])[];
};

/** Lines over one horizontal scale, from zero; labels stand at their ends. */
export function plotLines(title: string, lines: readonly Line[], horizontal: string, vertical: string): string {
  const height = 320;
  const box = { left: 60, top: 24, right: WIDTH - 170, bottom: height - 44 };
  const points = lines.flatMap((line) => line.points);
  const maxX = Math.max(...points.map(([x]) => x));
  const step = niceStep(Math.max(...points.map(([, y]) => y)) / 5);
  const maxY = Math.ceil(Math.max(...points.map(([, y]) => y)) / step) * step;
  const toX = (x: number) => box.left + ((box.right - box.left) * x) / maxX;
  const toY = (y: number) => box.bottom - ((box.bottom - box.top) * y) / maxY;
  const parts: string[] = [text(8, 14, vertical), text(box.right, height - 8, horizontal, "text-anchor='end'")];
  for (let y = 0; y <= maxY; y += step) {
    parts.push(
      `<line x1='${box.left}' x2='${box.right}' y1='${toY(y)}' y2='${toY(y)}' stroke='#9aa0a6' stroke-opacity='0.35'/>`,
    );
    parts.push(text(box.left - 8, toY(y) + 4, String(y), "text-anchor='end'"));
  }
  for (const share of [0, 0.5, 1]) {
    parts.push(text(toX(maxX * share), box.bottom + 18, (maxX * share).toLocaleString("en"), "text-anchor='middle'"));
  }
  for (const { label, kind, points: own } of lines) {
    const path = own.map(([x, y]) => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`).join(" ");
    parts.push(`<polyline points='${path}' fill='none' stroke='${COLORS[kind]}' stroke-width='2.5'/>`);
    const last = own.at(-1);
    if (last !== undefined) parts.push(text(toX(last[0]) + 8, toY(last[1]) + 4, label));
  }
  return frame(title, height, parts);
}

/** What was answered to the requests of one second, and how long the slowest took. */
export type AnsweredSecond = Readonly<Record<keyof typeof ANSWERS, number>> & { readonly longestMs: number };
export type Strip = { readonly label: string; readonly seconds: readonly AnsweredSecond[] };

const ANSWERS = { ok: "#34a853", memory: "#4285f4", refused: "#ea4335", none: "#5f6368" };
const ANSWER_NAMES = { ok: "200", memory: "200, no store called", refused: "503", none: "no answer" };

/** One strip below the other over one time: the answers of each second, and above them how long the slowest took. */
export function plotSeconds(title: string, strips: readonly Strip[]): string {
  const box = { left: 56, right: WIDTH - 12 };
  const [bars, waits, gap] = [44, 44, 34];
  const count = Math.max(...strips.map(({ seconds }) => seconds.length));
  const width = (box.right - box.left) / count;
  const longest = Math.max(1_000, ...strips.flatMap(({ seconds }) => seconds.map(({ longestMs }) => longestMs)));
  const parts: string[] = [];
  let left = 8;
  for (const [kind, color] of Object.entries(ANSWERS)) {
    const name = ANSWER_NAMES[kind as keyof typeof ANSWERS];
    parts.push(`<rect x='${left}' y='8' width='12' height='12' fill='${color}'/>`, text(left + 18, 18, name));
    left += 150;
  }
  let y = 30;
  for (const { label, seconds } of strips) {
    y += gap - 8;
    parts.push(text(8, y - 8, label, "font-weight='600'"));
    const floor = y + waits;
    const points = seconds.map(
      ({ longestMs }, index) =>
        `${(box.left + (index + 0.5) * width).toFixed(1)},${(floor - (waits * longestMs) / longest).toFixed(1)}`,
    );
    parts.push(`<polyline points='${points.join(" ")}' fill='none' stroke='${COLORS.ours}' stroke-width='1.5'/>`);
    parts.push(text(box.left - 6, y + 10, `${Math.round(longest / 1_000)} s`, "text-anchor='end'"));
    parts.push(text(box.left - 6, floor, "0", "text-anchor='end'"));
    const most = Math.max(1, ...seconds.map(({ ok, memory, refused, none }) => ok + memory + refused + none));
    const below = seconds.map(() => floor + 6 + bars);
    for (const [kind, color] of Object.entries(ANSWERS)) {
      const boxes = seconds.map((second, index) => {
        const height = (bars * second[kind as keyof typeof ANSWERS]) / most;
        const bottom = below[index] ?? 0;
        below[index] = bottom - height;
        const x = (box.left + index * width).toFixed(1);
        return height === 0
          ? ""
          : `M${x} ${bottom.toFixed(1)}h${width.toFixed(1)}v${(-height).toFixed(1)}h-${width.toFixed(1)}z`;
      });
      parts.push(`<path d='${boxes.join("")}' fill='${color}'/>`);
    }
    y = floor + 6 + bars;
  }
  parts.push(text(box.right, y + 18, `${count} seconds; the line is the longest wait`, "text-anchor='end'"));
  return frame(title, y + 28, parts);
}

/** 1, 2 or 5 times a power of ten, not below `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10) * power;
}

const text = (x: number, y: number, content: string, more = "") =>
  `<text x='${x.toFixed(1)}' y='${y.toFixed(1)}' ${more}>${content.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</text>`;

const frame = (title: string, height: number, parts: readonly string[]) =>
  `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 ${WIDTH} ${height}' width='${WIDTH}' height='${height}' ${FONT}>
<title>${title}</title>
<style>.page { fill: #ffffff } text { fill: #202124 }
@media (prefers-color-scheme: dark) { .page { fill: #1b1f24 } text { fill: #e8eaed } }</style>
<rect class='page' width='100%' height='100%' rx='6'/>
${parts.join("\n")}
</svg>
`;
