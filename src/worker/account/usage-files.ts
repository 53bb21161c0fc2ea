/** A key's use as CSV (RFC 4180), for spreadsheets: the lines of each file. Nothing in them is a client's text. */
import type { ApiKeyUsage, OperationCount } from "../model/api-key-usage.ts";

const toLine = (values: readonly (string | number)[]): string => `${values.join(",")}\r\n`;

const toOperationLine = (span: string) => (count: OperationCount) =>
  toLine([span, count.start, count.operation, count.admitted]);

export const USAGE_FILES: Readonly<Record<"usage" | "operations", (usage: ApiKeyUsage) => string[]>> = {
  usage: ({ items }) => [
    toLine(["hour", "admitted", "limited"]),
    ...items.map(({ hour, admitted, limited }) => toLine([hour, admitted, limited])),
  ],
  operations: ({ hours, days }) => [
    toLine(["span", "start", "operation", "admitted"]),
    ...hours.map(toOperationLine("hour")),
    ...days.map(toOperationLine("day")),
  ],
};
