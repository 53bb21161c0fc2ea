/** The rows of the queue, each with the form that decides about its idea, and the bar for several of them. */
import type { Writing } from "../../database/members/writing-members.ts";
import { type QueuedIdea, UNANSWERED } from "../../database/proposals/queue.ts";
import { isRecent, RECENT_DAYS } from "../../database/proposals/recent-votes.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { firstLine } from "../../model/light-formatting.ts";
import type { Member } from "../../model/member.ts";
import type { PrivateTagCount } from "../../model/private-tag.ts";
import { PROPOSAL_STATUSES, type ProposalStatus } from "../../model/proposal.ts";
import type { TagCount } from "../../model/tag.ts";
import { useMay } from "../frame/frame.ts";
import { OpenedWith } from "../frame/opened-form.tsx";
import { Time } from "../frame/times.tsx";
import { backTo } from "../frame/visit.ts";
import { IDEA_STATUSES, IDEA_VISIBILITIES, number } from "../frame/words.ts";
import { Approval } from "./approval.tsx";
import { AssigneeChip, AssignSeveral } from "./assignee.tsx";
import { toValue } from "./chosen.ts";
import { NAMELESS } from "./comments.tsx";
import { PrivateTags, TagPrivately } from "./private-tags.tsx";
import type { QueueQuery } from "./queue-filters.tsx";
import { Offers, SmallTellBox } from "./tell-people.tsx";
import { WritingLine, writingInWords } from "./writing.tsx";

type Props = {
  readonly path: string;
  readonly ideas: readonly QueuedIdea[];
  readonly boards: readonly IdeaBank[];
  readonly board: IdeaBank | undefined;
  readonly tags: readonly TagCount[];
  readonly privateTags: readonly PrivateTagCount[];
  readonly members: readonly Member[];
  readonly writing: readonly Writing[];
  readonly query: QueueQuery;
  readonly here: string;
  /** The account’s people are told of decisions by e-mail. */
  readonly tellsPeople: boolean;
  /** A decision was made right before. */
  readonly isDone: boolean;
  /** Identifiers of the ideas that are chosen when the page opens. */
  readonly chosen: ReadonlySet<string>;
  /** The box of the rows, which asks whether people are told. */
  readonly isTicked: boolean;
};

/** The bar stands after the list: without JavaScript it covers nothing, and with it it follows the choice. */
export const List = (props: Props) => {
  const { path, ideas, boards, board, here, query, tellsPeople, isDone, members, writing, chosen } = props;
  // Only a board that is known to tell nobody has no box: of the others, the decision decides.
  const quiet = new Set(
    [...boards, ...(board ? [board] : [])].filter((each) => !each.notifiesPeople).map(({ id }) => id),
  );
  const tells = ({ ideaBankId, visibility }: QueuedIdea) =>
    tellsPeople && visibility === "public" && !quiet.has(ideaBankId);
  const names = new Map(boards.map(({ id, name }) => [id, name]));
  const isWaiting = query.visibility === "pending";
  const isOneByOne = isWaiting || query.status === UNANSWERED;
  const mayChange = useMay("member");
  const asks = mayChange && !isWaiting && ideas.some(tells);
  return (
    <>
      <form method="post" action={path} id="row">
        <input type="hidden" name="back" value={here} />
        {asks && <Offers name="tell" />}
      </form>
      {ideas.map((idea) =>
        isWaiting ? (
          <form method="post" action={ideaAt(idea, here)} id={`approve-${idea.id}`} />
        ) : (
          !idea.isAnswered && <RespondForm idea={idea} tells={tells(idea)} here={here} />
        ),
      )}
      <form method="post" action={path} class="queue" data-queue>
        <input type="hidden" name="back" value={here} />
        {asks && (
          <SmallTellBox name="tell" form="row" of="each status that you set here" isSeen isTicked={props.isTicked} />
        )}
        <ol class="ideas" id="list" tabindex={-1}>
          {ideas.map((idea, index) => (
            <IdeaRow
              idea={idea}
              tells={tells(idea)}
              isWaiting={isWaiting}
              isChosen={chosen.has(idea.id)}
              recentDays={isRecent(query.sort) ? RECENT_DAYS[query.sort] : undefined}
              isNext={index === 0 && isOneByOne && (isDone ? "focused" : true)}
              boardName={board === undefined && boards.length > 1 ? names.get(idea.ideaBankId) : undefined}
              here={here}
              members={members}
              writing={writing.filter(({ proposalId }) => proposalId === idea.id)}
            />
          ))}
        </ol>
        {mayChange && <Several {...props} isWaiting={isWaiting} tells={ideas.some(tells)} />}
      </form>
    </>
  );
};

