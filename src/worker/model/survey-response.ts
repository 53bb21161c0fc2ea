/** Surveys as panelists see them, and responses. */
import * as z from "zod/mini";
import { describe, descriptionOf } from "./describe.ts";
import { Id } from "./id.ts";
import { PAGE_PARAMETER_TEXTS, PAGE_PARAMETERS } from "./pagination.ts";
import { responseCount, Survey } from "./survey.ts";
import {
  type Fault,
  MAX_OTHER,
  MAX_RESPONSE,
  MAX_TEXT,
  type Other,
  type Questions,
  readAnswers,
} from "./survey-answers.ts";
import { Description, flag, integer, line, prose, Timestamp, Title } from "./text.ts";

const ANSWER = "must be a text, a number, an option, or a list of options";
/** Where it is written, it has rules; where it is answered, it can grow. */
const other = (name: string) =>
  describe(z.strictObject({ other: z.string() }), {
    name,
    example: { other: "A later last train" },
    fields: { other: "What was written instead of an option: 1 to 200 characters." },
  });
function answerSet(name: string) {
  const Other = other(name);
  const chosen = z.union([z.string(), Other], { error: "must be an option" });
  const answer = z.nullable(z.union([z.string(), z.number(), Other, z.array(chosen)], { error: ANSWER }));
  return z.catchall(z.object({}), answer);
}
const AnswerSet = answerSet("OtherAnswer");
const NewAnswerSet = answerSet("NewOtherAnswer");
type SentAnswer = null | string | number | Other | (string | Other)[];

const ANSWERS_TEXT =
  'By the identifiers of the questions: an option (`"dark"`) or `{"other": "…"}`, a list of these for `choices`, a point of the scale (`9`), a text. Questions without an answer are left out.';
const EXAMPLE_ANSWERS = { recommend: 6, why: "Buses after midnight." };
const DATES = {
  createdAt: "When it was first answered: ISO 8601, UTC, with milliseconds. Of an anonymous survey the day.",
  updatedAt: "When the answers were changed last: the same.",
};
const EXAMPLE_DATES = { createdAt: "2026-11-20T12:30:00.000Z", updatedAt: "2026-11-20T12:30:00.000Z" };

export const ResponseBody = describe(z.strictObject({ answers: NewAnswerSet }), {
  name: "SurveyAnswers",
  example: { answers: EXAMPLE_ANSWERS },
  fields: { answers: `${ANSWERS_TEXT} Answers to questions that are not shown are dropped. At most 32 KiB.` },
});
export type ResponseBody = z.infer<typeof ResponseBody>;

export const OwnResponse = describe(
  z.object({ answers: AnswerSet, createdAt: Timestamp, updatedAt: Timestamp, revision: z.string() }),
  {
    name: "OwnResponse",
    example: { answers: EXAMPLE_ANSWERS, ...EXAMPLE_DATES, revision: "3fQ8sT1uVw2x" },
    fields: {
      answers: ANSWERS_TEXT,
      ...DATES,
      revision: "Changes with each write. In quotes it is the response's `ETag`, for `If-Match`.",
    },
  },
);

const example = descriptionOf(Survey)?.example as z.infer<typeof Survey>;
const SURVEY_TEXTS = {
  id: "The survey's identifier.",
  title: "The title: one line.",
  description: "What the survey is about.",
  anonymous: "Whether nobody can tell who answered what.",
  closesAt: "When it closes by itself: ISO 8601, UTC; or `null`.",
};

const OPEN_EXAMPLE = {
  ...{ id: example.id, title: example.title, description: example.description, questions: 2 },
  ...{ anonymous: false, closesAt: null, answered: false },
};

export const OpenSurvey = describe(
  z.object({
    id: Id,
    title: Title,
    description: Description,
    questions: integer(0, 50),
    anonymous: flag(),
    closesAt: z.nullable(Timestamp),
    answered: flag(),
  }),
  {
    name: "OpenSurvey",
    example: OPEN_EXAMPLE,
    fields: {
      ...SURVEY_TEXTS,
      questions: "The number of questions.",
      answered: "Whether this person has answered it.",
    },
  },
);
export type OpenSurvey = z.infer<typeof OpenSurvey>;
export const OpenSurveys = describe(z.object({ items: z.array(OpenSurvey) }), {
  name: "OpenSurveys",
  example: { items: [OPEN_EXAMPLE] },
  fields: { items: "The surveys, the last opened first: at most 20 are open." },
});

