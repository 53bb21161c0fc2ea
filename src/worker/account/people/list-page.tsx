/** `/account/people`: the panelists of the account, found by the beginning of a name or an id. */
import type { Panelist } from "../../model/panelist.ts";
import { Done, type JustDone } from "../frame/done.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { Time } from "../frame/times.tsx";

type Props = {
  readonly frame: Frame;
  readonly q: string;
  readonly people: readonly Panelist[];
  readonly more: string | undefined;
  readonly now: number;
  readonly done: JustDone | undefined;
};

export const PeoplePage = ({ frame, q, people, more, now, done }: Props) => (
  <Layout title="People" current="people" {...frame}>
    <Done done={done} />
    <search>
      <form method="get" action="/account/people" class="filters">
        <label>
          Name, or your own id: how it begins
          <input type="search" name="q" value={q} maxlength={200} />
        </label>
        <button type="submit">Find</button>
        {q && <a href="/account/people">Show all</a>}
      </form>
    </search>
    {people.length === 0 && (
      <p class="notice">{q ? "Nobody’s name or id begins like that." : "Nobody has used an idea bank yet."}</p>
    )}
    <ul class="events">
      {people.map((panelist) => (
        <li>
          <p>
            <strong>
              <a href={`/account/people/${panelist.id}`}>
                <bdi>{nameOf(panelist)}</bdi>
              </a>
            </strong>
            {!panelist.active && " (blocked)"}
          </p>
          <p class="hint">
            {panelist.externalId !== null && <code>{panelist.externalId}</code>}
            {panelist.externalId !== null && ", "}
            <Time at={panelist.createdAt} now={now} />
          </p>
        </li>
      ))}
    </ul>
    {more && (
      <p>
        <a href={`/account/people?cursor=${more}`}>Older</a>
      </p>
    )}
  </Layout>
);

export const nameOf = ({ displayName, externalId, id }: Panelist): string => displayName ?? externalId ?? id;
