/** An idea's history: who changed what, with Undo, the newest first. */

import type { Child } from "hono/jsx";
import type { Step, StepMaker } from "../../database/proposals/history.ts";
import { memberLabel } from "../../model/member.ts";
import type { Proposal } from "../../model/proposal.ts";
import { toTimestamp } from "../../model/text.ts";
import { settingInWords, valueInWords } from "../frame/changes-in-words.ts";
import { ForMembers, LinkFor } from "../frame/for-members.tsx";
import { Formatted } from "../frame/formatted.tsx";
import { Time } from "../frame/times.tsx";
import { backTo } from "../frame/visit.ts";
import { NAMELESS } from "./comments.tsx";
import { addressOf } from "./opened-idea.ts";
import { fieldsToUndo } from "./undo-step.ts";

/** On the idea's page. */
export const STEPS_SHOWN = 20;
/** Of these, the newest are in sight, and the others folded. */
const UNFOLDED = 5;
/** An import says an earlier time than its own. */
const IMPORTED_MS = 60_000;

type Props = {
  readonly ideaBankId: string;
  readonly idea: Proposal;
  /** As read: one more than are shown means that there are more. */
  readonly steps: readonly Step[];
  readonly most: number;
  /** How often the idea's author has written it: 0 where the team has created it. */
  readonly edits: number;
  readonly author: string | undefined;
  /** The list from which the idea's page was opened. */
  readonly back: string | undefined;
  /** Under a heading of the page. */
  readonly hasHeading?: boolean;
};

export const History = ({ ideaBankId, idea, steps, most, edits, author, back, hasHeading = false }: Props) => {
  const path = addressOf({ ideaBankId, proposalId: idea.id });
  const [here, whole] = [backTo(path, back), backTo(`${path}/history`, back)];
  const isWhole = steps.length <= most && (steps.at(-1)?.number ?? 1) === 1;
  const isCreated = steps.at(-1)?.changes.created !== undefined;
  const shown = steps
    .slice(0, most)
    .map((step) => <OneStep step={step} idea={idea} ideaBankId={ideaBankId} here={here} action={whole} />);
  if (isWhole && !isCreated) {
    const isAuthorGone = steps.some(({ changes }) => changes.author !== undefined);
    shown.push(<Beginning {...{ idea, edits, author, isAuthorGone, here }} />);
  }
  const inSight = hasHeading || shown.length <= UNFOLDED + 1 ? shown.length : UNFOLDED;
  return (
    <section aria-labelledby={hasHeading ? undefined : "history"} class="comments history">
      {!hasHeading && <h2 id="history">History</h2>}
      <ol class="events">{shown.slice(0, inSight)}</ol>
      {inSight < shown.length && (
        <details>
          <summary>{isWhole ? `Show all ${shown.length}` : `Show ${shown.length - inSight} more`}</summary>
          <ol class="events">{shown.slice(inSight)}</ol>
        </details>
      )}
      <p>
        {!hasHeading && <a href={whole}>{steps.length > most ? "More" : "Whole history"}</a>}
        {!hasHeading && " · "}
        <a href={`/account/activity?proposalId=${idea.id}`}>All activity of this idea</a>
      </p>
    </section>
  );
};

type BeginningProps = Pick<Props, "idea" | "edits" | "author"> & {
  readonly isAuthorGone: boolean;
  readonly here: string;
};

/** How an idea began whose first step is older than the history. */
const Beginning = ({ idea, edits, author, isAuthorGone, here }: BeginningProps) => {
  const person = author !== undefined && <Person id={idea.panelistId} name={author} here={here} />;
  return (
    <li>
      <p>
        {person && edits > 0 && [person, " posted this idea"]}
        {person && edits === 0 && ["Your team added this idea for ", person]}
        {!person && `${isAuthorGone ? "A deleted person posted" : "Your team created"} this idea`}
        <When at={idea.createdAt} />
      </p>
    </li>
  );
};

type StepProps = Pick<Props, "ideaBankId" | "idea"> & {
  readonly step: Step;
  /** The idea's page. */
  readonly here: string;
  readonly action: string;
};

const OneStep = ({ step, idea, ideaBankId, here, action }: StepProps) => {
  const { number, at, by, changes } = step;
  const done = Object.keys(changes)
    .filter((name) => name !== "respondedAt")
    .map((name) => wordsOf(step, name, ideaBankId));
  const isGone = changes.author !== undefined;
  return (
    <li id={`step-${number}`}>
      <p>
        {isGone ? "The author was deleted" : [<Maker by={by} here={here} />, " ", ...listed(done)]}
        <When at={at} />
      </p>
      <Texts step={step} />
      {changes.duplicateOf !== undefined && <p class="hint">A merge can’t be undone: the votes have moved.</p>}
      {fieldsToUndo(step, idea).length > 0 && (
        <ForMembers>
          <form method="post" action={action} class="actions small">
            <input type="hidden" name="step" value={number} />
            <button type="submit" aria-label={`Undo step ${number}`}>
              Undo
            </button>
          </form>
        </ForMembers>
      )}
    </li>
  );
};

const When = ({ at }: { readonly at: string }) => (
  <span class="hint">
    {" · "}
    <Time at={at} />
  </span>
);