export const PanelistSurvey = describe(
  z.object({
    id: Id,
    title: Title,
    description: Description,
    thanks: Survey.shape.thanks,
    anonymous: flag(),
    editable: flag(),
    closesAt: z.nullable(Timestamp),
    questions: Survey.shape.questions,
    response: z.nullable(OwnResponse),
  }),
  {
    name: "PanelistSurvey",
    example: {
      ...{ id: example.id, title: example.title, description: example.description, thanks: example.thanks },
      ...{ anonymous: false, editable: true, closesAt: null, questions: example.questions, response: null },
    },
    fields: {
      ...SURVEY_TEXTS,
      thanks: "What people read after their answer.",
      editable: "Whether answers can be changed until the close.",
      questions: "The questions, in their order.",
      response: "This person's response, or `null`.",
    },
  },
);
export type PanelistSurvey = z.infer<typeof PanelistSurvey>;

/** A response, for the tenant. Those of anonymous surveys are not shown. */
export const SurveyResponse = describe(
  z.object({ panelistId: Id, answers: AnswerSet, createdAt: Timestamp, updatedAt: Timestamp }),
  {
    name: "SurveyResponse",
    example: { panelistId: "Pa7Ne1isT001", answers: EXAMPLE_ANSWERS, ...EXAMPLE_DATES },
    fields: { panelistId: "Who has answered.", answers: ANSWERS_TEXT, ...DATES },
  },
);
export type SurveyResponse = z.infer<typeof SurveyResponse>;

/** The same, in a list of one person's. */
export const PersonResponse = describe(
  z.object({ surveyId: Id, answers: AnswerSet, createdAt: Timestamp, updatedAt: Timestamp }),
  {
    name: "PersonResponse",
    example: { surveyId: example.id, answers: EXAMPLE_ANSWERS, ...EXAMPLE_DATES },
    fields: { surveyId: "The survey.", answers: ANSWERS_TEXT, ...DATES },
  },
);
export type PersonResponse = z.infer<typeof PersonResponse>;

/** The texts without what nobody can see, as every text is stored. `faults` names those that cannot be stored. */
function clean(answers: ResponseBody["answers"]): {
  readonly cleaned: Readonly<Record<string, unknown>>;
  readonly faults: readonly Fault[];
} {
  const faults: Fault[] = [];
  const read = (schema: typeof TEXT, path: string, value: string) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    faults.push({ path, message: parsed.error.issues[0]?.message ?? ANSWER });
    return value;
  };
  const cleanOne = (path: string, value: SentAnswer): unknown => {
    if (typeof value === "string") return read(TEXT, path, value);
    if (Array.isArray(value)) return value.map((one) => cleanOne(path, one));
    if (typeof value === "object" && value !== null) return { other: read(OTHER, path, value.other) };
    return value;
  };
  const cleaned = Object.fromEntries(
    Object.entries(answers).map(([id, value]) => [id, cleanOne(`answers.${id}`, value as SentAnswer)]),
  );
  return { cleaned, faults };
}

/** The answers that are stored, or what is wrong with them. */
export function judgeAnswers(questions: Questions, { answers: sent }: ResponseBody): ReturnType<typeof readAnswers> {
  const { cleaned, faults } = clean(sent);
  if (new TextEncoder().encode(JSON.stringify(cleaned)).byteLength > MAX_RESPONSE)
    return { answers: {}, faults: [{ path: "answers", message: `must have at most ${MAX_RESPONSE} bytes, as JSON` }] };
  const read = readAnswers(questions, cleaned);
  const named = new Set(faults.map(({ path }) => path));
  return { answers: read.answers, faults: [...faults, ...read.faults.filter(({ path }) => !named.has(path))] };
}

const TEXT = prose({ min: 0, max: MAX_TEXT });
const OTHER = line({ min: 0, max: MAX_OTHER });

export const ResponseQuery = describe(
  z.strictObject({ ...PAGE_PARAMETERS, question: z.optional(z.string()), answer: z.optional(z.string()) }),
  {
    name: "SurveyResponseQuery",
    fields: {
      ...PAGE_PARAMETER_TEXTS,
      question: "With `answer`: only responses with this answer to this question.",
      answer:
        "An option, a point of the scale, or `*` for another answer. Without it: all that have answered `question`.",
    },
  },
);

export const ResultQuery = describe(
  z.strictObject({ question: z.optional(z.string()), answer: z.optional(z.string()) }),
  {
    name: "SurveyResultQuery",
    fields: {
      question: "With `answer`: only of those who gave this answer, among the newest 5,000 responses.",
      answer:
        "An option, a point of the scale, or `*` for another answer. Without it: all that have answered `question`.",
    },
  },
);

