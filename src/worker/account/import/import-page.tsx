/** `/account/import`: the ideas of a file. The page's script reads the file and sends it in parts; each is one transaction. */
import type { Context } from "hono";
import { listIdeaBanks, loadIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { BANKS_AT_MOST } from "../../database/proposals/queue.ts";
import { handleError } from "../../http/problem-response.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { PROPOSAL_STATUSES } from "../../model/proposal.ts";
import { openOwn } from "../account-databases.ts";
import { Field } from "../frame/field.tsx";
import { IMPORT } from "../frame/import-link.tsx";
import { Layout } from "../frame/layout.tsx";
import { filledIn } from "../frame/own-link.ts";
import { page } from "../frame/page.tsx";
import { ownPage } from "../frame/visit.ts";
import { IDEA_STATUSES } from "../frame/words.ts";
import { IDEA_BANKS } from "../idea-banks/own-bank.tsx";
import { IDEAS } from "../ideas/opened-idea.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { writePart } from "./write-part.ts";

export const IMPORT_PAGE = page({
  path: IMPORT,
  needs: "member",
  allows: "requests",
  load: (c) => load(c),

  /** For the script, so errors are problem documents. */
  act: async (c) => {
    try {
      return c.json(await writePart(c));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return handleError(error, c);
    }
  },

  view: ({ boards, chosen, accountId, back }) => (
    <Layout title="Import ideas" current="ideas" scripts={["import.js"]}>
      <p>
        <a href={back}>Back to the list</a>
      </p>
      <p class="lead">
        From a CSV file, or an export of Canny or Fider. Your browser reads the file, and nothing is imported before you
        have seen it here.
      </p>
      <noscript>
        <p class="notice">This page needs JavaScript.</p>
      </noscript>
      <div class="import" data-account={accountId} data-statuses={JSON.stringify(statuses)}>
        <div class="create">
          <Field name="board" label="Board" message={undefined}>
            <select id="board">
              {boards.map(({ id, name }) => (
                <option value={id} selected={id === chosen}>
                  {name}
                </option>
              ))}
            </select>
          </Field>
          <Field name="file" label="File" hint="CSV, Canny’s JSON, or Fider’s ZIP archive" message={undefined}>
            <input id="file" type="file" accept=".csv,.tsv,.txt,.json,.zip" aria-describedby="file-hint" />
          </Field>
        </div>
        <div data-part="progress" />
        <div data-part="read" />
      </div>
    </Layout>
  ),
});

const statuses = PROPOSAL_STATUSES.map((status) => [status, IDEA_STATUSES[status]]);

type Props = {
  readonly boards: readonly IdeaBank[];
  readonly chosen: string | null;
  readonly accountId: string;
  readonly back: string;
};

async function load(c: Context<OwnerEnv>): Promise<Props | Response> {
  const { session, accountId } = await openOwn(c);
  const chosen = filledIn(c).get("board");
  const { items } = await listIdeaBanks(session, { accountId, request: { limit: BANKS_AT_MOST, after: undefined } });
  const other =
    chosen && !items.some(({ id }) => id === chosen) ? await loadIdeaBank(session, accountId, chosen) : null;
  const boards = other ? [other, ...items] : items;
  if (boards.length === 0) return c.redirect(`${IDEA_BANKS}#create`, 303);
  return { boards, chosen, accountId, back: ownPage(c.req.query("back") ?? null, IDEAS) };
}
