/** `…/ideas/{id}/voters/export`: who votes for an idea, as a file. */
import type { Context } from "hono";
import { loadPanelists } from "../../database/panelists/panelists.ts";
import { loadProposal } from "../../database/proposals/proposals.ts";
import { countVoters, listVoters } from "../../database/votes/voters.ts";
import type { Column } from "../../http/csv-file.ts";
import type { Page, PageRequest } from "../../model/pagination.ts";
import type { Voter } from "../../model/voter.ts";
import { openOwn } from "../account-databases.ts";
import { orNotFound } from "../frame/decide.ts";
import { addressOf, IDEA, pathOfIdea } from "../ideas/opened-idea.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { PEOPLE } from "../people/people-page.tsx";
import { csvExport } from "./csv-export.tsx";
import { slicesOf } from "./slices.ts";

type Row = Voter & { readonly email: string | null; readonly link: string };

const COLUMNS: readonly Column<Row>[] = [
  ["id", ({ panelistId }) => panelistId],
  ["external_id", ({ externalId }) => externalId],
  ["name", ({ displayName }) => displayName],
  ["email", ({ email }) => email],
  ["voted_at", ({ at }) => at],
  ["link", ({ link }) => link],
];

async function open(c: Context<OwnerEnv>, most: number) {
  const path = pathOfIdea(c);
  const { session, accountId } = await openOwn(c);
  const [idea, rows] = await Promise.all([
    loadProposal(session, accountId, path),
    countVoters(session, { accountId, path }, most),
  ]);
  orNotFound(idea);
  const { origin } = new URL(c.req.url);
  const read = async (request: PageRequest): Promise<Page<Row>> => {
    const { items, next } = orNotFound(await listVoters(session, { accountId, path, request }));
    const people = await loadPanelists(
      session,
      accountId,
      items.map(({ panelistId }) => panelistId),
    );
    const emails = new Map(people.map(({ id, email }) => [id, email]));
    const toRow = (voter: Voter): Row => ({
      ...{ ...voter, email: emails.get(voter.panelistId) ?? null },
      link: `${origin}${PEOPLE}/${voter.panelistId}`,
    });
    return { items: items.map(toRow), next };
  };
  return { rows, slices: () => slicesOf(read), filter: `idea=${path.proposalId}` };
}

export const EXPORT_VOTERS_PAGE = csvExport({
  path: `${IDEA}/voters/export`,
  exported: "voters",
  title: "Export voters",
  one: "voter",
  many: "voters",
  current: "ideas",
  list: (c) => `${addressOf(pathOfIdea(c))}/voters`,
  columns: COLUMNS,
  open,
});