type RowProps = Pick<Props, "members" | "writing"> & {
  readonly idea: QueuedIdea;
  /** People can be told of what is decided about it. */
  readonly tells: boolean;
  /** It is approved here, so all of its text is shown. */
  readonly isWaiting: boolean;
  readonly isChosen: boolean;
  /** It is the one to be decided about next; `focused`: right after another one. */
  readonly isNext: boolean | "focused";
  readonly boardName: string | undefined;
  /** The list is in the order of the votes of so many days. */
  readonly recentDays: number | undefined;
  readonly here: string;
};

const ideaAt = ({ ideaBankId, id }: QueuedIdea, back: string): string =>
  `/account/idea-banks/${ideaBankId}/ideas/${id}?back=${encodeURIComponent(back)}`;

/** The form of the response on an idea's page, with the two fields of `Respond`. It stands before the list, because forms do not nest. */
const RespondForm = ({ idea, tells, here }: Pick<RowProps, "idea" | "tells" | "here">) => {
  const { id, status } = idea;
  const fields = new URLSearchParams({ status, response: "" });
  return (
    <form method="post" action={ideaAt(idea, here)} id={`respond-${id}`}>
      <OpenedWith fields={fields} />
      <input type="hidden" name="asks" value="publish" />
      <input type="hidden" name="then" value="list" />
      {tells && <Offers name="tell" />}
    </form>
  );
};

type RespondProps = Pick<RowProps, "idea" | "tells" | "isNext" | "writing">;

const Respond = ({ idea: { ideaBankId, id, title, status }, tells, isNext, writing }: RespondProps) => (
  <details class="respond" open={isNext !== false}>
    <summary>Respond</summary>
    <textarea
      name="response"
      data-draft=""
      form={`respond-${id}`}
      rows={3}
      dir="auto"
      required
      autofocus={isNext === "focused"}
      aria-describedby={isNext === "focused" ? "done" : undefined}
      aria-label={`Official response to “${title}”`}
    />
    <WritingLine path={{ ideaBankId, proposalId: id }} others={writing} />
    <span class="buttons">
      <select name="status" form={`respond-${id}`} aria-label={`New status of “${title}”`}>
        <StatusOptions chosen={status} />
      </select>
      <button type="submit" form={`respond-${id}`} name="do" value="decide" class="primary">
        Post response
      </button>
      {tells && <SmallTellBox name="tell" form={`respond-${id}`} of={`the response to “${title}”`} />}
    </span>
  </details>
);

const StatusOptions = ({ chosen }: { readonly chosen: ProposalStatus | undefined }) =>
  PROPOSAL_STATUSES.map((each) => (
    <option value={each} selected={each === chosen}>
      {IDEA_STATUSES[each]}
    </option>
  ));

