/** The questions of a survey as their team reads them, before anybody has answered. */
import type { Question, Questions } from "../../model/survey-answers.ts";
import { Formatted } from "../frame/formatted.tsx";
import { choicesOf, conditionInWords, KINDS, OTHER } from "./survey-words.ts";

export const ReadingView = ({ questions }: { readonly questions: Questions }) => (
  <ol class="reading">
    {questions.map((question) => {
      const condition = conditionInWords(question, questions);
      return (
        <li>
          <p>
            <strong>
              <bdi>{question.title}</bdi>
            </strong>
            <span class="pill">{kindInWords(question)}</span>
            {question.required && <span class="pill">Required</span>}
          </p>
          {question.help !== "" && <Formatted text={question.help} />}
          {condition && (
            <p class="hint" dir="auto">
              {condition}
            </p>
          )}
          <Choices question={question} />
        </li>
      );
    })}
  </ol>
);

function kindInWords(question: Question): string {
  if (question.kind === "choices" && question.atMost !== null) return `Choose up to ${question.atMost}`;
  if (question.kind !== "scale") return KINDS[question.kind];
  const { from, to, nps, stars } = question;
  return nps ? "0 to 10, NPS" : `${from} to ${to}${stars ? " stars" : ""}`;
}

const Choices = ({ question }: { readonly question: Question }) => {
  if (question.kind === "scale") {
    const { lowLabel, highLabel, from, to } = question;
    if (lowLabel === "" && highLabel === "") return null;
    return (
      <p class="hint">
        <bdi>
          {[lowLabel && `${from}: ${lowLabel}`, highLabel && `${to}: ${highLabel}`].filter(Boolean).join(" · ")}
        </bdi>
      </p>
    );
  }
  if (!("options" in question)) return null;
  return (
    <ul>
      {choicesOf(question).map(([, label]) => (
        <li>
          <bdi>{label}</bdi>
        </li>
      ))}
      {question.other && <li>{`${OTHER} (a field)`}</li>}
    </ul>
  );
};
