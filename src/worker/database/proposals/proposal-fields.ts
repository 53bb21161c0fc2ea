/**
 * The fields of a proposal that its tenant sets, each stored in a column: what selects, inserts, changes, compares and records them
 * follows from this list. More columns depend on them: the terms of the title and the description (words.ts), `responded_at` of the response (proposals.ts).
 */
import type * as z from "zod/mini";
import { toStored } from "../../model/metadata.ts";
import { PanelistProposal } from "../../model/panelist-proposal.ts";
import { type OfficialResponse, type Proposal, type ProposalChanges, RECORDED } from "../../model/proposal.ts";
import { toTimestamp } from "../../model/text.ts";
import { columnOf } from "../columns.ts";
import { ITEM_BYTES } from "../pagination.ts";

/** A row with their columns. */
export type FieldsRow = Readonly<Record<string, unknown>> & {
  readonly response: string | null;
  readonly responded_at: number | null;
};

/** The response with its time, in Unix milliseconds. */
const toResponse = (text: string | null, at: number | null): OfficialResponse | null =>
  text === null ? null : { text, respondedAt: toTimestamp(at ?? 0) };

type Column = string | number | null;
type Changes = Omit<ProposalChanges, "minor" | "notify">;
type Name = keyof Changes;

type StoredAs<Sent, Shown> = {
  /** A new proposal has it when the request gives none. Null by default. */
  readonly initial?: Shown;
  /** What is not stored as it is sent. */
  readonly toColumn?: (sent: NonNullable<Sent>) => Column | undefined;
  /** What is not shown as it is stored. */
  readonly fromRow?: (row: FieldsRow) => Shown;
  /** Stored as JSON; NULL stands for this empty value. */
  readonly empty?: "[]" | "{}";
  /** It does not count among the bytes of a page, in which `ITEM_BYTES` has room for it. */
  readonly isShort?: true;
  /** A new value is activity, and none is not. */
  readonly isActivity?: true;
  /** It is recorded with how it begins, and Undo has the whole text in `undo_texts`. */
  readonly isText?: true;
};

const FIELDS = {
  title: { isText: true, isActivity: true },
  description: { initial: "", isText: true, isActivity: true },
  status: { initial: "submitted", isShort: true, isActivity: true },
  visibility: { initial: "public", isShort: true },
  response: {
    toColumn: ({ text }) => text,
    fromRow: ({ response, responded_at: at }) => toResponse(response, at),
    isText: true,
    isActivity: true,
  },
  tags: { initial: [], empty: "[]" },
  externalId: {},
  metadata: { initial: {}, toColumn: toStored, empty: "{}" },
} satisfies { readonly [Each in Name]-?: StoredAs<Changes[Each], Proposal[Each]> };

type Field = { readonly name: Name; readonly column: string } & StoredAs<never, unknown>;

const fields: readonly Field[] = (Object.keys(FIELDS) as Name[]).map((name) => ({
  ...{ name, column: columnOf(name) },
  ...FIELDS[name],
}));

/** The value in the column. No tags and no metadata are NULL. */
function storedAs({ empty, toColumn }: Field, sent: unknown): Column {
  if (sent === null || sent === undefined) return null;
  if (toColumn !== undefined) return toColumn(sent as never) ?? null;
  if (empty === undefined) return sent as Column;
  const json = JSON.stringify(sent);
  return json === empty ? null : json;
}

/** The name of a value, in a statement that has values of two states of a proposal. */
const parameterOf = (prefix: string, name: Name): string =>
  prefix === "" ? name : prefix + name.charAt(0).toUpperCase() + name.slice(1);

/** The values of all fields for the statements below. */
export const valuesOf = (changes: Changes, prefix = ""): Readonly<Record<string, Column>> =>
  Object.fromEntries(
    fields.map((field) => [parameterOf(prefix, field.name), storedAs(field, changes[field.name])] as const),
  );

const sentOf = (changes: Changes): readonly Field[] => fields.filter(({ name }) => changes[name] !== undefined);

const joined = (toSql: (field: Field) => string, by = ", ", of = fields): string => of.map(toSql).join(by);

export const FIELD_COLUMNS = joined(({ column }) => column);

/** What an INSERT selects for them, where `toValue` is the SQL of a field's value. */
const newFields = (toValue: (name: Name) => string): string =>
  joined((field) => {
    const initial = storedAs(field, field.initial);
    return initial === null ? toValue(field.name) : `coalesce(${toValue(field.name)}, '${initial}')`;
  });
