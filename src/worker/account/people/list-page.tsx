/** `/account/people`: the panelists of the account, and what each of them did. */
import { type Activity, COUNTED_AT_MOST, SEARCHED_AT_MOST } from "../../database/people.ts";
import type { Panelist } from "../../model/panelist.ts";
import { toTimestamp } from "../../model/text.ts";
import { Done, type JustDone } from "../frame/done.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { Time } from "../frame/times.tsx";
import { nameOf } from "../frame/words.ts";

type Props = {
  readonly frame: Frame;
  readonly q: string;
  readonly people: readonly Panelist[];
  readonly activity: ReadonlyMap<string, Activity>;
  /** Not all were searched by any part of a name. */
  readonly isPartial: boolean;
  readonly more: string | undefined;
  readonly here: string;
  readonly now: number;
  readonly done: JustDone | undefined;
};

export const PeoplePage = ({ frame, q, people, activity, isPartial, more, here, now, done }: Props) => (
  <Layout title="People" current="people" {...frame}>
    <Done done={done} />
    <search>
      <form method="get" action="/account/people" class="filters">
        <label>
          Name or ID
          <input type="search" name="q" value={q} maxlength={200} />
        </label>
        <button type="submit">Search</button>
        {q && <a href="/account/people">Clear search</a>}
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
        {`Searched the newest ${SEARCHED_AT_MOST.toLocaleString("en")} people by any part of their name or ID, and everyone else by how it starts.`}
      </p>
    )}
    {people.length > 0 && (
      <div class="stacks">
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">ID in your system</th>
              <th scope="col" class="number">
                Ideas
              </th>
              <th scope="col" class="number">
                Votes
              </th>
              <th scope="col" class="number">
                Comments
              </th>
              <th scope="col">Last active</th>
            </tr>
          </thead>
          <tbody>
            {people.map((panelist) => (
              <Person panelist={panelist} activity={activity.get(panelist.id)} here={here} now={now} />
            ))}
          </tbody>
        </table>
      </div>
    )}
    {more && (
      <p>
        <a href={`/account/people?cursor=${more}`}>Older</a>
      </p>
    )}
  </Layout>
);

type PersonProps = {
  readonly panelist: Panelist;
  readonly activity: Activity | undefined;
  readonly here: string;
  readonly now: number;
};

const Person = ({ panelist, activity, here, now }: PersonProps) => (
  <tr>
    <th scope="row">
      <a href={`/account/people/${panelist.id}?back=${encodeURIComponent(here)}`}>
        <bdi>{nameOf(panelist)}</bdi>
      </a>
      {!panelist.active && <span class="pill bad">Blocked</span>}
    </th>
    <td>{panelist.externalId !== null && <code>{panelist.externalId}</code>}</td>
    <Count of={activity?.ideas} noun="idea" />
    <Count of={activity?.votes} noun="vote" />
    <Count of={activity?.comments} noun="comment" />
    <td>
      {activity?.lastAt ? <Time at={toTimestamp(activity.lastAt)} now={now} /> : <span class="hint">Not yet</span>}
    </td>
  </tr>
);

const Count = ({ of: count = 0, noun }: { readonly of: number | undefined; readonly noun: string }) => (
  <td class="number" data-of={count === 1 ? noun : `${noun}s`}>
    {count >= COUNTED_AT_MOST ? `${COUNTED_AT_MOST}+` : count}
  </td>
);
