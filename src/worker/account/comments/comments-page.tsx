/** `/account/comments`: the comments on all boards, or on one (`?board=`), the newest first; and those that wait for approval (`?show=waiting`). */

import type { Context } from "hono";
import * as z from "zod/mini";
import {
  listRecentComments,
  listWaitingComments,
  type RecentComment,
} from "../../database/comments/recent-comments.ts";
import { listIdeaBanks } from "../../database/idea-banks/idea-banks.ts";
import { loadPanelist, updatePanelist } from "../../database/panelists/panelists.ts";
import { BANKS_AT_MOST } from "../../database/proposals/queue.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { readForm } from "../../http/read-body.ts";
import { Id, isId } from "../../model/id.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { PAGE_PARAMETERS } from "../../model/pagination.ts";
import type { Panelist } from "../../model/panelist.ts";
import { oneOf } from "../../model/text.ts";
import { openOwn } from "../account-databases.ts";
import { decide, idsOf, noSuchContent, orNotFound } from "../frame/decide.ts";
import { Done, type JustDone, Outcome } from "../frame/done.tsx";
import { useMay } from "../frame/frame.ts";
import { Layout, pathOf } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { Time } from "../frame/times.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { backTo, ownPage, readVisit, type Told, withParameter, withParameters } from "../frame/visit.ts";
import { IDEA_VISIBILITIES, nameOf } from "../frame/words.ts";
import { CommentApproval, changeComments, isOfComments, NAMELESS } from "../ideas/comments.tsx";
import { MAX_TEXT_FORM_BYTES } from "../ideas/text-fields.tsx";
import { countEnd, limitOwner } from "../identity/limit-owner.ts";
import type { OwnerEnv } from "../owner-env.ts";
import {
  APPROVAL_NOTICES,
  Approved,
  approveSeveral,
  ChooseComment,
  isApprovable,
  SeveralComments,
} from "./approve-several.tsx";

const COMMENTS = pathOf("comments");

const Query = z.strictObject({
  ...PAGE_PARAMETERS,
  board: z.optional(Id),
  show: z.optional(oneOf(["waiting"])),
});
type Query = z.infer<typeof Query>;

type Props = {
  readonly comments: readonly RecentComment[];
  /** The member had seen those until then (Unix milliseconds). */
  readonly seenUpTo: number | null;
  readonly boards: readonly IdeaBank[];
  readonly query: Query;
  readonly here: string;
  readonly more: string | undefined;
  readonly done: JustDone | undefined;
  /** Whom the last decision was about. */
  readonly person: Panelist | null;
  readonly told: Told | undefined;
  readonly filled: URLSearchParams;
};

export const COMMENTS_PAGE = page({
  path: COMMENTS,

  load: async (c): Promise<Props> => {
    const visit = readVisit(c, APPROVAL_NOTICES);
    const { query, page } = await readPage(c, Query);
    const { session, accountId } = await openOwn(c);
    const { items: boards } = await listIdeaBanks(session, {
      accountId,
      request: { limit: BANKS_AT_MOST, after: undefined },
    });
    const { board } = query;
    const isAll = board === undefined && page.after === undefined;
    const list = async () =>
      query.show === "waiting"
        ? { seenUpTo: null, ...(await listWaitingComments(session, { accountId, ideaBankId: board }, page)) }
        : listRecentComments(
            session,
            {
              ...{ accountId, person: c.var.owner.person, isAll },
              ideaBankIds: board === undefined ? boards.map(({ id }) => id) : [board],
            },
            page,
          );
    const [listed, person, done] = await Promise.all([
      list(),
      isId(visit.person ?? "") ? loadPanelist(session, accountId, visit.person ?? "") : null,
      loadJustDone({ session, accountId }, visit, Date.now()),
    ]);
    return {
      ...{ comments: listed.items, seenUpTo: listed.seenUpTo, boards, query },
      ...{ here: visit.here, more: await nextCursor(c, listed.next), done, person },
      ...{ told: visit.told, filled: visit.filled },
    };
  },

  view: (props) => <CommentsPage {...props} />,

  act: async (c) => {
    const fields = await readForm(c, { maxBytes: MAX_TEXT_FORM_BYTES });
    const back = ownPage(fields.get("back"), COMMENTS);
    const what = fields.get("do") ?? "";
    if (what === "block" || what === "unblock") {
      const { panelistId } = idsOf({ panelistId: fields.get("panelistId") ?? "" });
      const event = await switchPerson(c, panelistId, what === "unblock");
      return c.redirect(
        withParameters(back, [
          ["undo", event],
          ["person", panelistId],
        ]),
        303,
      );
    }
    if (what === "approve-several") return approveSeveral(c, fields, back);
    if (!isOfComments(what)) throw noSuchContent();
    await limitOwner(c);
    const path = idsOf({
      ideaBankId: fields.get("ideaBankId") ?? "",
      proposalId: fields.get("proposalId") ?? "",
    });
    return c.redirect(withParameter(back, "undo", await changeComments(c, { path, what, fields })), 303);
  },
});