export const NEW_FIELDS = newFields((name) => `:${name}`);
/** The same of each object of `json_each`, which has all that `valuesOf` gives. */
export const NEW_FIELDS_OF_EACH = newFields((name) => `value ->> '${name}'`);

/** The assignments of a change. A column that is assigned costs each of its indexes a row, also with the value that it has: so only what is sent. */
export const setFields = (changes: Changes): readonly string[] =>
  sentOf(changes).map(({ name, column }) => `${column} = :${name}`);

/** The condition that a change changes something. Else it would write the row and its indexes again. */
export const differs = (changes: Changes): string =>
  `(${joined(({ name, column }) => `${column} IS NOT :${name}`, " OR ", sentOf(changes)) || "FALSE"})`;

/** The condition that the row has all that `valuesOf(changes, "was")` sends. */
export const hasFields = (changes: Changes): string =>
  joined(({ name, column }) => `${column} IS :${parameterOf("was", name)}`, " AND ", sentOf(changes)) || "TRUE";

/** The condition that a change is activity. Undefined where it never is. */
export const isActivity = (changes: Changes): string | undefined =>
  joined(
    ({ name, column }) => `(:${name} IS NOT NULL AND :${name} IS NOT ${column})`,
    " OR ",
    sentOf(changes).filter((field) => field.isActivity),
  ) || undefined;

/** The size of a proposal on a page, in bytes. */
export const PROPOSAL_BYTES = `${joined(
  ({ column }) => `coalesce(octet_length(${column}), 0)`,
  " + ",
  fields.filter(({ isShort }) => !isShort),
)} + ${ITEM_BYTES}`;

/** Members decide about these, which is recorded before and after: a value as it is, a text with how it begins. */
const decided = fields.filter(({ name }) => name === "status" || name in RECORDED);
const texts = decided.filter(({ isText }) => isText);
const namesOf = (of: readonly Field[]): readonly Name[] => of.map(({ name }) => name);
/** Undo takes these from the event. */
export const DECIDED_VALUES = namesOf(decided.filter(({ isText }) => !isText));
/** Undo takes these from `undo_texts`. */
export const DECIDED_TEXTS = namesOf(texts);

/** Pairs of `json_object`, in the order in which the activity has them. */
export const recordedFields = (beginning: (column: string) => string): string =>
  joined(
    ({ name, column, isText, empty }) => {
      const value = empty === undefined ? column : `json(coalesce(${column}, '${empty}'))`;
      return `'${name}', ${isText ? beginning(column) : value}`;
    },
    ", ",
    decided,
  );

/** Pairs of `json_object`: the whole texts, for Undo. */
export const WHOLE_TEXTS = joined(({ name, column }) => `'${name}', ${column}`, ", ", texts);

const shown = ({ column, empty, fromRow }: Field, row: FieldsRow): unknown => {
  if (fromRow !== undefined) return fromRow(row);
  return empty === undefined ? row[column] : JSON.parse(String(row[column] ?? empty));
};

const read = (of: readonly Field[], row: FieldsRow) =>
  Object.fromEntries(of.map((field) => [field.name, shown(field, row)]));

export const toFields = (row: FieldsRow) => read(fields, row) as Pick<Proposal, Name>;

/** As the creation at this time (Unix milliseconds) is answered. */
export const toNewFields = (sent: Changes, at: number) =>
  ({
    ...Object.fromEntries(fields.map(({ name, initial = null }) => [name, sent[name] ?? initial])),
    response: toResponse(sent.response?.text ?? null, at),
  }) as Pick<Proposal, Name>;

const ofPanelists = fields.filter(({ name }) => name in PanelistProposal.shape);
type OfPanelists = Pick<Proposal, Exclude<Name & keyof PanelistProposal, "visibility">>;

export const PANELISTS_COLUMNS = joined(({ column }) => `p.${column}`, ", ", ofPanelists);
export const toPanelistsFields = (row: FieldsRow) => read(ofPanelists, row) as OfPanelists;

/** What a new proposal has that a panelist submits. */
export const PANELISTS_INITIAL = Object.fromEntries(
  ofPanelists.map(({ name, initial = null }) => [name, initial]),
) as OfPanelists;

/** A resource with its members in the order of its schema, whatever the order in which they were put together. */
export function inOrder<Schema extends z.ZodMiniObject>({ shape }: Schema) {
  const order = Object.fromEntries(Object.keys(shape).map((name) => [name, undefined]));
  return (resource: z.infer<Schema>): z.infer<Schema> => ({ ...order, ...resource });
}