/** "a, b and c". An edit that its author took back has none. */
const listed = (items: readonly Child[]): readonly Child[] =>
  items.length === 0
    ? ["edited this idea"]
    : items.flatMap((item, index) => [index === 0 ? "" : index === items.length - 1 ? " and " : ", ", item]);

type PersonProps = { readonly id: string | null; readonly name: string | null; readonly here: string };

const Person = ({ id, name, here }: PersonProps) =>
  id === null ? (
    "A deleted person"
  ) : (
    <a href={backTo(`/account/people/${id}`, here)}>
      <bdi>{name ?? NAMELESS}</bdi>
    </a>
  );

const Maker = ({ by, here }: { readonly by: StepMaker; readonly here: string }) => {
  if (by.kind === "author") return <Person {...by} here={here} />;
  if (by.kind === "member") return <bdi>{memberLabel(by)}</bdi>;
  if (by.kind === "service") return "Your team";
  if (by.name === null) return "A deleted API key";
  return (
    <>
      {"API key "}
      <LinkFor needs="admin" href={`/account/api-keys/${by.id}`}>
        <bdi>{by.name}</bdi>
      </LinkFor>
    </>
  );
};

/** The texts that stand below the sentence, before and after. */
const LONG_TEXTS = ["description", "response"];

const Quoted = ({ text }: { readonly text: unknown }) => <bdi>{`“${text}”`}</bdi>;

/** What the step has done to this field, after the name of who did it. */
function wordsOf({ at, changes, other, assignee }: Step, name: string, ideaBankId: string): Child {
  const sides = changes[name] ?? [];
  const [before, after] = sides;
  const link = other ? (
    <a href={addressOf({ ideaBankId, proposalId: other.id })}>
      <Quoted text={other.title} />
    </a>
  ) : (
    "a deleted idea"
  );
  if (name === "created")
    return Date.parse(at) - Number(after) > IMPORTED_MS
      ? ["imported this idea, created on ", toTimestamp(Number(after)).slice(0, 10)]
      : "created this idea";
  if (name === "merged") return ["merged ", link, " into this idea"];
  if (name === "duplicateOf") return ["merged this idea into ", link];
  if (name === "description") return "changed the text";
  if (name === "response")
    return `${before === null ? "posted" : after === null ? "removed" : "changed"} the official response`;
  if (name === "tags") return tagsInWords(toList(before), toList(after), "tag");
  if (name === "privateTags") return tagsInWords(toList(before), toList(after), "private tag");
  if (name === "assignee")
    return after === null
      ? "unassigned this idea"
      : ["assigned this idea to ", <bdi>{assignee ?? "a former member"}</bdi>];
  if (name === "visibility") return visibilityInWords(before, after);
  const setting = settingInWords(name).toLowerCase();
  if (sides.length === 0) return `changed the ${setting}`;
  if (name === "title")
    return ["changed the title to ", <Quoted text={after} />, " (was ", <Quoted text={before} />, ")"];
  return [
    `set the ${setting} to `,
    <bdi>{valueInWords(name, after)}</bdi>,
    " (was ",
    <bdi>{valueInWords(name, before)}</bdi>,
    ")",
  ];
}

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function tagsInWords(before: readonly unknown[], after: readonly unknown[], one: string): Child {
  const quoted = (tags: readonly unknown[]) => [
    `the ${one}${tags.length === 1 ? "" : "s"} `,
    ...tags.flatMap((tag, index) => [index === 0 ? "" : ", ", <Quoted text={tag} />]),
  ];
  const added = after.filter((tag) => !before.includes(tag));
  const removed = before.filter((tag) => !after.includes(tag));
  if (added.length === 0 && removed.length === 0) return `changed the order of the ${one}s`;
  return [
    ...(added.length > 0 ? ["added ", ...quoted(added)] : []),
    ...(added.length > 0 && removed.length > 0 ? [" and "] : []),
    ...(removed.length > 0 ? ["removed ", ...quoted(removed)] : []),
  ];
}

function visibilityInWords(before: unknown, after: unknown): string {
  if (after === "hidden") return "hid this idea";
  if (after === "pending") return "sent this idea back for approval";
  return before === "pending" ? "approved this idea" : "made this idea public";
}

const Texts = ({ step: { changes, isCut } }: { readonly step: Step }) => {
  const texts = LONG_TEXTS.filter((name) => (changes[name] ?? []).length > 0);
  const erased = ["title", ...LONG_TEXTS].some((name) => changes[name]?.length === 0);
  return (
    <>
      {erased && <p class="hint">The words were deleted with the person who wrote this idea.</p>}
      {texts.map((name) => (
        <details>
          <summary>{texts.length > 1 ? `${settingInWords(name)}: before and after` : "Before and after"}</summary>
          <p class="hint">Before</p>
          <Text text={changes[name]?.[0]} />
          <p class="hint">After</p>
          <Text text={changes[name]?.[1]} />
          {isCut && <p class="hint">Of long texts, only how they begin is still kept.</p>}
        </details>
      ))}
    </>
  );
};

const Text = ({ text }: { readonly text: unknown }) =>
  typeof text === "string" && text !== "" ? <Formatted text={text} /> : <p class="hint">None</p>;
