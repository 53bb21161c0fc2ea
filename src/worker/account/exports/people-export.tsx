/** `/account/people/export`: people as a file, all of them or those that a search finds (`?q=`). */
import type { Context } from "hono";
import { countPanelists, listPanelists } from "../../database/panelists/panelists.ts";
import { findPanelists } from "../../database/panelists/people.ts";
import type { Column } from "../../http/csv-file.ts";
import type { Panelist } from "../../model/panelist.ts";
import { openOwn } from "../account-databases.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { PEOPLE } from "../people/people-page.tsx";
import { csvExport, SEARCH } from "./csv-export.tsx";
import { slicesOf } from "./slices.ts";

type Row = Panelist & { readonly link: string };

const COLUMNS: readonly Column<Row>[] = [
  ["id", ({ id }) => id],
  ["external_id", ({ externalId }) => externalId],
  ["name", ({ displayName }) => displayName],
  ["email", ({ email }) => email],
  ["email_verified", ({ emailVerified }) => (emailVerified ? "yes" : "no")],
  ["blocked", ({ active }) => (active ? "no" : "yes")],
  ["first_seen_at", ({ createdAt }) => createdAt],
  ["link", ({ link }) => link],
];

async function open(c: Context<OwnerEnv>, most: number) {
  const q = c.req.query("q")?.trim().slice(0, 200) ?? "";
  const { session, accountId } = await openOwn(c);
  const found = q === "" ? undefined : (await findPanelists(session, accountId, q)).people;
  const { origin } = new URL(c.req.url);
  const toRow = (panelist: Panelist): Row => ({ ...panelist, link: `${origin}${PEOPLE}/${panelist.id}` });
  async function* slices(): AsyncGenerator<readonly Row[]> {
    if (found !== undefined) yield found.map(toRow);
    else
      for await (const people of slicesOf((request) =>
        listPanelists(session, { accountId, externalId: undefined, request }),
      ))
        yield people.map(toRow);
  }
  const rows = found?.length ?? (await countPanelists(session, accountId, most));
  return { rows, slices, filter: q === "" ? "" : SEARCH };
}

export const EXPORT_PEOPLE_PAGE = csvExport({
  path: `${PEOPLE}/export`,
  exported: "people",
  title: "Export people",
  one: "person",
  many: "people",
  current: "people",
  list: (c) => PEOPLE + new URL(c.req.url).search,
  columns: COLUMNS,
  open,
});
