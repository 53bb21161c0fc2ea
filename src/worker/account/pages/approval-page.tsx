/** `/account/approval`: what waits for approval, in all idea banks. */
import type { PendingProposal } from "../../database/pending-proposals.ts";
import { type Frame, Layout } from "./layout.tsx";
import { Time } from "./times.tsx";

type Props = {
  readonly frame: Frame;
  readonly waiting: readonly PendingProposal[];
  readonly now: number;
  readonly next: string | undefined;
};

export const ApprovalPage = ({ frame, waiting, now, next }: Props) => (
  <Layout title="Approval" current="approval" {...frame}>
    <p class="lead">
      {waiting.length > 0
        ? "Open an idea to answer it, or to merge it into another."
        : next
          ? "What was on this page is deleted. See “More”."
          : "Nothing waits for approval."}
    </p>
    <ol class="events">
      {waiting.map((proposal) => (
        <li>
          <h2 dir="auto">
            <a href={`/account/approval/${proposal.id}`}>{proposal.title}</a>
          </h2>
          <About proposal={proposal} now={now} />
          <form method="post" action={`/account/approval/${proposal.id}`}>
            <Decide proposal={proposal} />
          </form>
        </li>
      ))}
    </ol>
    {next && (
      <p>
        <a href={`/account/approval?cursor=${next}`}>More</a>
      </p>
    )}
  </Layout>
);

export const About = ({ proposal, now }: { readonly proposal: PendingProposal; readonly now: number }) => [
  <p dir="auto" class="pending-text">
    {proposal.description}
  </p>,
  proposal.isCut && (
    <p>
      <a href={`/account/approval/${proposal.id}`}>Read all of it</a>
    </p>
  ),
  <p class="hint">
    <bdi>{proposal.ideaBankName}</bdi>
    {", "}
    <Time at={proposal.createdAt} now={now} />
  </p>,
];

/** Which text a form decides about. */
export const Seen = ({ edits }: Pick<PendingProposal, "edits">) => <input type="hidden" name="edits" value={edits} />;

/** What is shown in part can only be hidden. The first button is what Enter in a field does. */
export const Decide = ({ proposal: { title, edits, isCut } }: { readonly proposal: PendingProposal }) => (
  <div class="buttons">
    <Seen edits={edits} />
    {[...(isCut ? [] : [["Approve", "public", "primary"]]), ["Hide", "hidden"]].map(([words, visibility, look]) => (
      <button type="submit" name="visibility" value={visibility} class={look} aria-label={`${words} “${title}”`}>
        {words}
      </button>
    ))}
  </div>
);
