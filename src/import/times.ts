/** Times as files have them. */
import { Moment } from "../worker/model/text.ts";

const MONTHS = [
  ...["january", "february", "march", "april", "may", "june"],
  ...["july", "august", "september", "october", "november", "december"],
];
/** "3 Mar 2024", "3. March 2024" */
const DAY_FIRST = /^(?<day>\d{1,2})(?:\.|st|nd|rd|th)? (?:of )?(?<month>[a-z]{3,9})\.?,? (?<year>\d{4})$/i;
/** "Mar 3, 2024", "March 3rd 2024" */
const MONTH_FIRST = /^(?<month>[a-z]{3,9})\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4})$/i;

/** "3.11.2026": with dots the day comes first, with slashes nobody knows. */
const WITH_DOTS = /^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})$/;

/** A date in words or with dots, as ISO 8601 has it; any other text as it is. */
function toDate(text: string): string {
  const dotted = WITH_DOTS.exec(text)?.groups;
  if (dotted) return `${dotted.year}-${dotted.month?.padStart(2, "0")}-${dotted.day?.padStart(2, "0")}`;
  const { day = "", month = "", year = "" } = (DAY_FIRST.exec(text) ?? MONTH_FIRST.exec(text))?.groups ?? {};
  const number = 1 + MONTHS.findIndex((name) => month !== "" && name.startsWith(month.toLowerCase()));
  return number === 0 ? text : `${year}-${String(number).padStart(2, "0")}-${day.padStart(2, "0")}`;
}

const NOON_MS = 12 * 3_600_000;

/**
 * ISO 8601 in UTC; undefined for no text. A date is noon of UTC, which is the same day almost everywhere. Any other text goes to
 * `refuse`, because a guess would be another day.
 */
export function toTime(
  text: string | null | undefined,
  now: number,
  refuse: (why: string) => void,
): string | undefined {
  if (text === null || text === undefined || text === "") return undefined;
  const date = toDate(text);
  const isDate = /^\d{4}-\d\d-\d\d$/.test(date);
  const time = isDate ? `${date}T00:00:00Z` : text;
  const start = Moment.safeParse(time).success ? Date.parse(time) : Number.POSITIVE_INFINITY;
  if (start <= now) return new Date(isDate ? Math.min(start + NOON_MS, now) : start).toISOString();
  refuse(
    `${JSON.stringify(text)}: give a past date, such as 2025-03-01 or 1 March 2025, or a time in ISO 8601 with its offset, such as 2025-03-01T08:00:00Z`,
  );
  return undefined;
}
