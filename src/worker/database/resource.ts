/**
 * The rows of a plain resource: it belongs to an account, and each of its fields is a column. From one list of fields follow the
 * statements that list, create, load, change and delete it. Every function returns null or `refused` for one that is not the tenant's.
 */
import type { Created, IdempotencyKey, IdempotentResult } from "../model/idempotency-key.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import type { Seen, Stored } from "../model/stored-state.ts";
import { toTimestamp } from "../model/text.ts";
import type { Results, Session } from "../store/session.ts";
import { prepare, type Statement } from "../store/statement.ts";
import {
  type CreationSchema,
  columnOf,
  type Fields,
  type Sent,
  type StoredOtherwise,
  type StoredRow,
  storedFields,
} from "./columns.ts";
import {
  deleteOnce,
  type InsertOnce,
  insertOnce,
  mapResult,
  notDoneBefore,
  toDeleted,
  toInserted,
} from "./idempotency.ts";
import { byCreation, FIT, FITTING_ROWS, fitOf, pageValues, toPage } from "./pagination.ts";
import { asSeen, withState } from "./stored-state.ts";

/** A row that `select` and `updating` give. */
export type ResourceRow = StoredRow & { readonly updated_at?: number; readonly fit?: number; readonly stays?: number };

type Description<Input, Time, Computed> = {
  readonly table: string;
  readonly fields: CreationSchema<Input>;
  readonly otherwise?: StoredOtherwise<Input>;
  /** `updatedAt` moves with each change that changes something. */
  readonly times: readonly ["createdAt", ...Time[]];
  /** SQL: the row is no leftover of a deleted resource. With `afterLimit`, a list asks it of the rows of its page alone. */
  readonly stays?: string;
  readonly afterLimit?: true;
  /** SQL: the size of a row on a page, if it has long texts. */
  readonly bytes?: string;
  /** No two of the account have the same, and an index finds it. A second one is refused. */
  readonly unique?: keyof Input & string;
  /** SQL: assignments that follow from a change, besides those of what is sent. They see the row as it was. */
  readonly follows?: (changes: Sent<Input>) => readonly string[];
  /** Columns that are no fields, and what a new row has in them: SQL. */
  readonly also?: Readonly<Record<string, string>>;
  /** Fields that nobody sends: what a SELECT reads for them, and what a new resource has. */
  readonly computed?: {
    readonly select: Readonly<Record<keyof Computed & string, string>>;
    read(row: ResourceRow): Computed;
    initial(input: Input, now: number): Computed;
  };
};

type Own = { readonly accountId: string; readonly id: string };
type Once = { readonly idempotencyKey?: IdempotencyKey | undefined };
/** `now` is in Unix milliseconds. */
export type Creation<Input> = Own & Once & { readonly input: Input; readonly now: number };
/** `opened`: what a form was opened with of what it changes. Where that is no longer so, nothing is changed. */
export type Change<Input> = Own &
  Seen & { readonly changes: Sent<Input>; readonly opened?: Sent<Input> | undefined; readonly now: number };

export function storedResource<
  Input extends Fields,
  Time extends "updatedAt" = never,
  Computed extends object = object,