/** Blocks the person, or ends that, and returns the event's id. Throws `not-found`. */
async function switchPerson(c: Context<OwnerEnv>, id: string, active: boolean): Promise<string> {
  // Whatever ends something is done, however many changes were made.
  if (active) await limitOwner(c);
  const isUncounted = !active && !(await countEnd(c));
  const { answer, eventId } = await decide(c, { kind: "panelist", id, isUncounted }, ({ session, accountId, now }) =>
    updatePanelist(session, { accountId, id, changes: { active }, now }),
  );
  const written = orNotFound(answer);
  if (written !== "other-id" && written.revocation !== undefined) c.var.views.noteRevocation(written.revocation);
  return eventId;
}

const parametersOf = (query: Query, changes: Partial<Query>): URLSearchParams => {
  const { board, show, cursor } = { ...query, cursor: undefined, ...changes };
  return new URLSearchParams({ ...(show && { show }), ...(board && { board }), ...(cursor && { cursor }) });
};
const linkTo = (query: Query, changes: Partial<Query>): string =>
  `${COMMENTS}?${parametersOf(query, changes)}`.replace(/\?$/, "");

const CommentsPage = (props: Props) => {
  const { comments, seenUpTo, boards, query, here, more, done, person } = props;
  const isWaiting = query.show === "waiting";
  const names = new Map(boards.map(({ id, name }) => [id, name] as const));
  const mayChange = useMay("member");
  const list = comments.length > 0 && (
    <ol>
      {comments.map((comment) => (
        <OneComment
          comment={comment}
          isNew={!comment.byTeam && seenUpTo !== null && Date.parse(comment.createdAt) > seenUpTo}
          boardName={query.board === undefined && boards.length > 1 ? names.get(comment.ideaBankId) : undefined}
          here={here}
        />
      ))}
    </ol>
  );
  return (
    <Layout title="Comments" current="comments" scripts={["queue.js"]}>
      <Done done={done} {...(person && { person: nameOf(person) })} />
      <Outcome told={props.told} />
      <Approved filled={props.filled} here={here} />
      <nav class="tabs" aria-label="Comments">
        <a href={linkTo(query, { show: undefined })} aria-current={isWaiting ? undefined : "page"}>
          All
        </a>
        <a href={linkTo(query, { show: "waiting" })} aria-current={isWaiting ? "page" : undefined}>
          Waiting for approval
        </a>
      </nav>
      {boards.length > 1 && (
        <search>
          <form method="get" action={COMMENTS} class="filters">
            {isWaiting && <input type="hidden" name="show" value="waiting" />}
            <label>
              Board
              <select name="board">
                <option value="">All boards</option>
                {boards.map(({ id, name }) => (
                  <option value={id} selected={id === query.board}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
            <button type="submit">Filter</button>
          </form>
        </search>
      )}
      {comments.length === 0 && (
        <p class="notice">
          {more
            ? "Nothing left on this page. See “Older”."
            : isWaiting
              ? "Nothing is waiting for approval."
              : "No comments yet."}
        </p>
      )}
      {mayChange && comments.map((comment) => <CommentForm comment={comment} here={here} />)}
      {comments.some(isApprovable) && mayChange ? (
        <form method="post" action={COMMENTS} class="queue talk">
          <input type="hidden" name="back" value={here} />
          {list}
          <SeveralComments />
        </form>
      ) : (
        <div class="queue talk">{list}</div>
      )}
      {(more || query.cursor) && (
        <p class="buttons">
          {query.cursor && <a href={linkTo(query, {})}>Newest</a>}
          {more && (
            <a href={linkTo(query, { cursor: more })} rel="next">
              Older
            </a>
          )}
        </p>
      )}
    </Layout>
  );
};

type CommentProps = {
  readonly comment: RecentComment;
  /** Written since the member was here last. */
  readonly isNew: boolean;
  readonly boardName: string | undefined;
  readonly here: string;
};

/** The form of a comment's buttons. It stands before the list, which is one itself. */
const CommentForm = ({ comment, here }: Pick<CommentProps, "comment" | "here">) => (
  <form method="post" action={COMMENTS} id={`comment-${comment.id}`}>
    <input type="hidden" name="back" value={here} />
    <input type="hidden" name="commentId" value={comment.id} />
    <input type="hidden" name="ideaBankId" value={comment.ideaBankId} />
    <input type="hidden" name="proposalId" value={comment.proposalId} />
    {comment.authorId !== null && <input type="hidden" name="panelistId" value={comment.authorId} />}
  </form>
);

const OneComment = ({ comment, isNew, boardName, here }: CommentProps) => {
  const { ideaBankId, proposalId, title, beginning, isCut, visibility, createdAt } = comment;
  const idea = backTo(`/account/idea-banks/${ideaBankId}/ideas/${proposalId}`, here);
  const mayChange = useMay("member");
  return (
    <li>
      {mayChange && isApprovable(comment) && <ChooseComment comment={comment} />}
      <div class="said">
        <p>
          <Author comment={comment} here={here} />
          {" on "}
          <a href={idea}>
            <bdi>{title}</bdi>
          </a>
          <span class="hint">
            {boardName !== undefined && " · "}
            {boardName !== undefined && <bdi>{boardName}</bdi>}
            {" · "}
            <Time at={createdAt} />
          </span>
          {isNew && <span class="pill">New</span>}
          {visibility !== "public" && <span class="pill warn">{IDEA_VISIBILITIES[visibility][0]}</span>}
          {comment.isBlocked && <span class="pill bad">Blocked</span>}
        </p>
        <p dir="auto" class="pending-text">
          {beginning}
        </p>
        {isCut && (
          <p>
            <a href={`${idea}#comments`}>Read the full text</a>
          </p>
        )}
      </div>
      {mayChange && <Buttons comment={comment} form={`comment-${comment.id}`} />}
    </li>
  );
};

type ButtonsProps = Pick<CommentProps, "comment"> & { readonly form: string };

const Buttons = ({ comment: { visibility, isCut, beginning, authorId, isBlocked }, form }: ButtonsProps) => (
  <div class="actions small">
    <CommentApproval comment={{ visibility, seen: isCut ? undefined : beginning }} form={form} />
    <button type="submit" form={form} name="do" value="delete-comment" class="danger">
      Delete
    </button>
    {authorId !== null && (
      <button type="submit" form={form} name="do" value={isBlocked ? "unblock" : "block"}>
        {isBlocked ? "Unblock" : "Block"}
      </button>
    )}
  </div>
);

const Author = ({ comment, here }: Pick<CommentProps, "comment" | "here">) => {
  const { byTeam, author, authorId } = comment;
  if (byTeam) return <strong>Your team</strong>;
  if (authorId === null) return <>Deleted person</>;
  return (
    <a href={backTo(`/account/people/${authorId}`, here)}>
      <bdi>{author ?? NAMELESS}</bdi>
    </a>
  );
};
