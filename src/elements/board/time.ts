/** A time in words, such as "3 days ago", with the date on hover; or as a date, in a page that is kept. */
import { h } from "#h";
import type { Words } from "../shared/labels.ts";
import type { BOARD_LABELS } from "./labels.ts";

const MONTH_SECONDS = 30 * 86_400;
const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", Number.POSITIVE_INFINITY],
] as const;

/** `timestamp` is ISO 8601. */
export function time(timestamp: string, words: Words<typeof BOARD_LABELS>): HTMLElement {
  const date = new Date(timestamp);
  const title = words.date(date, { dateStyle: "full", timeStyle: "short" });
  return h("time", { datetime: timestamp, title }, words.dated ? words.date(date) : ago(date, words));
}

/** Each as it reads now. */
export function renewTimes(root: Element, words: Words<typeof BOARD_LABELS>): void {
  if (words.dated) return;
  for (const each of root.querySelectorAll("time")) each.textContent = ago(new Date(each.dateTime), words);
}

function ago(date: Date, words: Words<typeof BOARD_LABELS>): string {
  const seconds = (date.getTime() - Date.now()) / 1000;
  if (seconds < -MONTH_SECONDS) return words.date(date);
  const [unit, size] = UNITS.find(([, size]) => -seconds >= size) ?? (["second", Number.POSITIVE_INFINITY] as const);
  return new Intl.RelativeTimeFormat(words.locale, { numeric: "auto" }).format(Math.trunc(seconds / size), unit);
}
