/** Lines of a CSV file (RFC 4180). A spreadsheet takes no cell for a formula. */

/**
 * What makes a spreadsheet calculate (https://owasp.org/www-community/attacks/CSV_Injection). Such a text gets a mark before it. One that
 * begins with the mark gets it, too: so whoever takes one mark off has the text as it was.
 */
const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/;
const MARK = "'";
/**
 * Inside of a text, a spreadsheet that separates by `;` or tabs begins another cell, and does not know our quotes: a line break begins one, too.
 * The dash of a list is left there.
 */
const inside = (marks: string): string =>
  `([;\\t](?=${marks}[=+\\-@＝＋－＠])|[\\r\\n](?=${marks}(?:[=@＝＠]|[+\\-＋－](?! ))))`;
const INSIDE = new RegExp(inside(`${MARK}*`), "g");
const MARKED_INSIDE = new RegExp(`${inside(`${MARK}+`)}${MARK}`, "g");
/** A number is no formula, and a spreadsheet should count with it. */
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/** The text of a cell, without the marks. */
export function textOfCell(cell: string): string {
  const text = cell.startsWith(MARK) && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell;
  return text.replace(MARKED_INSIDE, "$1");
}

/** The text with the marks. */
export const disarmed = (text: string): string =>
  (FORMULA.test(text) && !NUMBER.test(text) ? `${MARK}${text}` : text).replace(INSIDE, `$1${MARK}`);

const toCell = (value: string | number): string => {
  if (typeof value === "number") return String(value);
  const text = disarmed(value);
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
