/** `…/ideas/{id}/history`: the whole history of an idea; and taking one of its steps back, at any time, as a new decision. */
import type { Context } from "hono";
import { loadPanelists } from "../../database/panelists/panelists.ts";
import { listSteps, loadStep, STEPS_KEPT, type Step } from "../../database/proposals/history.ts";
import { changeProposalFrom } from "../../database/proposals/proposals.ts";
import { parseOrThrow } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import { type Proposal, ProposalChanges } from "../../model/proposal.ts";
import { Problem } from "../../problem.ts";
import { openOwn } from "../account-databases.ts";
import { settingInWords, valueInWords } from "../frame/changes-in-words.ts";
import { decide, orNotFound } from "../frame/decide.ts";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { Table } from "../frame/table.tsx";
import { backTo, readVisit, withParameter } from "../frame/visit.ts";
import { nameOf } from "../frame/words.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { History } from "./history.tsx";
import { addressOf, IDEA, loadIdea, pathOfIdea } from "./opened-idea.ts";
import { MAX_TEXT_FORM_BYTES } from "./text-fields.tsx";
import { changedSince, fieldsToUndo, presentOf, sideOf, toSent } from "./undo-step.ts";

export const HISTORY_PAGE = page({
  path: `${IDEA}/history`,
  load: (c) => load(c),
  view: (props) => <HistoryPage {...props} />,

  act: async (c) => {
    const sent = await readForm(c, { maxBytes: MAX_TEXT_FORM_BYTES });
    const { back } = readVisit(c);
    const path = pathOfIdea(c);
    const event = await takeBack(c, numberIn(sent), sent.get("seen"));
    // Asked with what the idea has now.
    if (event === undefined) return load(c, numberIn(sent));
    return c.redirect(withParameter(backTo(addressOf(path), back), "undo", event), 303);
  },
});

/** 0 names no step. */
const numberIn = (fields: URLSearchParams): number => Math.trunc(Number(fields.get("step"))) || 0;

/**
 * Sets the fields of the step back, if they are as they were `seen` (JSON), or by default as the step has left them; and returns the event's
 * id. Undefined when they are not, and when it would publish the idea unasked. Throws `conflict`, `not-found` and `invalid-request`.
 */
async function takeBack(c: Context<OwnerEnv>, number: number, seen: string | null): Promise<string | undefined> {
  const path = pathOfIdea(c);
  const { session, accountId } = await openOwn(c);
  const [{ idea }, found] = await Promise.all([
    loadIdea(c),
    loadStep(session, { accountId, proposalId: path.proposalId, number }),
  ]);
  const step = orNotFound(found);
  const names = fieldsToUndo(step, idea);
  if (names.length === 0)
    throw new Problem("conflict", {
      detail:
        idea.duplicateOf === null
          ? "Everything is as it was before this step."
          : "This idea was merged into another one.",
    });
  if (seen === null && (changedSince(step, names, idea).length > 0 || isPublished(step, names))) return undefined;
  const expected = parseOrThrow(ProposalChanges, seen === null ? toSent(sideOf(step, names, 1)) : readSeen(seen));
  const changes = { ...parseOrThrow(ProposalChanges, toSent(sideOf(step, names, 0))), minor: true };
  const respondedAt = Number(step.changes.respondedAt?.[0]) || undefined;
  const subject = { kind: "proposal", id: path.proposalId, ideaBankId: path.ideaBankId } as const;
  const { answer, eventId } = await decide(c, subject, (own) =>
    own.session.all(changeProposalFrom(expected, { accountId, path, changes, now: own.now, respondedAt })),
  );
  return answer.length === 0 ? undefined : eventId;
}

/** The values that the page has asked with. */
function readSeen(seen: string): unknown {
  try {
    return JSON.parse(seen);
  } catch {
    return undefined;
  }
}

/** Undo would put the idea into the changelog. */
const isPublished = (step: Step, names: readonly string[]): boolean => sideOf(step, names, 0).status === "implemented";

async function load(c: Context<OwnerEnv>, asked?: number) {
  const { back } = readVisit(c);
  const { proposalId } = pathOfIdea(c);
  const { session, accountId } = await openOwn(c);
  const [{ idea, edits, ideaBank }, steps] = await Promise.all([
    loadIdea(c),
    listSteps(session, { accountId, proposalId, most: STEPS_KEPT }),
  ]);
  const [author] = idea.panelistId === null ? [] : await loadPanelists(session, accountId, [idea.panelistId]);
  const step = steps.find(({ number }) => number === asked);
  return { ideaBankId: ideaBank.id, idea, edits, steps, step, author: author && nameOf(author), back };
}

type Props = Exclude<Awaited<ReturnType<typeof load>>, Response>;

const HistoryPage = ({ step, ...props }: Props) => {
  const { ideaBankId, idea, back } = props;
  const path = addressOf({ ideaBankId, proposalId: idea.id });
  return (
    <Layout title={`History of “${idea.title}”`} current="ideas">
      <p>
        <a href={backTo(path, back)}>Back to the idea</a>
      </p>
      {step && <Question step={step} idea={idea} action={backTo(`${path}/history`, back)} />}
      <History {...props} most={STEPS_KEPT} hasHeading />
    </Layout>
  );
};

type QuestionProps = { readonly step: Step; readonly idea: Proposal; readonly action: string };

const Question = ({ step, idea, action }: QuestionProps) => {
  const names = fieldsToUndo(step, idea);
  const [before, present] = [sideOf(step, names, 0), presentOf(idea)];
  const seen = toSent(Object.fromEntries(names.map((name) => [name, present[name]])));
  if (names.length === 0) return <p class="notice">Everything is as it was before this step.</p>;
  return (
    <div class="notice" role="alert" tabindex={-1} autofocus>
      <p>
        {changedSince(step, names, idea).length > 0 && <strong>This has changed again since. Undo it anyway? </strong>}
        {isPublished(step, names) && "Undo adds this idea to your changelog again."}
      </p>
      <Table columns={[{ unseen: "Field" }, "Now", "After Undo"]} look="operations">
        {names.map((name) => (
          <tr>
            <th scope="row">{settingInWords(name)}</th>
            <td class="whole">
              <bdi>{valueInWords(name, present[name])}</bdi>
            </td>
            <td class="whole">
              <bdi>{valueInWords(name, before[name])}</bdi>
            </td>
          </tr>
        ))}
      </Table>
      <form method="post" action={action} class="buttons">
        <input type="hidden" name="step" value={step.number} />
        <input type="hidden" name="seen" value={JSON.stringify(seen)} />
        <button type="submit" class="primary">
          Undo anyway
        </button>
        <a class="button" href={action.replace("/history", "")}>
          Cancel
        </a>
      </form>
    </div>
  );
};
