/** `/account/people/{id}`: one panelist, with proposals, comments and votes, and the team's actions. */
import { CONTRIBUTIONS_AT_MOST, type Contribution } from "../../database/people.ts";
import type { Panelist } from "../../model/panelist.ts";
import { Done, type JustDone } from "../frame/done.tsx";
import { Fact } from "../frame/fact.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { Time } from "../frame/times.tsx";
import { IDEA_STATUSES } from "../frame/words.ts";
import { nameOf } from "./list-page.tsx";

type Props = {
  readonly frame: Frame;
  readonly panelist: Panelist;
  readonly contributions: Readonly<Record<"proposals" | "comments" | "votes", readonly Contribution[]>>;
  readonly now: number;
  readonly done: JustDone | undefined;
};

export const PanelistPage = ({ frame, panelist, contributions, now, done }: Props) => {
  const { id, externalId, active, createdAt } = panelist;
  const action = `/account/people/${id}`;
  return (
    <Layout title={nameOf(panelist)} current="people" {...frame}>
      <p>
        <a href="/account/people">Back to people</a>
      </p>
      <Done done={done} />
      <dl>
        <Fact name="Your own id">{externalId === null ? "None" : <code>{externalId}</code>}</Fact>
        <Fact name="Identifier">
          <code>{id}</code>
        </Fact>
        <Fact name="First seen">
          <Time at={createdAt} now={now} />
        </Fact>
        <Fact name="State">{active ? "Active" : "Blocked: no token works, and none is issued"}</Fact>
      </dl>
      <form method="post" action={action} class="actions">
        <button type="submit" name="do" value="end-tokens">
          Revoke all tokens
        </button>
        <button type="submit" name="do" value={active ? "block" : "unblock"}>
          {active ? "Block" : "Unblock"}
        </button>
        <details>
          <summary class="danger">Delete…</summary>
          <p>The tokens end and the votes go. It cannot be undone.</p>
          <p class="buttons">
            <button type="submit" name="do" value="delete" class="danger">
              Delete, and keep ideas and comments without a name
            </button>
            <button type="submit" name="do" value="delete-all" class="danger">
              Delete with all ideas and comments
            </button>
          </p>
        </details>
      </form>
      <p class="hint">Revoking all tokens signs the person out everywhere. Your server can issue new ones at once.</p>
      <List title="Ideas" items={contributions.proposals} now={now} />
      <List title="Comments" items={contributions.comments} now={now} />
      <List title="Votes" items={contributions.votes} now={now} />
    </Layout>
  );
};

type ListProps = { readonly title: string; readonly items: readonly Contribution[]; readonly now: number };

const List = ({ title, items, now }: ListProps) => (
  <section aria-labelledby={title}>
    <h2 id={title}>{title}</h2>
    {items.length === 0 && <p>None.</p>}
    <ol class="events">
      {items.map(({ ideaBankId, proposalId, title, status, body, createdAt }) => (
        <li>
          <p>
            <a href={`/account/idea-banks/${ideaBankId}/ideas/${proposalId}`}>
              <bdi>{title}</bdi>
            </a>
          </p>
          {body && (
            <p dir="auto" class="pending-text">
              {body}
            </p>
          )}
          <p class="hint">
            {`${IDEA_STATUSES[status]}, `}
            <Time at={createdAt} now={now} />
          </p>
        </li>
      ))}
    </ol>
    {items.length === CONTRIBUTIONS_AT_MOST && <p class="hint">{`At most ${CONTRIBUTIONS_AT_MOST} are shown.`}</p>}
  </section>
);
