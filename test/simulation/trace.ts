/** A history as lines for people. */
import type { History, HistoryEvent, RowChange } from "./history.ts";

const time = (at: number) => `${(at / 1_000).toFixed(3).padStart(9)} `;
const short = (value: unknown, length = 160): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > length ? `${text.slice(0, length)}…` : text;
};

function toChange({ table, before, after }: RowChange): string {
  if (before === null) return `+${table} ${short(after)}`;
  if (after === null) return `-${table} ${short(before)}`;
  const changed = Object.entries(after).filter(([name, value]) => before[name] !== value);
  return `${table} ${String(after.id ?? "")} ${changed.map(([name, value]) => `${name}: ${before[name]} → ${value}`).join(", ")}`;
}

function toText(event: HistoryEvent): string {
  switch (event.kind) {
    case "sent": {
      const again = event.retries === undefined ? "" : ` (again ${event.retries})`;
      return `#${event.call} ${event.client} at ${event.isolate}: ${event.method} ${event.path} ${short(event.body)}${again}`;
    }
    case "answered":
      return `#${event.call} ${event.status} ${short(event.body)}`;
    case "abandoned":
      return `#${event.call} has no answer`;
    case "committed":
      return `  D1 ${event.database}${event.call === undefined ? "" : ` of #${event.call}`}: ${event.changes.map(toChange).join("; ")}`;
    case "store-called":
      return `  ${event.store} ${event.name}${event.to === undefined ? "" : ` ${event.to}`}${event.inSession ? " in a session" : ""}${event.call === undefined ? "" : ` by #${event.call}`}`;
    case "store-answered":
      return `  ${event.store} ${event.name} answers ${event.isolate}, asked at ${time(event.since).trim()}`;
    case "fault-began":
      return `! ${event.store} ${event.name ?? "all"} ${event.part ?? ""} ${event.how} (fault ${event.fault})`;
    case "fault-ended":
      return `! fault ${event.fault} is over`;
    case "gate-ended":
      return `! gate ${event.key}: ${event.how}`;
    case "isolate-ended":
      return `! ${event.isolate} ended`;
    case "received":
      return `  ${event.url} is sent ${event.id}: ${short(event.body)}`;
    case "received-answered":
      return `  ${event.url} answers ${event.id}: ${event.status ?? "nothing in time"}`;
    case "clock-stepped":
      return `! the clock of ${event.where} steps by ${event.by} ms`;
  }
}

export const toTrace = ({ events }: History): string[] => events.map((event) => time(event.at) + toText(event));
