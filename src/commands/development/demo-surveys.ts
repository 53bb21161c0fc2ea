/** The demo surveys with the responses of the idea bank's panelists, as statements of one batch. */
import { secureRandomBytes } from "../../worker/credentials/base62.ts";
import { createId } from "../../worker/credentials/id.ts";
import { newRevision } from "../../worker/credentials/revision.ts";
import {
  type Answer,
  countedOf,
  pointsOf,
  type Question,
  readAnswers,
  textsOf,
} from "../../worker/model/survey-answers.ts";
import type { DemoIds } from "./demo-idea-bank.ts";
import { type DemoSurvey, PANELISTS, readDemo } from "./demo-ideas.ts";

const DAY_MS = 86_400_000;
/** Most are content. The place of a point on a scale: 0 is the first, 1 the last. */
const MOODS = [1, 0.8, 1, 0.9, 0.7, 1, 0.5, 0.9, 0.2, 1, 0.8, 0.6, 0.9];
/** Most take the first option. */
const CHOICES = [0, 1, 0, 2, 0, 1, 1, 0, 2, 0, 1];

/** The same for each new demo account, and as if by chance: the two numbers say whose answer to what. */
const chance = (person: number, question: number): number =>
  (((person + 1) * 2_654_435_761 + (question + 1) * 40_503_003) >>> 7) % 9_973;

/** Each text is written once. */
const WRITES_EACH = 9;

function answerOf(question: Question, person: number, { survey, texts, others }: DemoSurvey): Answer | undefined {
  const drawn = chance(
    person,
    survey.questions.findIndex(({ id }) => id === question.id),
  );
  const of = <Item>(items: readonly Item[]) => items[drawn % items.length];
  switch (question.kind) {
    case "scale": {
      const points = pointsOf(question);
      return points[Math.round((of(MOODS) ?? 1) * (points.length - 1))];
    }
    case "text":
      return person % WRITES_EACH === 0 ? texts[person / WRITES_EACH] : undefined;
    case "choice": {
      const other = drawn % 31 === 0 ? of(others) : undefined;
      return other === undefined ? question.options[of(CHOICES) ?? 0]?.id : { other };
    }
    case "choices": {
      const chosen = question.options.filter((_, index) => (drawn >> index) % 3 === 0);
      // An exclusive option is the last one.
      return (chosen.some(({ exclusive }) => exclusive) ? chosen.slice(-1) : chosen).map(({ id }) => id);
    }
  }
}

function responsesOf(demo: DemoSurvey, openedAt: number, now: number) {
  const { questions, status } = demo.survey;
  const days = status === "CLOSED" ? 14 : (now - openedAt) / DAY_MS;
  return Array.from({ length: demo.responses }, (_, person) => {
    const sent = Object.fromEntries(questions.map((question) => [question.id, answerOf(question, person, demo)]));
    const { answers, faults } = readAnswers(questions, sent);
    if (faults.length > 0) throw new Error(`the demo's ${demo.survey.title}: ${JSON.stringify(faults)}`);
    return {
      rider: `rider-${((person * 101) % PANELISTS) + 1}`,
      answers,
      counted: countedOf(questions, answers),
      texts: textsOf(questions, answers),
      revision: newRevision(),
      at: Math.round(openedAt + ((person + 0.5) / demo.responses) * days * DAY_MS),
    };
  });
}

/** `now` is in Unix milliseconds. The panelists exist. */
export const seedSurveys = (database: D1Database, ids: DemoIds, now: number): D1PreparedStatement[] =>
  readDemo().surveys.flatMap((demo) => {
    const id = createId(ids.accountId, secureRandomBytes);
    const { title, description, thanks, status, externalId, questions } = demo.survey;
    const openedAt = Math.round(now - demo.daysAgo * DAY_MS);
    const responses = JSON.stringify(responsesOf(demo, openedAt, now));
    const rider = "(SELECT id FROM panelists WHERE account_id = ?2 AND external_id = value ->> 'rider')";
    return [
      database
        .prepare(
          `INSERT INTO surveys (id, account_id, title, description, thanks, status, external_id, questions, idea_bank_id, opened_at, created_at, updated_at)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?10)`,
        )
        .bind(
          ...[id, ids.accountId, title, description, thanks, status, externalId, JSON.stringify(questions)],
          ...[ids.ideaBankId, openedAt],
        ),
      database
        .prepare(
          `INSERT INTO survey_responses (survey_id, respondent, account_id, answers, counted, revision, created_at, updated_at)
           SELECT ?1, ${rider}, ?2, value ->> 'answers', value ->> 'counted', value ->> 'revision', value ->> 'at', value ->> 'at'
           FROM json_each(?3)`,
        )
        .bind(id, ids.accountId, responses),
      database
        .prepare(
          `INSERT INTO survey_texts (survey_id, question_id, place, text)
           SELECT ?1, t.value ->> 'questionId', printf('%015d', r.value ->> 'at') || ${rider.replace("value", "r.value")}, t.value ->> 'text'
           FROM json_each(?3) r, json_each(r.value, '$.texts') t`,
        )
        .bind(id, ids.accountId, responses),
    ];
  });
