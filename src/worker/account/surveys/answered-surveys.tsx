/** What one person has answered, on the person's page. Anonymous surveys are not among them. */
import { ANSWERED_AT_MOST, type AnsweredSurvey } from "../../database/surveys/asked-people.ts";
import type { Answer, Question } from "../../model/survey-answers.ts";
import { Time } from "../frame/times.tsx";
import { answerInWords, OTHER, SURVEYS } from "./survey-words.ts";

type Props = { readonly answered: readonly AnsweredSurvey[] };

export const AnsweredSurveys = ({ answered }: Props) => (
  <section aria-labelledby="surveys">
    <h2 id="surveys">Surveys</h2>
    {answered.length === 0 && <p class="hint">None yet.</p>}
    <ol class="events">
      {answered.map((survey) => (
        <li>
          <p>
            <a href={`${SURVEYS}/${survey.id}`}>
              <bdi>{survey.title}</bdi>
            </a>
          </p>
          <dl class="answers">
            {survey.questions.map((question) => {
              const answer = Object.hasOwn(survey.answers, question.id) ? survey.answers[question.id] : undefined;
              return (
                answer !== undefined && (
                  <div>
                    <dt dir="auto">{question.title}</dt>
                    <dd dir="auto" class="pending-text">
                      {inWords(question, answer)}
                    </dd>
                  </div>
                )
              );
            })}
          </dl>
          <p class="hint">
            <Time at={survey.createdAt} />
          </p>
        </li>
      ))}
    </ol>
    {answered.length === ANSWERED_AT_MOST && <p class="hint">{`Showing ${ANSWERED_AT_MOST}.`}</p>}
  </section>
);

/** "Dark mode, Something else: A later last train". */
function inWords(question: Question, answer: Answer): string {
  const chosen = Array.isArray(answer) ? answer : [answer];
  return chosen
    .map((one) => (typeof one === "object" ? `${OTHER}: ${one.other}` : answerInWords(question, String(one))))
    .join(", ");
}
