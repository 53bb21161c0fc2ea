/**
 * The boxes of forms that ask whether people are told of a decision by e-mail, and what they say. A form names the boxes that it has, so
 * that one without boxes is told from one whose boxes were unticked.
 */
import type { Context } from "hono";
import { COUNTED_PEOPLE, countTold, type ToldOfIdea } from "../../database/mails/outbox.ts";
import { tellsPeople } from "../../model/mail-settings.ts";
import { toTimestamp } from "../../model/text.ts";
import { openOwn } from "../account-databases.ts";
import { filledIn } from "../frame/own-link.ts";
import { Clock, dayOf } from "../frame/times.tsx";
import { number, people } from "../frame/words.ts";
import type { OwnerEnv } from "../owner-env.ts";
import type { Tells } from "./decide.ts";

/** `tell`: one box for both, where there is no room for two. */
type BoxName = "tellStatus" | "tellResponse" | "tell";

/** Names a box that the form has. */
const markOf = (name: BoxName): string => `has-${name}`;

/** Undefined where the form had no such box. */
const ticked = (fields: URLSearchParams, name: BoxName): boolean | undefined =>
  fields.has(markOf(name)) ? fields.has(name) : undefined;

/** What the boxes of a form say. */
export const tellsIn = (fields: URLSearchParams): Tells => ({
  status: ticked(fields, "tellStatus") ?? ticked(fields, "tell"),
  response: ticked(fields, "tellResponse") ?? ticked(fields, "tell"),
});

/** The box above the rows is that of the status of each. */
export const tellsInRow = (fields: URLSearchParams): Tells => ({ status: ticked(fields, "tell"), response: undefined });

/** The parameter of an address that leads to a page with such a box, which is then unticked. */
const NOBODY = ["tells", "nobody"] as const;

/** What leads to the page that asks again carries the choice. */
export const carrying = ({ status }: Tells): [string, string][] => (status === false ? [[...NOBODY]] : []);

/** Whether the box of a page that was led to by `carrying` is ticked. */
export const isTicked = (filled: URLSearchParams): boolean => filled.get(NOBODY[0]) !== NOBODY[1];

/** Whether the box of a new status is ticked: as in the form, or as in the one that led here. */
export const tellsStatus = (c: Context<OwnerEnv>, fields: URLSearchParams): boolean =>
  tellsIn(fields).status ?? isTicked(filledIn(c));

/** How many addresses are told of a decision about these ideas; 0 where the deployment sends no e-mail. */
export async function countToldOf(c: Context<OwnerEnv>, proposalIds: readonly string[]): Promise<number> {
  if (!tellsPeople(c.env) || proposalIds.length === 0) return 0;
  const { session, accountId } = await openOwn(c);
  return countTold(session, { accountId, proposalIds, actor: c.var.owner.person });
}

/** "1 person", "34 people", "1,000+ people". */
const peopleInWords = (count: number): string =>
  count >= COUNTED_PEOPLE ? `${number(COUNTED_PEOPLE)}+ people` : people(count);

type BoxProps = {
  readonly name: BoxName;
  /** How many are told. */
  readonly count: number;
  readonly isTicked: boolean;
  /** Of what, where the page has two of these boxes. Where each stands beside it, nobody has to see it. */
  readonly about?: string;
  readonly isBeside?: boolean;
};

/** Nothing where nobody would be told. */
export const TellBox = ({ name, count, isTicked, about, isBeside = false }: BoxProps) =>
  count > 0 && (
    <label class="choice">
      <input type="checkbox" name={name} checked={isTicked} />
      <span>
        {`Tell ${peopleInWords(count)} by email`}
        {about && <span class={isBeside ? "unseen" : undefined}>{` about ${about}`}</span>}
        <span class="hint">
          Sent in about ten minutes, together with what else is decided by then. Undo takes it back.
        </span>
        <Offers name={name} />
      </span>
    </label>
  );

type SmallBoxProps = {
  readonly name: BoxName;
  readonly form?: string;
  /** Of what, after “Tell people by email”: seen, or only heard where it is plain to see. */
  readonly of: string;
  readonly isSeen?: boolean;
  readonly isTicked?: boolean;
};

/** The box of a list, where nobody is counted. The form says that it has one. */
export const SmallTellBox = ({ name, form, of, isSeen = false, isTicked = true }: SmallBoxProps) => (
  <label class="choice tell">
    <input type="checkbox" name={name} form={form} checked={isTicked} />
    <span>
      Tell people by email<span class={isSeen ? undefined : "unseen"}>{` of ${of}`}</span>
    </span>
  </label>
);

export const Offers = ({ name }: { readonly name: BoxName }) => <input type="hidden" name={markOf(name)} value="" />;

type ToldProps = {
  readonly told: readonly ToldOfIdea[] /** How many are told of what waits. */;
  readonly count: number;
};

/** What was told of an idea, and what will be. */
export const ToldOf = ({ told, count }: ToldProps) => told.map((each) => <ToldLine told={each} count={count} />);

const ToldLine = ({ told, count }: { readonly told: ToldOfIdea; readonly count: number }) => {
  const { kind, at, startsAt, isFinished, sent, unknown, refused } = told;
  const isOfComments = kind === "comments";
  if (at === null) {
    if (!isOfComments && count === 0) return null;
    return (
      <p class="hint">
        {isOfComments ? "Followers" : peopleInWords(count)} will be told{isOfComments && " of new comments"} at about{" "}
        <Clock at={toTimestamp(startsAt)} />
      </p>
    );
  }
  const when = `${isOfComments ? " of comments" : ""} on ${dayOf(at)}: ${people(sent)}`;
  return (
    <p class="hint">
      {isFinished ? `Told${when}.` : `Being told${when} so far.`}
      {unknown > 0 &&
        ` ${number(unknown)} unknown (the mail service didn’t answer; ${unknown === 1 ? "it" : "they"} won’t be sent again).`}
      {refused > 0 && ` ${number(refused)} can’t be reached.`}
    </p>
  );
};