>({
  table,
  fields,
  otherwise,
  times,
  stays,
  afterLimit,
  bytes,
  unique,
  follows = () => [],
  also = {},
  computed,
}: Description<Input, Time, Computed>) {
  type Resource = { readonly id: string } & Input & Computed & Readonly<Record<"createdAt" | Time, string>>;

  const { columns, ...stored } = storedFields(fields, otherwise);
  const TIMES = times.map(columnOf);
  const COMPUTED = Object.entries<string>(computed?.select ?? {}).map(([name, sql]) => `${sql} AS ${columnOf(name)}`);
  const COLUMNS = ["id", stored.selected, ...COMPUTED, ...TIMES].join(", ");
  const STATE = `json_array(${columns})`;
  const STAYS = stays === undefined ? "" : ` AND ${stays}`;
  const OWN = `account_id = :accountId AND id = :id${STAYS}`;
  const AS_SEEN = `${OWN} AND ${asSeen(STATE)}`;

  const toResource = (
    id: string,
    { input, more }: { readonly input: Input; readonly more: Computed | undefined },
    timeOf: (column: string) => unknown,
  ): Resource => ({
    id,
    ...input,
    ...(more as Computed),
    ...(Object.fromEntries(times.map((time) => [time, toTimestamp(Number(timeOf(columnOf(time))))])) as Record<
      "createdAt" | Time,
      string
    >),
  });
  const toItem = (row: ResourceRow) =>
    toResource(row.id, { input: stored.toFields(row), more: computed?.read(row) }, (column) => row[column]);

  async function load(session: Session, accountId: string, id: string): Promise<Resource | null> {
    const row = await session.first(
      prepare<ResourceRow>(`SELECT ${COLUMNS} FROM ${table} WHERE ${OWN}`, { accountId, id }),
    );
    return row && toItem(row);
  }

  /** The row with its `state`, for a batch. */
  const loading = (accountId: string, id: string) =>
    prepare<ResourceRow & { readonly state: string }>(
      `SELECT ${COLUMNS}, ${STATE} AS state FROM ${table} WHERE ${OWN}`,
      {
        ...{ accountId, id },
      },
    );

  /** For a batch: `toCreated` reads the results. */
  function creating(
    { accountId, id, input, now, idempotencyKey }: Creation<Input>,
    { when = "TRUE", values }: { readonly when?: string; readonly values?: Parameters<typeof prepare>[1] } = {},
  ): InsertOnce {
    const more = Object.entries(also);
    const { columns, parameters } = stored.inserted(input);
    const insert = prepare(
      `INSERT INTO ${table} (${["id", "account_id", columns, ...TIMES, ...more.map(([column]) => column)].join(", ")})
       SELECT :id, :accountId, ${[parameters, ...TIMES.map(() => ":now"), ...more.map(([, sql]) => sql)].join(", ")}
       WHERE ${notDoneBefore()} AND ${when}${unique === undefined ? "" : " ON CONFLICT DO NOTHING"} RETURNING id`,
      { ...stored.values(input), ...values, accountId, id, now, idempotencyKey: idempotencyKey?.key },
    );
    return insertOnce({ accountId }, idempotencyKey, { insert, outcome: { id, at: now } satisfies Created });
  }

  function toCreated(
    rows: Results<InsertOnce>,
    { id, input, now, idempotencyKey }: Creation<Input>,
  ): IdempotentResult<Resource> {
    const created: Created = { id, at: now };
    return mapResult(toInserted(rows, idempotencyKey, created), ({ id, at }) =>
      toResource(id, { input, more: computed?.initial(input, at) }, () => at),
    );
  }

  /** `set`: assignments besides those of the changed fields. */
  const updating = (
    { accountId, id, changes, opened = {}, now, seen }: Change<Input>,
    {
      set,
      when = "TRUE",
      values,
    }: { readonly set: readonly string[]; readonly when?: string; readonly values?: Parameters<typeof prepare>[1] },
  ): Statement<ResourceRow> => {
    const still = stored.still(opened);
    return prepare(
      `UPDATE ${table} SET ${[...stored.set(changes), ...set].join(", ")} WHERE ${AS_SEEN} AND ${still.condition} AND ${when} RETURNING ${COLUMNS}`,
      { ...stored.values(changes), ...still.values, accountId, id, now, seen, ...values },
    );
  };

  return {
    ...{ AS_SEEN, load, loading, creating, toCreated, updating, toItem },

    /** SQL: the row has all that is sent. */
    has: stored.has,

    /** SQL over a row: its fields as the activity has them. */
    RECORDED: stored.recorded(),

    /** The account's resources with `ids`, a SELECT of identifiers. (The + makes SQLite use the primary key.) */
    select: (ids: string): string =>
      `SELECT ${COLUMNS} FROM ${table} WHERE id IN (${ids}) AND +account_id = :accountId${STAYS}`,
    toItems: (rows: readonly ResourceRow[]): readonly Resource[] => rows.map(toItem),

    /** Newest first: all, or only those with the fields in `only`. */
    async list(
      session: Session,
      { accountId, request, ...only }: { readonly accountId: string; readonly request: PageRequest } & Sent<Input>,
    ): Promise<Page<Resource>> {
      // The + makes SQLite use the index of the unique field.
      const key = unique !== undefined && unique in stored.values(only) ? "+created_at" : "created_at";
      const which = ["account_id = :accountId", ...stored.set(only)].join(" AND ");
      const [stay, selectedStay] = afterLimit ? ["", `, ${stays} AS stays`] : [STAYS, ""];
      const page = (selected: string, rows: string) =>
        `SELECT ${selected} FROM ${table} WHERE ${which}${stay} AND (${key}, id) < (:afterKey, :afterId)
         ORDER BY ${key} DESC, id DESC LIMIT ${rows}`;
      const sql =
        bytes === undefined
          ? page(COLUMNS + selectedStay, ":rows")
          : `WITH ${fitOf(page(`${bytes} AS bytes`, ":rows"))} ${page(`${COLUMNS}, ${FIT}${selectedStay}`, FITTING_ROWS)}`;
      const values = { ...stored.values(only), accountId, ...pageValues(request) };
      return toPage(await session.all(prepare<ResourceRow>(sql, values)), { request, toItem, keyOf: byCreation });
    },

    async create(session: Session, creation: Creation<Input>): Promise<IdempotentResult<Resource>> {
      return toCreated(await session.batch(creating(creation)), creation);
    },

    /** For `If-Match`. */
    async loadStored(session: Session, accountId: string, id: string): Promise<Stored | null> {
      return withState(await session.first(loading(accountId, id)), toItem);
    },

    async update(session: Session, change: Change<Input>): Promise<Resource | null> {
      const { accountId, id, changes } = change;
      const set = [...follows(changes)];
      if (TIMES.includes("updated_at"))
        set.push(`updated_at = iif(${stored.has(changes)}, updated_at, max(updated_at, :now))`);
      if (stored.set(changes).length + set.length === 0) return load(session, accountId, id);
      const row = await session.first(updating(change, { set }));
      return row && toItem(row);
    },

    /** It is inaccessible at once. `deleteLeftovers` deletes what is in it later. */
    async delete(
      session: Session,
      { accountId, id, seen, idempotencyKey }: Own & Seen & Once,
    ): Promise<IdempotentResult<null>> {
      const sql = `DELETE FROM ${table} WHERE ${AS_SEEN} AND ${notDoneBefore()} RETURNING id`;
      const deletion = deleteOnce(accountId, { idempotencyKey, sql, values: { id, seen } });
      return toDeleted(await session.batch(deletion), idempotencyKey);
    },
  };
}