export const TextQuery = describe(
  z.strictObject({
    ...PAGE_PARAMETERS,
    question: z.string({ error: "is required" }),
    q: z.optional(prose({ min: 1, max: 200 })),
  }),
  {
    name: "SurveyTextQuery",
    example: { question: "why" },
    fields: {
      ...PAGE_PARAMETER_TEXTS,
      question: "The question: a text, or one with another answer.",
      q: "Only texts with these characters in them.",
    },
  },
);

export const SurveyText = describe(
  z.object({ text: z.string(), panelistId: z.optional(Id), createdAt: z.optional(Timestamp) }),
  {
    name: "SurveyText",
    example: { text: "Buses after midnight.", panelistId: "Pa7Ne1isT001", createdAt: "2026-11-20T12:30:00.000Z" },
    fields: {
      text: "What was written.",
      panelistId: "Who wrote it. Absent for an anonymous survey.",
      createdAt: "When the survey was first answered. Absent for an anonymous survey.",
    },
  },
);
export type SurveyText = z.infer<typeof SurveyText>;

export const CsvQuery = describe(
  z.strictObject({
    labels: z.optional(z.enum(["true", "false"], { error: "must be true or false" })),
    question: z.optional(z.string()),
    answer: z.optional(z.string()),
  }),
  {
    name: "SurveyCsvQuery",
    fields: {
      labels: "`true`: the texts of questions and options. The default is their identifiers.",
      question: "With `answer`: only responses with this answer to this question.",
      answer: "An option, a point of the scale, or `*` for another answer.",
    },
  },
);

const Count = responseCount();
const Nps = describe(
  z.object({ promoters: Count, passives: Count, detractors: Count, score: z.nullable(integer(-100, 100)) }),
  {
    name: "NetPromoterScore",
    example: { promoters: 70, passives: 41, detractors: 28, score: 30 },
    fields: {
      promoters: "9 or 10.",
      passives: "7 or 8.",
      detractors: "0 to 6.",
      score: "The percentage of promoters minus that of detractors: -100 to 100. `null` without an answer.",
    },
  },
);
const OptionCount = describe(z.object({ id: z.string(), count: Count }), {
  name: "OptionCount",
  example: { id: "dark", count: 61 },
  fields: { id: "The option.", count: "How many chose it." },
});
const PointCount = describe(z.object({ value: integer(0, 10), count: Count }), {
  name: "PointCount",
  example: { value: 9, count: 40 },
  fields: { value: "The point.", count: "How many chose it." },
});
const QuestionResult = describe(
  z.object({
    id: z.string(),
    answered: Count,
    skipped: Count,
    notShown: Count,
    options: z.optional(z.array(OptionCount)),
    other: z.optional(Count),
    mean: z.optional(z.nullable(z.number())),
    nps: z.optional(Nps),
    points: z.optional(z.array(PointCount)),
  }),
  {
    name: "QuestionResult",
    example: {
      ...{ id: "recommend", answered: 139, skipped: 1, notShown: 0, mean: 7.91 },
      nps: { promoters: 70, passives: 41, detractors: 28, score: 30 },
      points: [{ value: 9, count: 40 }],
    },
    fields: {
      id: "The question.",
      answered: "How many have answered it.",
      skipped: "How many have seen it and not answered.",
      notShown: "How many have not seen it. The three add up to the responses that are counted.",
      options: "Of `choice` and `choices`: each option, in the survey's order.",
      other: "Of a question with another answer: how many gave one.",
      mean: "Of a scale: the mean, rounded to two decimals. `null` without an answer.",
      nps: "Of a scale with `nps`: the Net Promoter Score.",
      points: "Of a scale: each point.",
    },
  },
);
export const SurveyResults = describe(
  z.object({ responses: Count, shown: Count, complete: flag(), questions: z.array(QuestionResult) }),
  {
    name: "SurveyResults",
    example: {
      ...{ responses: 140, shown: 140, complete: true },
      questions: [{ id: "why", answered: 33, skipped: 10, notShown: 97 }],
    },
    fields: {
      responses: "The number of responses; with `question`, of those that match.",
      shown:
        "How many of them are counted below. Of an anonymous survey it moves in steps of five, and stays once the survey is closed.",
      complete: "`false` when there are more than 5,000 responses, of which the newest 5,000 were searched.",
      questions: "Each question, in the survey's order.",
    },
  },
);
export type SurveyResults = z.infer<typeof SurveyResults>;
