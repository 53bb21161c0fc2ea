/** An export for a spreadsheet: the page says how many rows there will be, and its button sends the file. */
import type { Context } from "hono";
import { type Column, csvFile } from "../../http/csv-file.ts";
import { readForm } from "../../http/read-body.ts";
import { COUNTED_AT_MOST, type Exported, ROWS_AT_MOST } from "../../model/export.ts";
import { Problem } from "../../problem.ts";
import { heard } from "../confirm.ts";
import { beginExport } from "../frame/begin-export.ts";
import { Layout, type Section } from "../frame/layout.tsx";
import { type DeskRoute, page } from "../frame/page.tsx";
import { readVisit } from "../frame/visit.ts";
import { number } from "../frame/words.ts";
import { filtersInWords } from "../ideas/queue-filters.tsx";
import { limitCostly } from "../identity/limit-owner.ts";
import { requireExport } from "../identity/role.ts";
import type { OwnerEnv } from "../owner-env.ts";

/** A search in the activity: its words may be somebody's name, which a deletion would not find there. */
export const SEARCH = "q=…";

/** The list to which the page leads back says of which board, or idea, it is. */
function withoutIds(filter: string): string {
  const filters = new URLSearchParams(filter);
  for (const name of ["board", "idea"]) filters.delete(name);
  return filtersInWords(filters.toString());
}

/** An export as its address asks for it. */
type Opened<Item> = {
  readonly rows: number;
  /** What is left out, as the list says it, and as the activity keeps it: `status=open&sort=top`. */
  readonly filter: string;
  /** Said above the button. */
  readonly says?: string | undefined;
  readonly slices: () => AsyncGenerator<readonly Item[]>;
};

type CsvExport<Path extends string, Item> = {
  readonly path: Path;
  readonly exported: Exported;
  readonly title: string;
  /** Of what it has many. */
  readonly one: string;
  readonly many: string;
  readonly current: Section;
  /** The list, for who comes from elsewhere. */
  readonly list: (c: Context<OwnerEnv, Path>) => string;
  readonly columns: readonly Column<Item>[];
  /** Rows are counted up to `most`. */
  readonly open: (c: Context<OwnerEnv, Path>, most: number) => Promise<Opened<Item>>;
};

export function csvExport<const Path extends string, Item>(definition: CsvExport<Path, Item>): DeskRoute {
  const { path, exported, title, one, many, current, columns } = definition;
  const load = async (c: Context<OwnerEnv, Path>) => {
    await limitCostly(c);
    const { here, back } = readVisit(c);
    // What the visitor may do is read together with the list, and comes first.
    const opening = heard(definition.open(c, COUNTED_AT_MOST + 1));
    await requireExport(c, exported);
    const { rows, filter, says } = await opening;
    return { here, rows, filter, says, list: back ?? definition.list(c) };
  };
  return page({
    path,
    needs: "viewer",
    load,

    view: ({ here, rows, filter, says, list }) => (
      <Layout title={title} current={current}>
        <p>
          <a href={list}>Back to the list</a>
        </p>
        {filter && <p>{withoutIds(filter)}</p>}
        <p>
          {rows > COUNTED_AT_MOST
            ? `More than ${number(COUNTED_AT_MOST)} ${many}. A file has at most ${number(ROWS_AT_MOST)} rows.`
            : rows === 1
              ? `1 ${one}`
              : `${number(rows)} ${many}`}
        </p>
        {says && <p class="hint">{says}</p>}
        <form method="post" action={here} data-file>
          <button type="submit" name="do" value="export" class="primary">
            Download CSV
          </button>
        </form>
        <p class="hint">{`Columns: ${columns.map(([name]) => name).join(", ")}. Times are in UTC. Activity keeps who exported what.`}</p>
      </Layout>
    ),

    act: async (c) => {
      await readForm(c);
      const { rows, filter, slices } = await definition.open(c, ROWS_AT_MOST + 1);
      if (rows > ROWS_AT_MOST)
        throw new Problem("conflict", {
          detail: `There are more than ${number(ROWS_AT_MOST)} ${many}. Filter the list first.`,
        });
      await beginExport(c, exported, { filter, rows });
      const name = `${exported}-${new Date().toISOString().slice(0, 10)}.csv`;
      const { body, headers } = csvFile({ name, columns, slices: slices() });
      return c.body(body, 200, headers);
    },
  });
}
