/** Approving several comments at once. Each is a decision of its own, about the text that was read; Undo takes back those of the notice. */
import type { Context } from "hono";
import type { RecentComment } from "../../database/comments/recent-comments.ts";
import { invalid } from "../../http/invalid-request.ts";
import { Problem } from "../../problem.ts";
import { idsOf } from "../frame/decide.ts";
import { tellAt, withParameter, withParameters } from "../frame/visit.ts";
import { counted } from "../frame/words.ts";
import { changeComments } from "../ideas/comments.tsx";
import { countChange, limitOwner } from "../identity/limit-owner.ts";
import type { OwnerEnv } from "../owner-env.ts";

/** As many as a page has. */
const AT_MOST = 20;

/** The parameters of the list that say what was approved. */
export const APPROVAL_NOTICES = ["events", "left"];

/** Only a comment that waits, and is shown whole. */
export const isApprovable = ({ visibility, isCut }: RecentComment): boolean => visibility === "pending" && !isCut;

const seenOf = (id: string): string => `seen-${id}`;

/** The box that chooses a comment, and what of it is read. */
export const ChooseComment = ({ comment }: { readonly comment: RecentComment }) => {
  const { id, ideaBankId, proposalId, beginning, author, title } = comment;
  return (
    <>
      <input
        type="checkbox"
        name="ids"
        value={`${ideaBankId}-${proposalId}-${id}`}
        aria-label={`Choose the comment${author === null ? "" : ` of ${author}`} on “${title}”`}
      />
      <input type="hidden" name={seenOf(id)} value={beginning} />
    </>
  );
};

/** As the bar of several ideas (ideas/queue-rows.tsx). */
export const SeveralComments = () => (
  <fieldset class="several">
    <legend data-chosen>Selected comments</legend>
    <label class="choice" data-all hidden>
      <input type="checkbox" />
      <span>
        Select all<span class="roomy"> on this page</span>
      </span>
    </label>
    <span class="buttons">
      <button type="submit" name="do" value="approve-several">
        Approve selected
      </button>
    </span>
  </fieldset>
);

/** Approves those that are still as they were read, and leads back to the list. Throws `invalid-request` and `too-many-requests`. */
export async function approveSeveral(c: Context<OwnerEnv>, fields: URLSearchParams, back: string): Promise<Response> {
  const chosen = [...new Set(fields.getAll("ids"))];
  if (chosen.length === 0) return c.redirect(tellAt(back, "comments-not-chosen"), 303);
  if (chosen.length > AT_MOST) throw invalid([{ path: "ids", message: `can be ${AT_MOST} comments at a time` }]);
  await limitOwner(c);
  for (const _ of chosen.slice(1)) await countChange(c);
  const decided = await Promise.allSettled(chosen.map((each) => approve(c, each, fields)));
  const events = decided.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  for (const each of decided) if (each.status === "rejected" && !isLeftOut(each.reason)) throw each.reason;
  const [only, another] = events;
  const left = decided.length - events.length;
  const to = left > 0 ? withParameter(back, "left", String(left)) : back;
  if (only !== undefined && another === undefined) return c.redirect(withParameter(to, "undo", only), 303);
  return c.redirect(withParameters(to, events.length > 0 ? [["events", events.join()]] : []), 303);
}

/** Returns the event's id. */
async function approve(c: Context<OwnerEnv>, chosen: string, fields: URLSearchParams): Promise<string> {
  const [ideaBankId = "", proposalId = "", commentId = ""] = chosen.split("-");
  const path = idsOf({ ideaBankId, proposalId });
  const seen = fields.get(seenOf(commentId)) ?? "";
  const sent = new URLSearchParams({ commentId, seen, was: "pending" });
  return changeComments(c, { path, what: "approve-comment", fields: sent });
}

/** It was changed, decided about or deleted in the meantime. */
const isLeftOut = (error: unknown): boolean =>
  error instanceof Problem && (error.code === "conflict" || error.code === "not-found");

type ApprovedProps = { readonly filled: URLSearchParams; readonly here: string };

/** What was approved together, and what was left out. */
export const Approved = ({ filled, here }: ApprovedProps) => {
  const events = filled.get("events")?.split(",") ?? [];
  const left = Number(filled.get("left")) || 0;
  return (
    <>
      {events.length > 0 && (
        <form method="post" action="/account/undo" class="notice good done" data-done>
          <p role="status" tabindex={-1} autofocus>{`${counted(events.length, "comment")} approved.`}</p>
          <input type="hidden" name="back" value={here} />
          {events.map((event) => (
            <input type="hidden" name="event" value={event} />
          ))}
          <button type="submit">Undo</button>
        </form>
      )}
      {left > 0 && (
        <p class="notice bad" role="alert" tabindex={-1} autofocus={events.length === 0}>
          {`${counted(left, "comment")} ${left === 1 ? "was" : "were"} left out: changed or decided about in the meantime.`}
        </p>
      )}
    </>
  );
};
