/** The questions of a survey as the tenant sends them, and the rules that hold between them. */
import * as z from "zod/mini";
import { describe } from "./describe.ts";
import { pointsOf, type Question, type Questions } from "./survey-answers.ts";
import { flag, integer, line, prose, Title } from "./text.ts";

export const MAX_QUESTIONS = 50;
export const OPTIONS = { min: 2, max: 30 } as const;

const NAME = "must have 1 to 40 characters: a to z, 0 to 9, _ and -, the first a letter or a digit";
/** The identifier of a question or an option. Totals, exports and `showIf` name it. */
const LocalId = z.string({ error: NAME }).check(z.regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, { error: NAME }));
const Label = line({ min: 1, max: 200 });
const EndLabel = line({ min: 0, max: 100 });

const ID_TEXT =
  "Your identifier, 1 to 40 characters of `a-z0-9_-`. It is made (`q1`, `o1`) if it is not sent. Answers name it, so it stays when a text is corrected.";

const ANY_OF = "must be 1 to 31 options or points of the earlier question";
const ASKED_TEXTS = {
  kind: "The kind of question.",
  id: ID_TEXT,
  title: "The question: one line of 1 to 200 characters.",
  help: "A sentence below it: at most 500 characters.",
  required: "Whether it must be answered by those to whom it is shown. The default is `false`.",
  showIf: "Shows the question only to some. `null`: to all.",
};
const OPTION_TEXTS = {
  options: "2 to 30 options, in their order.",
  other: "Whether people can write another answer of up to 200 characters. The default is `false`.",
};

/** A question. The document has its parts under names with `prefix`: those that are sent have rules, those that are answered can grow. */
function questionSchema(prefix: "New" | "") {
  const Option = describe(
    z.strictObject({ id: z._default(LocalId, ""), label: Label, exclusive: z._default(flag(), false) }),
    {
      name: `${prefix}SurveyOption`,
      example: { id: "dark", label: "Dark mode" },
      fields: {
        id: ID_TEXT,
        label: "What people read: 1 to 200 characters.",
        exclusive:
          "Of `choices`: whoever chooses it chooses nothing else, such as `None of these`. The default is `false`.",
      },
    },
  );
  const Options = z
    .array(Option)
    .check(
      z.minLength(OPTIONS.min, { error: `must have ${OPTIONS.min} to ${OPTIONS.max} options` }),
      z.maxLength(OPTIONS.max, { error: `must have ${OPTIONS.min} to ${OPTIONS.max} options` }),
    );

  const ShowIf = describe(
    z.strictObject({
      question: LocalId,
      anyOf: z
        .array(z.union([z.string(), z.number()], { error: "must be an option or a point" }))
        .check(z.minLength(1, { error: ANY_OF }), z.maxLength(31, { error: ANY_OF })),
    }),
    {
      name: `${prefix}ShowIf`,
      example: { question: "recommend", anyOf: [0, 1, 2, 3, 4, 5, 6] },
      fields: {
        question: "An earlier question: `choice`, `choices` or `scale`.",
        anyOf:
          "The question is shown to those who gave one of these answers: identifiers of options, or points of the scale.",
      },
    },
  );

  const asked = () => ({
    id: z._default(LocalId, ""),
    title: Title,
    help: z._default(prose({ min: 0, max: 500 }), ""),
    required: z._default(flag(), false),
    showIf: z._default(z.nullable(ShowIf), null),
  });
  const ChoiceQuestion = describe(
    z.strictObject({ kind: z.literal("choice"), ...asked(), options: Options, other: z._default(flag(), false) }),
    {
      name: `${prefix}ChoiceQuestion`,
      example: {
        ...{ kind: "choice", id: "next", title: "Which comes first?", other: true },
        options: [
          { id: "dark", label: "Dark mode" },
          { id: "night", label: "Night buses" },
        ],
      },
      fields: { ...ASKED_TEXTS, ...OPTION_TEXTS },
    },
  );
  const ChoicesQuestion = describe(
    z.strictObject({
      kind: z.literal("choices"),
      ...asked(),
      options: Options,
      other: z._default(flag(), false),
      atLeast: z._default(integer(0, 31), 0),
      atMost: z._default(z.nullable(integer(1, 31)), null),
    }),
    {
      name: `${prefix}ChoicesQuestion`,
      example: {
        ...{ kind: "choices", id: "uses", title: "What do you use?", atMost: 2 },
        options: [
          { id: "map", label: "The map" },
          { id: "tickets", label: "Tickets" },
        ],
      },
      fields: {
        ...ASKED_TEXTS,
        ...OPTION_TEXTS,
        atLeast: "Whoever answers chooses at least so many. The default is 0.",
        atMost: "Whoever answers chooses at most so many. `null`: as many as there are.",
      },
    },
  );
  const ScaleQuestion = describe(
    z.strictObject({
      kind: z.literal("scale"),
      ...asked(),
      from: z._default(integer(0, 1), 1),
      to: z._default(integer(2, 10), 5),
      nps: z._default(flag(), false),
      stars: z._default(flag(), false),
      lowLabel: z._default(EndLabel, ""),
      highLabel: z._default(EndLabel, ""),
    }),
    {
      name: `${prefix}ScaleQuestion`,
      example: {
        ...{ kind: "scale", id: "recommend", title: "Would you recommend us?", from: 0, to: 10, nps: true },
        ...{ required: true, lowLabel: "Not at all", highLabel: "Very likely" },
      },
      fields: {
        ...ASKED_TEXTS,
        from: "The first point: 0 or 1. The default is 1.",
        to: "The last point: 2 to 10. The default is 5.",
        nps: "Whether the results have a Net Promoter Score. Needs `from` 0 and `to` 10.",
        stars: "Whether it is shown as stars. Needs `from` 1.",
        lowLabel: "What the first point means: at most 100 characters.",
        highLabel: "What the last point means: at most 100 characters.",
      },
    },
  );
  const TextQuestion = describe(
    z.strictObject({ kind: z.literal("text"), ...asked(), long: z._default(flag(), false) }),
    {
      name: `${prefix}TextQuestion`,
      example: { kind: "text", id: "why", title: "What is missing?", long: true },
      fields: { ...ASKED_TEXTS, long: "Whether the field has several lines. The default is `false`." },
    },
  );

  return z.discriminatedUnion("kind", [ChoiceQuestion, ChoicesQuestion, ScaleQuestion, TextQuestion], {
    error: "must have a `kind`: choice, choices, scale or text",
  });
}

