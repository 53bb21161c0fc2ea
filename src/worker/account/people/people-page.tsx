/** `/account/people`: the panelists of the account, and what each of them did. */
import type { Context } from "hono";
import { listPanelists } from "../../database/panelists/panelists.ts";
import {
  type Activity,
  COUNTED_AT_MOST,
  findPanelists,
  findSharing,
  loadActivity,
  SEARCHED_AT_MOST,
} from "../../database/panelists/people.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { PageQuery } from "../../model/pagination.ts";
import type { Panelist } from "../../model/panelist.ts";
import { toTimestamp } from "../../model/text.ts";
import { openOwn } from "../account-databases.ts";
import { Done } from "../frame/done.tsx";
import { ExportLink } from "../frame/export-link.tsx";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { Pager } from "../frame/pager.tsx";
import { Table } from "../frame/table.tsx";
import { Time } from "../frame/times.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { readVisit } from "../frame/visit.ts";
import { nameOf } from "../frame/words.ts";
import type { OwnerEnv } from "../owner-env.ts";

export const PEOPLE = "/account/people";

export const PEOPLE_PAGE = page({
  path: PEOPLE,

  load: async (c) => {
    const visit = readVisit(c);
    const q = c.req.query("q")?.trim().slice(0, 200) ?? "";
    const own = await openOwn(c);
    const { session, accountId } = own;
    const [{ people, isPartial, next }, done] = await Promise.all([
      q === ""
        ? listNewest(c, own)
        : findPanelists(session, accountId, q).then((found) => ({ ...found, next: undefined })),
      loadJustDone(own, visit, Date.now()),
    ]);
    const [activity, sharing] = await Promise.all([loadActivity(session, people), findSharing(session, people)]);
    return { q, people, isPartial, next, activity, sharing, here: visit.here, done };
  },

  view: ({ q, people, activity, sharing, isPartial, next, here, done }) => (
    <Layout title="People" current="people">
      <Done done={done} />
      <search>
        <form method="get" action={PEOPLE} class="filters">
          <label>
            Name, e-mail or ID
            <input type="search" name="q" value={q} maxlength={200} />
          </label>
          <button type="submit">Search</button>
          {q && <a href={PEOPLE}>Clear search</a>}
        </form>
      </search>
      {people.length === 0 && (
        <p class="notice">
          {q
            ? "No people match."
            : "No one has taken part yet. People appear here with their first idea, vote or comment."}
        </p>
      )}
      {q && isPartial && (
        <p class="hint">
          {`Searched the newest ${SEARCHED_AT_MOST.toLocaleString("en")} people by any part of their name, email or ID, and everyone else by how it starts.`}
        </p>
      )}
      {people.length > 0 && (
        <Table
          columns={[
            "Name",
            "ID in your system",
            { number: "Ideas" },
            { number: "Votes" },
            { number: "Comments" },
            "Last active",
            q === "" ? "First seen, newest first" : "First seen",
          ]}
        >
          {people.map((panelist) => (
            <Person
              panelist={panelist}
              activity={activity.get(panelist.id)}
              isSharing={sharing.has(panelist.id)}
              here={here}
            />
          ))}
        </Table>
      )}
      <Pager next={next && `${PEOPLE}?cursor=${next}`} />
      {people.length > 0 && (
        <ExportLink to={`${PEOPLE}/export${q && `?${new URLSearchParams({ q })}`}`} what="people" />
      )}
    </Layout>
  ),
});

async function listNewest(c: Context<OwnerEnv>, { session, accountId }: Awaited<ReturnType<typeof openOwn>>) {
  const { page } = await readPage(c, PageQuery);
  const { items, next } = await listPanelists(session, { accountId, externalId: undefined, request: page });
  return { people: items, isPartial: false, next: await nextCursor(c, next) };
}

type PersonProps = {
  readonly panelist: Panelist;
  readonly activity: Activity | undefined;
  /** Somebody else has the same mailbox. */
  readonly isSharing: boolean;
  readonly here: string;
};

const Person = ({ panelist, activity, isSharing, here }: PersonProps) => (
  <tr>
    <th scope="row">
      <a href={`${PEOPLE}/${panelist.id}?back=${encodeURIComponent(here)}`}>
        <bdi>{nameOf(panelist)}</bdi>
      </a>
      {!panelist.active && <span class="pill bad">Blocked</span>}
      {isSharing && <span class="pill">Same mailbox</span>}
      {panelist.email !== null && (
        <div class="hint">
          <bdi>{panelist.email}</bdi>
        </div>
      )}
    </th>
    <td>{panelist.externalId !== null && <code>{panelist.externalId}</code>}</td>
    <Count of={activity?.ideas} noun="idea" />
    <Count of={activity?.votes} noun="vote" />
    <Count of={activity?.comments} noun="comment" />
    <td data-of={activity?.lastAt ? "last active" : undefined}>
      {activity?.lastAt ? <Time at={toTimestamp(activity.lastAt)} /> : <span class="hint">Not yet</span>}
    </td>
    <td data-of="first seen">
      <Time at={panelist.createdAt} />
    </td>
  </tr>
);

const Count = ({ of: count = 0, noun }: { readonly of: number | undefined; readonly noun: string }) => (
  <td class="number" data-of={count === 1 ? noun : `${noun}s`}>
    {count >= COUNTED_AT_MOST ? `${COUNTED_AT_MOST}+` : count}
  </td>
);
