/** Lines of a CSV file (RFC 4180). A spreadsheet takes no cell for a formula. */

/**
 * What makes a spreadsheet calculate (https://owasp.org/www-community/attacks/CSV_Injection). Such a text gets a mark before it. One that
 * begins with the mark gets it, too: so whoever takes one mark off has the text as it was.
 */
const FORMULA = /^'*[=+\-@\t\r]/;
const MARK = "'";
/** A number is no formula, and a spreadsheet should count with it. */
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/** The text of a cell, without the mark. */
export const textOfCell = (cell: string): string =>
  cell.startsWith(MARK) && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell;

const toCell = (value: string | number): string => {
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) && !NUMBER.test(value) ? `${MARK}${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const toCsvLine = (cells: readonly (string | number)[]): string => `${cells.map(toCell).join(",")}\r\n`;

/** Titles as they are sent, but no two the same: those that stand several times have their identifiers with them. */
export function uniqueTitles(columns: readonly { readonly title: string; readonly id: string }[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { title } of columns) counts.set(title, (counts.get(title) ?? 0) + 1);
  const taken = new Set(columns.map(({ title }) => title).filter((title) => counts.get(title) === 1));
  return columns.map(({ title, id }) => {
    if (counts.get(title) === 1) return title;
    let told = title;
    do told = `${told} (${id})`;
    while (taken.has(told));
    taken.add(told);
    return told;
  });
}
