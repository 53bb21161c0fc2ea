/** What opening a survey does: who will be asked, how many they are, and until when. */
import { PEOPLE_AT_MOST } from "../../database/surveys/asked-people.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import type { Survey } from "../../model/survey.ts";
import { LinkFor } from "../frame/for-members.tsx";
import { useFrame } from "../frame/frame.ts";
import { ZonedTime } from "../frame/times.tsx";
import { number } from "../frame/words.ts";
import type { AskableIdea } from "./builder.tsx";
import { ANONYMOUS, SURVEYS } from "./survey-words.ts";

type Props = {
  readonly survey: Survey;
  readonly board: IdeaBank | undefined;
  /** Its voters are asked. */
  readonly idea: AskableIdea | undefined;
  /** Everybody who is known, if they are asked. */
  readonly people: number | undefined;
};

const peopleInWords = (count: number): string => (count === 1 ? "1 person" : `${number(count)} people`);

/** A survey that was closed is opened again by the same button. */
export const Opening = (props: Props) => {
  const { survey } = props;
  const obstacle = obstacleOf(survey, useFrame().now);
  const edit = `${SURVEYS}/${survey.id}/edit`;
  if (survey.openedAt !== null && survey.anonymous) return null;
  return (
    <form method="post" action={`${SURVEYS}/${survey.id}`} class="notice opening">
      <p>
        <Asked {...props} /> <Until survey={survey} />
      </p>
      {survey.anonymous && <p class="hint">{`Anonymous: ${ANONYMOUS}`}</p>}
      <p class="hint">
        No one gets a message from us. People find the survey where you <ShowIt survey={survey} />, or you tell them.
      </p>
      <Closed {...props} />
      {obstacle === undefined ? (
        <button type="submit" name="do" value="open" class="primary">
          {survey.openedAt === null ? "Open survey" : "Reopen survey"}
        </button>
      ) : (
        <p>
          {obstacle} <a href={edit}>Questions and settings</a>
        </p>
      )}
    </form>
  );
};

/** Why it cannot be opened as it is. */
function obstacleOf({ questions, closesAt, maxResponses, responses }: Survey, now: number): string | undefined {
  if (questions.length === 0) return "Add a question before you open it.";
  if (closesAt !== null && Date.parse(closesAt) <= now)
    return "Its end has passed. Move it before you open the survey.";
  if (maxResponses !== null && maxResponses <= responses)
    return "It has its maximum of responses. Raise it before you open the survey.";
  return undefined;
}

const Asked = ({ survey, board, idea, people = 0 }: Props) => {
  if (survey.audience !== null)
    return (
      <>
        <strong>{`${peopleInWords(idea?.votes ?? 0)} voted for “`}</strong>
        <a href={`/account/idea-banks/${survey.ideaBankId}/ideas/${survey.audience.votersOf}`}>
          <bdi>{idea?.title}</bdi>
        </a>
        ”.
      </>
    );
  const many = people >= PEOPLE_AT_MOST ? `${number(PEOPLE_AT_MOST)} or more people` : peopleInWords(people);
  return (
    <>
      {"Everybody who is signed in on “"}
      <bdi>{board?.name}</bdi>
      {"” is asked. "}
      <strong>{`${many} ${people === 1 ? "has" : "have"} signed in on your boards so far.`}</strong>
    </>
  );
};

const Until = ({ survey: { closesAt, maxResponses } }: Pick<Props, "survey">) => (
  <>
    {"They can answer until "}
    {closesAt === null ? "you close it" : <ZonedTime at={closesAt} />}
    {maxResponses !== null && `, or until ${number(maxResponses)} have answered`}.
  </>
);

/** The page that hands out its line. */
const ShowIt = ({ survey: { ideaBankId } }: Pick<Props, "survey">) => (
  <LinkFor needs="member" href={`/account/idea-banks/${ideaBankId}/embed?elements=survey`}>
    put it on your site
  </LinkFor>
);

/** The board lets nobody answer. */
const Closed = ({ board }: Props) => {
  if (board === undefined || (board.status === "OPEN" && board.surveysEnabled)) return null;
  return (
    <p class="error">
      {board.status === "OPEN" ? "Surveys are off on this board" : "The board isn’t open"}, so nobody can answer yet.{" "}
      <LinkFor needs="member" href={`/account/idea-banks/${board.id}/settings`}>
        Board settings
      </LinkFor>
    </p>
  );
};

/** The same for one that is open. */
export const OpenState = (props: Props) => (
  <>
    <p class="lead">
      <Asked {...props} /> <Until survey={props.survey} />
    </p>
    <p class="hint no-print">
      People find it where you <ShowIt survey={props.survey} />.
    </p>
    <Closed {...props} />
  </>
);
