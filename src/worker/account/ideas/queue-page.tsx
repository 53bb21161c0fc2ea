/** `/account/idea-banks/{id}`: its ideas, the newest first, and the bar for several of them. */
import type { IdeaBank } from "../../model/idea-bank.ts";
import { PROPOSAL_STATUSES, type Proposal, type ProposalFilter } from "../../model/proposal.ts";
import type { TagCount } from "../../model/tag.ts";
import { Done, type JustDone } from "../frame/done.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { Time } from "../frame/times.tsx";
import { counted, IDEA_STATUSES, IDEA_VISIBILITIES } from "../frame/words.ts";
import { BankNav } from "../idea-banks/nav.tsx";

type Props = {
  readonly frame: Frame;
  readonly ideaBank: IdeaBank;
  readonly ideas: readonly Proposal[];
  readonly tags: readonly TagCount[];
  readonly filter: ProposalFilter;
  readonly here: string;
  readonly more: string | undefined;
  readonly now: number;
  readonly done: JustDone | undefined;
};

export const IdeasPage = ({ frame, ideaBank, ideas, tags, filter, here, more, now, done }: Props) => {
  const path = `/account/idea-banks/${ideaBank.id}`;
  const isFiltered = Object.keys(toParameters(filter)).length > 0;
  return (
    <Layout title={ideaBank.name} current="idea-banks" {...frame}>
      <BankNav id={ideaBank.id} current="" />
      <Done done={done} />
      <Filters path={path} tags={tags} filter={filter} isFiltered={isFiltered} />
      {ideas.length === 0 && <p class="notice">{isFiltered ? "No idea fits." : "There are no ideas yet."}</p>}
      {ideas.length > 0 && (
        <form method="post" action={path}>
          <input type="hidden" name="back" value={here} />
          <ol class="events ideas">
            {ideas.map((idea) => (
              <IdeaRow idea={idea} href={`${path}/ideas/${idea.id}?back=${encodeURIComponent(here)}`} now={now} />
            ))}
          </ol>
          <Several tags={tags} />
        </form>
      )}
      {more && (
        <p>
          <a href={`${path}?${new URLSearchParams({ ...toParameters(filter), cursor: more })}`}>Older</a>
        </p>
      )}
    </Layout>
  );
};

const toParameters = ({ status, visibility, tag, externalId, q }: ProposalFilter): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ status: status?.join(), visibility, tag, externalId, q }).filter(
      (entry): entry is [string, string] => !!entry[1],
    ),
  );

type FiltersProps = Pick<Props, "tags" | "filter"> & { readonly path: string; readonly isFiltered: boolean };

const Filters = ({ path, tags, filter, isFiltered }: FiltersProps) => (
  <search>
    <form method="get" action={path} class="filters">
      <label>
        Words in the title
        <input type="search" name="q" value={filter.q} maxlength={200} />
      </label>
      <Choose name="status" label="Status" chosen={filter.status?.join()} options={Object.entries(IDEA_STATUSES)} />
      <Choose
        name="visibility"
        label="Visibility"
        chosen={filter.visibility}
        options={Object.entries(IDEA_VISIBILITIES).map(([value, [name]]) => [value, name])}
      />
      {tags.length > 0 && (
        <Choose name="tag" label="Tag" chosen={filter.tag} options={tags.map(({ tag }) => [tag, tag])} />
      )}
      <button type="submit">Show</button>
      {isFiltered && <a href={path}>Show all</a>}
    </form>
  </search>
);

type ChooseProps = {
  readonly name: string;
  readonly label: string;
  readonly chosen?: string | undefined;
  readonly options: readonly (readonly [value: string, words: string])[];
};

const Choose = ({ name, label, chosen, options }: ChooseProps) => (
  <label>
    {label}
    <select name={name}>
      <option value="">All</option>
      {options.map(([value, words]) => (
        <option value={value} selected={value === chosen}>
          {words}
        </option>
      ))}
    </select>
  </label>
);

type RowProps = { readonly idea: Proposal; readonly href: string; readonly now: number };

const IdeaRow = ({
  idea: { id, title, status, visibility, votes, comments, tags, createdAt },
  href,
  now,
}: RowProps) => (
  <li id={`idea-${id}`}>
    <input type="checkbox" name="ids" value={id} aria-label={`Choose “${title}”`} />
    <div>
      <h2 dir="auto">
        <a href={href}>{title}</a>
      </h2>
      <p class="hint">
        {[
          IDEA_STATUSES[status],
          ...(visibility === "public" ? [] : [IDEA_VISIBILITIES[visibility][0]]),
          counted(votes, "vote"),
          counted(comments, "comment"),
        ].join(", ")}
        {", "}
        <Time at={createdAt} now={now} />
        {tags.map((tag) => [" ", <bdi class="tag">{tag}</bdi>])}
      </p>
    </div>
  </li>
);

/** The button that adds a tag comes first in the form, so Enter in the tag's field presses it. */
const Several = ({ tags }: Pick<Props, "tags">) => (
  <fieldset class="several">
    <legend>With those that you choose</legend>
    <label class="choice" data-all hidden>
      <input type="checkbox" />
      <span>All of this page</span>
    </label>
    <span class="buttons">
      <input name="tag" list="tags" maxlength={32} aria-label="Tag" placeholder="Tag" autocomplete="off" required />
      <datalist id="tags">
        {tags.map(({ tag }) => (
          <option value={tag}>{tag}</option>
        ))}
      </datalist>
      <button type="submit" name="do" value="tag">
        Add tag
      </button>
      <button type="submit" name="do" value="untag">
        Remove tag
      </button>
    </span>
    <span class="buttons">
      <select name="status" aria-label="Status">
        {PROPOSAL_STATUSES.map((status) => (
          <option value={status}>{IDEA_STATUSES[status]}</option>
        ))}
      </select>
      <button type="submit" name="do" value="status" formnovalidate>
        Set status
      </button>
    </span>
    <span class="buttons">
      <button type="submit" name="do" value="public" formnovalidate>
        Make public
      </button>
      <button type="submit" name="do" value="hidden" formnovalidate>
        Hide
      </button>
    </span>
  </fieldset>
);
