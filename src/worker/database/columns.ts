/** How the fields of a resource are stored: `changelogEnabled` in the column `changelog_enabled`, and a flag as 0 or 1. */
import * as z from "zod/mini";

/** A row with the columns that `columns` names. */
export type StoredRow = { readonly id: string; readonly created_at: number } & Readonly<Record<string, unknown>>;

type Changes = Readonly<Record<string, unknown>>;

const columnOf = (field: string): string => field.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

/** `created` is the schema of what a request that creates the resource sends: these fields are stored, each in its column. */
export function storedFields<Created extends z.ZodMiniObject>(created: Created) {
  const fields = Object.entries(created.shape).map(([name, schema]) => ({
    ...{ name, column: columnOf(name) },
    isFlag: (schema instanceof z.ZodMiniDefault ? schema.def.innerType : schema) instanceof z.ZodMiniBoolean,
  }));
  return {
    columns: fields.map(({ column }) => column).join(", "),
    parameters: fields.map(({ name }) => `:${name}`).join(", "),
    toFields: (row: StoredRow) =>
      Object.fromEntries(
        fields.map(({ name, column, isFlag }) => [name, isFlag ? row[column] === 1 : row[column]]),
      ) as z.infer<Created>,
  };
}

const joined = (changes: Changes, by: string, operator: string): string =>
  Object.keys(changes)
    .filter((name) => changes[name] !== undefined)
    .map((name) => `${columnOf(name)} ${operator} :${name}`)
    .join(by);

/** The SET list of a change: what is not sent stays as it is. */
export const setChanges = (changes: Changes): string => joined(changes, ", ", "=");

/** The condition that a row has all that a change sends. */
export const hasChanges = (changes: Changes): string => joined(changes, " AND ", "IS") || "TRUE";