const NewQuestion = questionSchema("New");
const SurveyQuestion = questionSchema("");

/** Identifiers for those that have none: the next free of `q1`, `q2`, … */
function withIds<Item extends { readonly id: string }>(items: readonly Item[], letter: string): Item[] {
  const taken = new Set(items.map(({ id }) => id));
  let number = 0;
  return items.map((item, index) => {
    if (item.id !== "") return item;
    number = Math.max(number, index);
    let id: string;
    do id = `${letter}${++number}`;
    while (taken.has(id));
    taken.add(id);
    return { ...item, id };
  });
}

type Sent = z.infer<typeof NewQuestion>;

const withAllIds = (questions: Sent[]): Sent[] =>
  withIds(questions, "q").map((question) =>
    "options" in question ? { ...question, options: withIds(question.options, "o") } : question,
  );

type Fault = { readonly path: (string | number)[]; readonly message: string };

const repeated = (ids: readonly string[]): readonly number[] =>
  ids.flatMap((id, index) => (ids.indexOf(id) < index ? [index] : []));

function faultOfShowIf(question: Question, earlier: Questions): string | undefined {
  const { showIf } = question;
  if (showIf === null) return undefined;
  const source = earlier.find(({ id }) => id === showIf.question);
  if (source === undefined) return "must name an earlier question";
  if (source.kind === "text") return "must name a question with options or a scale, which a text is not";
  const values: readonly (string | number)[] =
    source.kind === "scale" ? pointsOf(source) : source.options.map(({ id }) => id);
  const unknown = showIf.anyOf.find((value) => !values.includes(value));
  return unknown === undefined ? undefined : `must have answers of ${source.id}: ${values.join(", ")}`;
}

function* faultsOf(question: Question, earlier: Questions): Generator<Fault> {
  const showIf = faultOfShowIf(question, earlier);
  if (showIf !== undefined) yield { path: ["showIf"], message: showIf };
  if ("options" in question) {
    const ids = question.options.map(({ id }) => id);
    for (const index of repeated(ids))
      yield { path: ["options", index], message: `must not be a second option with the id ${ids[index]}` };
    const labels = question.options.map(({ label }) => label.toLowerCase());
    for (const index of repeated(labels).filter((index) => !repeated(ids).includes(index)))
      yield { path: ["options", index, "label"], message: "must not be the label of another option, too" };
  }
  if (question.kind === "choices") {
    const most = question.options.length + Number(question.other);
    if (question.atLeast > (question.atMost ?? most))
      yield { path: ["atLeast"], message: "must not be more than can be chosen" };
  }
  if (question.kind === "scale") {
    if (question.nps && (question.from !== 0 || question.to !== 10))
      yield { path: ["nps"], message: "needs a scale from 0 to 10" };
    if (question.stars && question.from !== 1) yield { path: ["stars"], message: "needs a scale from 1" };
  }
}

const TOO_MANY = `must have at most ${MAX_QUESTIONS} questions`;

/** The questions of an answer. */
export const SurveyQuestions = z.array(SurveyQuestion);

/** The questions that are sent. Those without an identifier get one. */
export const newQuestions = () =>
  z.array(NewQuestion).check(
    z.maxLength(MAX_QUESTIONS, { error: TOO_MANY, abort: true }),
    z.overwrite((questions) => withAllIds(questions)),
    ({ value, issues }) => {
      const refuse = ({ path, message }: Fault) => issues.push({ code: "custom", input: value, path, message });
      for (const index of repeated(value.map(({ id }) => id)))
        refuse({ path: [index, "id"], message: "must not be the id of another question, too" });
      for (const [index, question] of value.entries())
        for (const { path, message } of faultsOf(question, value.slice(0, index)))
          refuse({ path: [index, ...path], message });
    },
  );
