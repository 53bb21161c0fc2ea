/** Approving and hiding what waits for approval: the buttons, and the addresses that 1.1.0 had for it. */
import { loadQueued, type QueuedIdea } from "../../database/proposals/queue.ts";
import type { Proposal } from "../../model/proposal.ts";
import { openOwn } from "../account-databases.ts";
import { idsOf, orNotFound } from "../frame/decide.ts";
import { pathOf } from "../frame/layout.tsx";
import { moved } from "../frame/page.tsx";
import { withParameter } from "../frame/visit.ts";

/** The filter of the queue. */
export const WAITING = pathOf("approval");

export const isUndecided = ({ visibility, duplicateOf }: Proposal): boolean =>
  visibility === "pending" && duplicateOf === null;

type Props = {
  readonly idea: Pick<QueuedIdea, "title" | "isCut" | "edits">;
  /** The form of the buttons, which are not inside it. */
  readonly form?: string;
  /** Another idea was decided about before: this one takes the focus, so each needs one key. */
  readonly isNext?: boolean;
};

/** The buttons of an idea that waits. One whose text is shown only in part can only be hidden. */
export const Approval = ({ idea: { title, isCut, edits }, form, isNext = false }: Props) => (
  <>
    <input type="hidden" name="edits" value={edits} form={form} />
    {[...(isCut ? [] : [["Approve", "approve", "primary"]]), ["Hide", "hide"]].map(([words, what, look], index) => (
      <button
        type="submit"
        form={form}
        name="do"
        value={what}
        class={look}
        aria-label={`${words} “${title}”`}
        aria-describedby={isNext && index === 0 ? "done" : undefined}
        autofocus={isNext && index === 0}
      >
        {words}
      </button>
    ))}
  </>
);

/** What a form of these buttons decides. */
export const APPROVALS: Readonly<Record<string, "public" | "hidden">> = { approve: "public", hide: "hidden" };

const LIST = "/account/approval";

/** The list that 1.1.0 had is a filter of the queue. */
export const OLD_LIST = moved(LIST, (c) => {
  const parameters = new URL(c.req.url).searchParams;
  // It was that of another list.
  parameters.delete("cursor");
  return [...parameters].reduce((to, [name, value]) => withParameter(to, name, value), WAITING);
});

/** Its page of an idea is the idea's. */
export const OLD_PAGE = moved(`${LIST}/:proposalId`, async (c) => {
  const { proposalId } = idsOf(c.req.param());
  const { session, accountId } = await openOwn(c);
  const [idea] = await loadQueued(session, { accountId, ids: [proposalId] });
  const { ideaBankId } = orNotFound(idea ?? null);
  return withParameter(`/account/idea-banks/${ideaBankId}/ideas/${proposalId}`, "back", WAITING);
});
