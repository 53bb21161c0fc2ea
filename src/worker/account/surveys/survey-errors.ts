/** What is wrong with a survey, at the fields of its form and in its team's words: the API's words are for programs. */
import type { FieldError } from "../../http/invalid-request.ts";
import { MAX_QUESTIONS, OPTIONS } from "../../model/survey-question.ts";
import { inWords } from "../frame/errors-in-words.ts";
import type { SentForm } from "../frame/page.tsx";

const SETTINGS: Readonly<Record<string, string>> = {
  title: "Title",
  description: "Introduction",
  thanks: "Thanks",
  ideaBankId: "Board",
  audience: "Audience",
  closesAt: "Closes",
  maxResponses: "Maximum responses",
  questions: "Questions",
};

const TOO_LONG = /^must have (?:at most|\d+ to) (\d+) characters/;
const tooLong = (message: string): string => message.match(TOO_LONG)?.[1] ?? "";

/** The errors at the names of the form's fields. Each is a sentence. */
export function surveyErrors(sent: SentForm): SentForm {
  const { fields, errors } = sent;
  const ids = fields.getAll("question");
  const found = inWords({ fields, errors: errors.filter(({ path }) => !/^questions\.\d/.test(path)) });
  const ofQuestions = errors.flatMap((error) => {
    const [, place, ...rest] = error.path.split(".");
    const id = error.path.startsWith("questions.") ? ids[Number(place)] : undefined;
    return id === undefined ? [] : [questionError(fields, { id, place: Number(place), rest, message: error.message })];
  });
  return { fields, errors: [...found.errors.map(settingError), ...ofQuestions] };
}

function settingError({ path, message }: FieldError): FieldError {
  const [name = ""] = path.split(".");
  const at = (sentence: string) => ({ path: name, message: sentence });
  if (name === "audience") return at("Choose an idea of this board.");
  if (name === "closesAt" && message !== "must be in the future") return at("Closes must be a date and a time.");
  if (name === "questions" && message.includes(String(MAX_QUESTIONS)))
    return at(`A survey has at most ${MAX_QUESTIONS} questions.`);
  return at(/^\p{Lu}/u.test(message) ? message : `${SETTINGS[name] ?? name} ${message}`.replace(/\.?$/, "."));
}

type AtQuestion = {
  readonly id: string;
  readonly place: number;
  readonly rest: readonly string[];
  readonly message: string;
};

function questionError(fields: URLSearchParams, { id, place, rest, message }: AtQuestion): FieldError {
  const [name = "", option, part] = rest;
  const question = `Question ${place + 1}`;
  const at = (path: string, sentence: string) => ({ path, message: sentence });
  const max = tooLong(message);
  if (name === "title")
    return at(
      `title:${id}`,
      fields.get(`title:${id}`)?.trim()
        ? `${question} is too long: use at most ${max} characters.`
        : `${question} needs a title.`,
    );
  if (name === "options") {
    // Lines without a label were left out.
    const written = fields.getAll(`option:${id}`).filter((each) => fields.get(`label:${id}:${each}`)?.trim());
    const line = written[Number(option)];
    if (line === undefined || part !== "label")
      return at(
        `label:${id}:${fields.getAll(`option:${id}`)[0] ?? ""}`,
        `${question} needs ${OPTIONS.min} to ${OPTIONS.max} options.`,
      );
    return at(
      `label:${id}:${line}`,
      max === "" ? `${question} has this option twice.` : `${question}: an option has at most ${max} characters.`,
    );
  }
  if (name === "showIf")
    return at(
      `showIf:${id}`,
      message === "must name an earlier question"
        ? `${question}: the question that decides whether it’s shown must come before it.`
        : `${question}: choose the answers that show it.`,
    );
  return at(`${name}:${id}`, `${question}: ${LABELS[name] ?? name} ${message}.`);
}

const LABELS: Readonly<Record<string, string>> = {
  help: "the help text",
  atLeast: "“At least”",
  atMost: "“At most”",
  from: "the first point",
  to: "the last point",
  lowLabel: "the first point’s meaning",
  highLabel: "the last point’s meaning",
};
