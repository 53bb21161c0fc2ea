/** `/account/people/{id}`: one panelist, with proposals, comments and votes, and the team's actions. */
import { CONTRIBUTIONS_AT_MOST, type Contribution } from "../../database/people.ts";
import type { Panelist } from "../../model/panelist.ts";
import { Done, type JustDone } from "../frame/done.tsx";
import { Fact } from "../frame/fact.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { Time } from "../frame/times.tsx";
import { nameOf } from "../frame/words.ts";
import { Written } from "../ideas/written.tsx";

type Props = {
  readonly frame: Frame;
  readonly panelist: Panelist;
  readonly contributions: Readonly<Record<"proposals" | "comments" | "votes", readonly Contribution[]>>;
  /** This page, which leads back to the list. */
  readonly here: string;
  /** The list, the idea or the voters from which the page was opened. */
  readonly back: string | undefined;
  readonly now: number;
  readonly done: JustDone | undefined;
};

export const PanelistPage = ({ frame, panelist, contributions, here, back, now, done }: Props) => {
  const { id, externalId, active, createdAt } = panelist;
  return (
    <Layout title={nameOf(panelist)} current="people" {...frame}>
      <p>
        <a href={back ?? "/account/people"}>{backInWords(back)}</a>
      </p>
      <Done done={done} person={nameOf(panelist)} />
      <dl>
        <Fact name="Status">{active ? "Active" : "Blocked: their tokens don’t work, and no new ones are issued"}</Fact>
        <Fact name="First seen">
          <Time at={createdAt} now={now} />
        </Fact>
        <Fact name="ID in your system">{externalId === null ? "None" : <code>{externalId}</code>}</Fact>
        <Fact name="Internal ID">
          <code>{id}</code>
        </Fact>
      </dl>
      <form method="post" action={here} class="actions">
        <button type="submit" name="do" value="end-tokens">
          Sign out everywhere
        </button>
        <button type="submit" name="do" value={active ? "block" : "unblock"}>
          {active ? "Block" : "Unblock"}
        </button>
        <details>
          <summary class="danger">Delete…</summary>
          <p>Their votes are deleted and their tokens stop working. You can’t undo this.</p>
          <p class="buttons">
            <button type="submit" name="do" value="delete" class="danger">
              Delete person, keep ideas and comments
            </button>
            <button type="submit" name="do" value="delete-all" class="danger">
              Delete person, ideas and comments
            </button>
          </p>
        </details>
      </form>
      <p class="hint">
        Signing out revokes all tokens. Your site gets a new one when the person comes back. Blocking also keeps them
        from getting a new one. Once unblocked, they sign in again.
      </p>
      <List title="Ideas" items={contributions.proposals} here={here} canDelete now={now} />
      <List title="Comments" items={contributions.comments} here={here} canDelete now={now} />
      <List title="Votes" items={contributions.votes} here={here} now={now} />
    </Layout>
  );
};

const backInWords = (back = ""): string => {
  const [path = ""] = back.split("?");
  if (/\/(ideas|approval)\/\w{12}$/.test(path)) return "Back to the idea";
  return path.endsWith("/voters") ? "Back to the voters" : "Back to the list";
};

type ListProps = {
  readonly title: string;
  readonly items: readonly Contribution[];
  readonly here: string;
  readonly canDelete?: boolean;
  readonly now: number;
};

const List = ({ title, items, here, canDelete = false, now }: ListProps) => (
  <section aria-labelledby={title}>
    <h2 id={title}>{title}</h2>
    {items.length === 0 && <p class="hint">None yet.</p>}
    <ol class="events">
      {items.map((item) => (
        <Written item={item} here={here} canDelete={canDelete} now={now} />
      ))}
    </ol>
    {items.length === CONTRIBUTIONS_AT_MOST && <p class="hint">{`Showing ${CONTRIBUTIONS_AT_MOST}.`}</p>}
  </section>
);