const IdeaRow = ({ idea, writing, ...props }: RowProps) => {
  const { tells, isWaiting, isChosen, recentDays, isNext, boardName, here, members } = props;
  const { id, ideaBankId, title, beginning, status, visibility, votes, comments, tags, createdAt } = idea;
  const href = ideaAt(idea, here);
  const key = `${ideaBankId}-${id}`;
  const mayChange = useMay("member");
  return (
    <li id={`idea-${id}`} class={isWaiting ? "waits" : undefined}>
      {mayChange && (
        <input
          type="checkbox"
          name="ids"
          value={toValue(idea, isWaiting)}
          checked={isChosen}
          aria-label={`Choose “${title}”`}
        />
      )}
      {!isWaiting && (
        <p class="votes">
          <strong>{votes.toLocaleString("en")}</strong> <span>{votes === 1 ? "vote" : "votes"}</span>
        </p>
      )}
      <div>
        <div class="line">
          <h2 dir="auto">
            <a href={href}>{title}</a>
          </h2>
          {beginning && !isWaiting && (
            <p class="beginning" dir="auto">
              {firstLine(beginning)}
            </p>
          )}
        </div>
        {beginning && isWaiting && (
          <p class="pending-text" dir="auto">
            {beginning}
          </p>
        )}
        {isWaiting && idea.isCut && (
          <p>
            <a href={href}>Read the full text</a>
          </p>
        )}
        <p class="hint">
          {visibility !== "public" && !isWaiting && <span class="pill warn">{IDEA_VISIBILITIES[visibility][0]}</span>}
          {tags.map((tag) => (
            <bdi class="tag">{tag}</bdi>
          ))}
          <PrivateTags tags={idea.privateTags} />
          <AssigneeChip members={members} assignee={idea.assignee} />
          <Author idea={idea} isLink={isWaiting} here={here} />
          {boardName !== undefined && <bdi class="board">{boardName}</bdi>}
          {recentDays !== undefined && <span>{`${number(idea.sortKey)} in ${recentDays} days`}</span>}
          {comments > 0 && <span>{comments === 1 ? "1 comment" : `${comments} comments`}</span>}
          {idea.isAnswered && <span>Responded</span>}
          {writing.length > 0 && <bdi class="pill">{writingInWords(writing).replace(/\.$/, "")}</bdi>}
          <Time at={createdAt} />
        </p>
        {isWaiting && mayChange && (
          <span class="buttons">
            <Approval idea={idea} form={`approve-${id}`} isNext={isNext === "focused"} />
          </span>
        )}
      </div>
      {!isWaiting && !mayChange && <span class="pill">{IDEA_STATUSES[status]}</span>}
      {!isWaiting && mayChange && (
        <span class="set">
          <input type="hidden" name={`was-${id}`} form="row" value={status} />
          <select name={`status-${id}`} form="row" class={`status ${status}`} aria-label={`Status of “${title}”`}>
            <StatusOptions chosen={status} />
          </select>
          <button
            type="submit"
            form="row"
            name="do"
            value={`status:${key}`}
            aria-label={`Set the status of “${title}”`}
          >
            Set
          </button>
        </span>
      )}
      {!isWaiting && mayChange && !idea.isAnswered && (
        <Respond idea={idea} tells={tells} isNext={isNext} writing={writing} />
      )}
    </li>
  );
};

type AuthorProps = { readonly idea: QueuedIdea; readonly isLink: boolean; readonly here: string };

/** Who wrote what waits may have to be blocked. */
const Author = ({ idea: { author, authorId }, isLink, here }: AuthorProps) =>
  isLink && authorId !== null ? (
    <a href={backTo(`/account/people/${authorId}`, here)}>
      <bdi>{author ?? NAMELESS}</bdi>
    </a>
  ) : (
    author !== null && <bdi>{author}</bdi>
  );

type SeveralProps = Pick<Props, "tags" | "privateTags" | "members"> & {
  readonly isWaiting: boolean;
  readonly tells: boolean;
};

/** The button that adds a tag comes first in the form, so without JavaScript Enter in a field presses it. The style shows the status first. */
const Several = ({ tags, privateTags, members, isWaiting, tells }: SeveralProps) => (
  <fieldset class="several">
    <legend data-chosen>Selected ideas</legend>
    <label class="choice" data-all hidden>
      <input type="checkbox" />
      <span>
        Select all<span class="roomy"> on this page</span>
      </span>
    </label>
    <details class="fold">
      <summary>More</summary>
      <div>
        <span class="buttons">
          <input name="tag" list="tags" maxlength={32} aria-label="Tag" placeholder="Tag" autocomplete="off" required />
          <datalist id="tags">
            {tags.map(({ tag }) => (
              <option value={tag}>{tag}</option>
            ))}
          </datalist>
          <button type="submit" name="do" value="tag">
            Add<span class="unseen"> tag</span>
          </button>
          <button type="submit" name="do" value="untag">
            Remove<span class="unseen"> tag</span>
          </button>
        </span>
        <TagPrivately known={privateTags} />
        <AssignSeveral members={members} />
        <span class="buttons">
          {!isWaiting && <Press what="public" label="Make public" />}
          {!isWaiting && <Press what="hidden" label="Hide" />}
          <Press what="merge" label="Merge…" />
          <Press what="delete" label="Delete…" isDanger />
        </span>
      </div>
    </details>
    {isWaiting ? (
      <span class="buttons">
        <Press what="public" label="Approve selected" />
        <Press what="hidden" label="Hide selected" />
      </span>
    ) : (
      <span class="buttons">
        <select name="status" aria-label="Status">
          <option value="">Status…</option>
          <StatusOptions chosen={undefined} />
        </select>
        <Press what="status" label="Set status" />
        {tells && <Offers name="tell" />}
        {tells && <SmallTellBox name="tell" of="the status of these ideas" />}
      </span>
    )}
  </fieldset>
);

type PressProps = { readonly what: string; readonly label: string; readonly isDanger?: boolean };

const Press = ({ what, label, isDanger = false }: PressProps) => (
  <button type="submit" name="do" value={what} formnovalidate class={isDanger ? "danger" : undefined}>
    {label}
  </button>
);
