/** `/account/approval`: the proposals that wait for approval, in all idea banks. */
import type { PendingProposal } from "../../database/pending-proposals.ts";
import { Done, type JustDone, Outcome } from "../frame/done.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { Time } from "../frame/times.tsx";
import { backTo, type Told } from "../frame/visit.ts";
import { NAMELESS } from "./comments.tsx";

type Props = {
  readonly frame: Frame;
  readonly waiting: readonly PendingProposal[];
  readonly now: number;
  readonly next: string | undefined;
  readonly here: string;
  readonly done: JustDone | undefined;
  readonly told: Told | undefined;
};

export const ApprovalPage = ({ frame, waiting, now, next, here, done, told }: Props) => (
  <Layout title="Waiting for approval" current="approval" scripts={["queue.js"]} {...frame}>
    <Done done={done} isQuiet={waiting.length > 0} />
    <Outcome told={told} />
    <p class="lead">
      {waiting.length > 0
        ? "Open an idea to respond to it or merge it into another."
        : next
          ? "Nothing left on this page. See “More”."
          : "Nothing is waiting for approval."}
    </p>
    <ol class="events">
      {waiting.map((proposal, index) => (
        <li class="waiting">
          {!proposal.isCut && (
            <input
              type="checkbox"
              name="ids"
              value={`${proposal.ideaBankId} ${proposal.id} ${proposal.edits}`}
              form="several"
              aria-label={`Choose “${proposal.title}”`}
            />
          )}
          <h2 dir="auto">
            <a href={`/account/approval/${proposal.id}`}>{proposal.title}</a>
          </h2>
          <About proposal={proposal} here={here} now={now} />
          <form method="post" action={`/account/approval/${proposal.id}`}>
            <input type="hidden" name="back" value={here} />
            <Decide proposal={proposal} isNext={done !== undefined && index === 0} />
          </form>
        </li>
      ))}
    </ol>
    {waiting.length > 1 && (
      <form method="post" action="/account/approval" id="several" class="several">
        <input type="hidden" name="back" value={here} />
        <span data-chosen>Selected ideas</span>
        <label class="choice" data-all hidden>
          <input type="checkbox" />
          <span>
            Select all<span class="roomy"> on this page</span>
          </span>
        </label>
        <span class="buttons">
          <button type="submit" name="visibility" value="public">
            Approve selected
          </button>
          <button type="submit" name="visibility" value="hidden">
            Hide selected
          </button>
        </span>
      </form>
    )}
    {next && (
      <p>
        <a href={`/account/approval?cursor=${next}`}>More</a>
      </p>
    )}
  </Layout>
);

type AboutProps = { readonly proposal: PendingProposal; readonly here: string; readonly now: number };

export const About = ({ proposal, here, now }: AboutProps) => [
  <p dir="auto" class="pending-text">
    {proposal.description}
  </p>,
  proposal.isCut && (
    <p>
      <a href={`/account/approval/${proposal.id}`}>Read the full text</a>
    </p>
  ),
  <p class="hint">
    {proposal.author && (
      <a href={backTo(`/account/people/${proposal.author.id}`, here)}>
        <bdi>{proposal.author.name ?? NAMELESS}</bdi>
      </a>
    )}
    {proposal.author && " · "}
    <bdi>{proposal.ideaBankName}</bdi>
    {" · "}
    <Time at={proposal.createdAt} now={now} />
  </p>,
];

/** Tells which version of the text a form decides about. */
export const Seen = ({ edits }: Pick<PendingProposal, "edits">) => <input type="hidden" name="edits" value={edits} />;

type DecideProps = { readonly proposal: PendingProposal; readonly isNext?: boolean };

/**
 * A proposal that is shown only in part can only be hidden. The first button is the one that Enter in a field presses. After a
 * decision, the next proposal takes the focus, so each needs one key.
 */
export const Decide = ({ proposal: { title, edits, isCut }, isNext = false }: DecideProps) => (
  <div class="buttons">
    <Seen edits={edits} />
    {[...(isCut ? [] : [["Approve", "public", "primary"]]), ["Hide", "hidden"]].map(
      ([words, visibility, look], index) => (
        <button
          type="submit"
          name="visibility"
          value={visibility}
          class={look}
          aria-label={`${words} “${title}”`}
          aria-describedby={isNext && index === 0 ? "done" : undefined}
          autofocus={isNext && index === 0}
        >
          {words}
        </button>
      ),
    )}
  </div>
);
