/**
 * How the fields of a resource are stored: `changelogEnabled` in the column `changelog_enabled`, a flag as 0 or 1, a list as JSON. What
 * selects, inserts, changes, compares and records them follows from their schema.
 */
import * as z from "zod/mini";
import { toTimestamp } from "../model/text.ts";
import type { prepare } from "../store/statement.ts";

/** A row with the columns that `columns` names. */
export type StoredRow = { readonly id: string; readonly created_at: number } & Readonly<Record<string, unknown>>;

/** The fields of a creation, or those that a change or a filter sends. */
export type Fields = Readonly<Record<string, unknown>>;
/** What a change sends: each field may be missing. */
export type Sent<Input> = { readonly [Name in keyof Input]?: Input[Name] | undefined };

type Values = NonNullable<Parameters<typeof prepare>[1]>;

export const columnOf = (field: string): string => field.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

/** The schema of what a request that creates the resource sends. */
export type CreationSchema<Input> = z.ZodMiniObject & z.ZodMiniType<Input>;

/** How a field is stored that is not simply in the column of its name. */
type StoredAs = {
  readonly column?: string;
  /** A time is stored in Unix milliseconds, and recorded so. */
  readonly isTime?: true;
  /** SQL: what a change puts into the column, if that is not what was sent. */
  readonly set?: string;
  /** SQL: the column as it is read, if not as it is stored. */
  readonly selected?: string;
  /** SQL: the field as `write` has it, if neither of these is that. */
  readonly compared?: string;
  /** What is stored of the field, if not the field itself. */
  readonly write?: (value: unknown) => string | number | null;
  /** The field, from such a column. */
  readonly read?: (value: unknown) => unknown;
  /** SQL: the field in the activity, if it is not there as in the API. */
  readonly recorded?: string;
};
export type StoredOtherwise<Input> = { readonly [Name in keyof Input]?: StoredAs };

type Kind = "flag" | "list" | "time" | "value";

const READ: Readonly<Record<Kind, (value: unknown) => unknown>> = {
  flag: (value) => value === 1,
  list: (value) => (value === null ? null : JSON.parse(String(value))),
  time: (value) => (value === null ? null : toTimestamp(Number(value))),
  value: (value) => value,
};
const RECORDED: Readonly<Record<Kind, (column: string) => string>> = {
  flag: (column) => `json(iif(${column}, 'true', 'false'))`,
  list: (column) => `json(${column})`,
  time: (column) => column,
  value: (column) => column,
};

function kindOf(schema: z.core.$ZodType): Kind {
  if (schema instanceof z.ZodMiniDefault || schema instanceof z.ZodMiniNullable || schema instanceof z.ZodMiniOptional)
    return kindOf(schema.def.innerType);
  if (schema instanceof z.ZodMiniBoolean) return "flag";
  return schema instanceof z.ZodMiniArray ? "list" : "value";
}

/** The parameter of a value that the row had. */
const beforeOf = (name: string): string => `was${name.charAt(0).toUpperCase()}${name.slice(1)}`;

const toTime = (value: unknown) => (value === null ? null : Date.parse(String(value)));

/** The value of a field as its column has it. */
function toValue(kind: Kind, value: unknown): Values[string] {
  if (kind === "time") return toTime(value);
  return kind === "list" && value !== null ? JSON.stringify(value) : (value as Values[string]);
}

export function storedFields<Input extends Fields>(
  schema: CreationSchema<Input>,
  otherwise: StoredOtherwise<Input> = {},
) {
  const fields = Object.entries(schema.shape).map(([name, shape]) => {
    const {
      column = columnOf(name),
      isTime,
      set = `:${name}`,
      read,
      recorded,
      ...as
    }: StoredAs = otherwise[name] ?? {};
    const kind = isTime ? "time" : kindOf(shape);
    return {
      ...{ name, column, kind, set },
      selected: as.selected === undefined ? column : `${as.selected} AS ${column}`,
      compared: as.compared ?? as.selected ?? column,
      write: as.write ?? ((value: unknown) => toValue(kind, value)),
      read: read ?? READ[kind],
      recorded: recorded ?? RECORDED[kind](column),
    };
  });
  const sent = (input: Fields) => fields.filter(({ name }) => input[name] !== undefined);
  const columnsOf = (some: readonly { readonly column: string }[]) => some.map(({ column }) => column).join(", ");
  return {
    columns: columnsOf(fields),
    /** The columns as a SELECT reads them. */
    selected: fields.map(({ selected }) => selected).join(", "),
    /** The columns of an INSERT, and its parameters. */
    inserted: (input: Fields) => ({
      columns: columnsOf(sent(input)),
      parameters: sent(input)
        .map(({ name }) => `:${name}`)
        .join(", "),
    }),
    /** The parameters of what is sent. */
    values: (input: Fields): Values =>
      Object.fromEntries(sent(input).map(({ name, write }) => [name, write(input[name])])),
    /** The assignments of a change: what is not sent stays as it is. */
    set: (changes: Fields): readonly string[] => sent(changes).map(({ column, set }) => `${column} = ${set}`),
    /** The condition that a row has all that is sent. */
    has: (changes: Fields): string =>
      sent(changes)
        .map(({ name, column }) => `${column} IS :${name}`)
        .join(" AND ") || "TRUE",
    /** The condition that a row still has these values, and its parameters. */
    still: (fields: Fields) => ({
      condition:
        sent(fields)
          .map(({ name, compared }) => `${compared} IS :${beforeOf(name)}`)
          .join(" AND ") || "TRUE",
      values: Object.fromEntries(
        sent(fields).map(({ name, write }) => [beforeOf(name), write(fields[name])]),
      ) as Values,
    }),
    /** SQL: a JSON object of the row's fields, or of those that a change sends, as the activity has them. `toRecorded` makes the same of what is sent. */
    recorded: (changes?: Fields): string =>
      `json_object(${(changes === undefined ? fields : sent(changes)).map(({ name, recorded }) => `'${name}', ${recorded}`).join(", ")})`,
    toRecorded: (input: Fields): Fields =>
      Object.fromEntries(
        sent(input).map(({ name, kind }) => [name, kind === "time" ? toTime(input[name]) : input[name]]),
      ),
    toFields: (row: Fields) =>
      Object.fromEntries(fields.map(({ name, column, read }) => [name, read(row[column])])) as Input,
  };
}
