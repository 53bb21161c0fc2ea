/** Times as files have them. */
import { Moment } from "../worker/model/text.ts";
import { folded } from "./words.ts";

/** The languages of the elements. Austria has names of its own. */
const LANGUAGES = ["en", "de", "de-AT", "fr", "es", "it", "pt", "nl", "pl", "tr", "ar", "ja", "zh"];

/** As a German spreadsheet shortens it. */
const OTHER_MONTHS = [["mrz", 3]] as const;

/** The number of each month by its name, whole or short, alone or beside a day. A name of two months is none. */
function monthsByName(): ReadonlyMap<string, number> {
  const months = new Map<string, number>(OTHER_MONTHS);
  const formats = LANGUAGES.flatMap((language) =>
    (["long", "short"] as const).flatMap((month) =>
      [{}, { day: "numeric", year: "numeric" } as const].map(
        (beside) => new Intl.DateTimeFormat(language, { month, timeZone: "UTC", ...beside }),
      ),
    ),
  );
  for (const format of formats)
    for (let month = 1; month <= 12; month++) {
      const parts = format.formatToParts(Date.UTC(2024, month - 1, 1));
      const name = folded(parts.find(({ type }) => type === "month")?.value ?? "");
      months.set(name, (months.get(name) ?? month) === month ? month : 0);
    }
  return months;
}

let months: ReadonlyMap<string, number> | undefined;
const monthOf = (name: string): number => {
  months ??= monthsByName();
  return months.get(name) ?? 0;
};

/** "3 Mar 2024", "3. März 2024", "1er mars 2024", "3 de marzo de 2024", "3-Mar-2024": as `folded` writes them. */
const DAY_FIRST =
  /^(?<day>\d{1,2})(?:st|nd|rd|th|er|o)? (?:of |de )?(?<month>\p{L}{3,12}),? (?:de )?(?<year>\d{4})(?: r)?$/u;
/** "Mar 3, 2024", "March 3rd 2024" */
const MONTH_FIRST = /^(?<month>\p{L}{3,12}) (?<day>\d{1,2})(?:st|nd|rd|th)?(?:,|, | )(?<year>\d{4})$/u;
/** "2024年3月3日" */
const WITH_CHARACTERS = /^(?<year>\d{4}) ?年 ?(?<month>\d{1,2}) ?月 ?(?<day>\d{1,2}) ?日$/;

/** "3.11.2026": with dots the day comes first, with slashes nobody knows. */
const WITH_DOTS = /^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})$/;

const inLatinDigits = (text: string): string =>
  text.replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - "٠".charCodeAt(0)));

/** A date in words or with dots, as ISO 8601 has it; any other text as it is. */
function toDate(text: string): string {
  const [numbers, words] = [WITH_DOTS.exec(text)?.groups, folded(inLatinDigits(text))];
  const found = numbers ?? (DAY_FIRST.exec(words) ?? MONTH_FIRST.exec(words) ?? WITH_CHARACTERS.exec(words))?.groups;
  if (found === undefined) return text;
  const { day = "", month = "", year = "" } = found;
  const number = /^\d/.test(month) ? Number(month) : monthOf(month);
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
