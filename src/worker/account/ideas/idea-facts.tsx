/** What the page of an idea shows, and what of it stands beside the decisions: votes, board, voters. */

import type { MergedComment } from "../../database/comments/comments.ts";
import type { ToldOfIdea } from "../../database/mails/outbox.ts";
import type { Writing } from "../../database/members/writing-members.ts";
import type { Step } from "../../database/proposals/history.ts";
import type { Named, Submitted } from "../../database/proposals/proposals.ts";
import type { FieldError } from "../../http/invalid-request.ts";
import type { Comment } from "../../model/comment.ts";
import { type IdeaBank, isPageOpen } from "../../model/idea-bank.ts";
import { ideaPathOf } from "../../model/page-path.ts";
import type { Proposal } from "../../model/proposal.ts";
import type { TagCount } from "../../model/tag.ts";
import type { Voter } from "../../model/voter.ts";
import type { JustDone } from "../frame/done.tsx";
import { ForMembers } from "../frame/for-members.tsx";
import { Time } from "../frame/times.tsx";
import { backTo, type Told } from "../frame/visit.ts";
import { NAMELESS, type People } from "./comments.tsx";
import type { Team } from "./team-boxes.tsx";

export type IdeaProps = {
  readonly ideaBank: IdeaBank;
  /** Where public pages are. */
  readonly pagesOrigin: string;
  readonly idea: Proposal;
  /** The idea into which this one was merged. */
  readonly mergedInto: Named | null;
  /** Those that were merged into this one. */
  readonly merged: readonly Named[];
  /** The newest comments on those. */
  readonly mergedComments: readonly MergedComment[];
  readonly submitted: Submitted | null;
  /** How often its author has written the text that is shown. */
  readonly edits: number;
  /** How many people are told by e-mail of what is decided now, and what was told. */
  readonly toldCount: number;
  readonly told: readonly ToldOfIdea[];
  /** Colleagues who write a response to it. */
  readonly writing: readonly Writing[];
  /** The newest of its history, one more than are shown. */
  readonly steps: readonly Step[];
  /** Of an idea that waits: those that it may repeat. */
  readonly similar: readonly Proposal[];
  /** All tags of the board. */
  readonly tags: readonly TagCount[];
  readonly comments: readonly Comment[];
  readonly more: string | undefined;
  readonly people: People;
  /** The first of those who vote for it. */
  readonly voters: readonly Voter[];
  /** The values with which the forms open. */
  readonly fields: Readonly<Record<"respond" | "decide" | "edit", URLSearchParams>>;
  /** The refused form; empty when the page opens. */
  readonly sent: URLSearchParams;
  readonly errors: readonly FieldError[];
  readonly back: string | undefined;
  readonly done: JustDone | undefined;
  /** What only the team sees. */
  readonly team: Team;
  /** What a box for the team has saved. */
  readonly outcome: Told | undefined;
};

type FactsProps = IdeaProps & { readonly path: string; readonly here: string };

export const Facts = ({ ideaBank, pagesOrigin, idea, voters, path, here }: FactsProps) => {
  const publicUrl = publicUrlOf(ideaBank, idea, pagesOrigin);
  return (
    <>
      <dl>
        <div>
          <dt>Votes</dt>
          <dd>{idea.votes.toLocaleString("en")}</dd>
        </div>
        <div>
          <dt>Board</dt>
          <dd>
            <a href={`/account/idea-banks/${ideaBank.id}`}>
              <bdi>{ideaBank.name}</bdi>
            </a>
          </dd>
        </div>
        <div>
          <dt>Last activity</dt>
          <dd>
            <Time at={idea.lastActivityAt} />
          </dd>
        </div>
      </dl>
      {voters.length > 0 && (
        <details>
          <summary>Who voted</summary>
          <ul class="voters">
            {voters.map((voter) => (
              <li>
                <a href={backTo(`/account/people/${voter.panelistId}`, here)}>
                  <bdi>{voter.displayName ?? voter.externalId ?? NAMELESS}</bdi>
                </a>
              </li>
            ))}
          </ul>
          {idea.votes > voters.length && <a href={`${path}/voters`}>All voters</a>}
        </details>
      )}
      <ForMembers>
        {idea.duplicateOf === null && (
          <p>
            <a href={`${path}/voters#add`}>Add or remove voters</a>
          </p>
        )}
        {idea.duplicateOf === null && idea.votes > 0 && (
          <p>
            <a href={`/account/surveys/new?${new URLSearchParams({ board: ideaBank.id, voters: idea.id })}`}>
              Ask its voters
            </a>
          </p>
        )}
        {idea.status === "implemented" && (
          <p>
            <a href={`${path}/publish`}>Edit the changelog entry</a>
          </p>
        )}
      </ForMembers>
      {publicUrl !== undefined && (
        <p>
          <a id="on-board" href={publicUrl} target="_blank" rel="noopener">
            See it on the board
          </a>{" "}
          <button type="button" class="link" data-copy="on-board" hidden>
            Copy link
          </button>
        </p>
      )}
    </>
  );
};

/** The idea's own public page, where the board has pages; else the page that carries the board, with this idea opened. */
export function publicUrlOf(
  ideaBank: IdeaBank,
  { id, visibility, duplicateOf }: Pick<Proposal, "id" | "visibility" | "duplicateOf">,
  origin: string,
): string | undefined {
  const { url } = ideaBank;
  if (visibility !== "public" || duplicateOf !== null) return undefined;
  if (isPageOpen(ideaBank)) return origin + ideaPathOf(ideaBank, id);
  if (url === null) return undefined;
  const page = new URL(url);
  page.searchParams.set("idea", id);
  return page.href;
}
