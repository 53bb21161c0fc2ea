/**
 * The form of a survey: its fields, the survey that they are, and what its buttons do to them before anything is saved. A question's fields
 * are named by its identifier (`title:why`), an option's by both (`label:next:dark`). `question` and `option:next` have the identifiers in
 * their order, so a label can change without moving anything.
 */
import { invalid } from "../../http/invalid-request.ts";
import type { NewSurvey } from "../../model/survey.ts";
import { QUESTION_KINDS, type Question } from "../../model/survey-answers.ts";
import { closingTime, isZone, toField } from "./closing-time.ts";

/** A form has up to 50 questions with 30 options each, in letters of up to nine bytes. */
export const MAX_SURVEY_FORM_BYTES = 768 * 1024;

/** Before an option is written, a new question has so many lines for them. */
const EMPTY_OPTIONS = 3;

type SurveyInput = Omit<NewSurvey, "status" | "url" | "externalId">;

/** The fields with which the form opens. */
export function toFields({ questions, ...survey }: SurveyInput): URLSearchParams {
  const { title, description, thanks, ideaBankId, audience, anonymous, editable, closesAt, maxResponses } = survey;
  const fields = new URLSearchParams({
    ...{ title, description, thanks, ideaBankId: ideaBankId ?? "", audience: audience?.votersOf ?? "" },
    ...{ closesAt: toField(closesAt), zone: "", maxResponses: maxResponses === null ? "" : String(maxResponses) },
  });
  if (anonymous) fields.set("anonymous", "on");
  if (editable) fields.set("editable", "on");
  for (const question of questions) addFields(fields, question);
  return fields;
}

function addFields(fields: URLSearchParams, question: Question): void {
  const { id, kind, title, help, required, showIf } = question;
  const set = (name: string, value: string | boolean) => {
    if (value === true) fields.set(`${name}:${id}`, "on");
    else if (value !== false) fields.set(`${name}:${id}`, value);
  };
  fields.append("question", id);
  for (const [name, value] of Object.entries({ kind, title, help, required })) set(name, value);
  set("showIf", showIf?.question ?? "");
  for (const value of showIf?.anyOf ?? []) fields.append(`anyOf:${id}`, String(value));
  if ("options" in question) {
    set("other", question.other);
    for (const option of question.options) {
      fields.append(`option:${id}`, option.id);
      fields.set(`label:${id}:${option.id}`, option.label);
      if (option.exclusive) fields.set(`alone:${id}:${option.id}`, "on");
    }
  }
  if (question.kind === "choices") {
    set("atLeast", question.atLeast === 0 ? "" : String(question.atLeast));
    set("atMost", question.atMost === null ? "" : String(question.atMost));
  }
  if (question.kind === "scale") {
    const { from, to, nps, stars, lowLabel, highLabel } = question;
    const look = nps ? "nps" : stars ? "stars" : "points";
    for (const [name, value] of Object.entries({ from: String(from), to: String(to), look, lowLabel, highLabel }))
      set(name, value);
  }
  if (question.kind === "text") set("long", question.long);
}

const text = (fields: URLSearchParams, name: string): string => (fields.get(name) ?? "").replaceAll("\r", "");
const count = (fields: URLSearchParams, name: string): number | null =>
  fields.get(name)?.trim() ? Number(fields.get(name)) : null;

/** Everything but the questions. */
export const toSettings = (fields: URLSearchParams) => ({
  title: text(fields, "title"),
  description: text(fields, "description"),
  thanks: text(fields, "thanks"),
  ideaBankId: fields.get("ideaBankId") || null,
  audience: fields.get("audience") ? { votersOf: fields.get("audience") } : null,
  anonymous: fields.has("anonymous"),
  editable: fields.has("editable"),
  closesAt: closingTime(fields),
  maxResponses: count(fields, "maxResponses"),
});

/** A question as the API takes it. Options without a label are left out, unless they are among those that people have been asked. */
const toQuestion = (fields: URLSearchParams, id: string) => {
  const of = (name: string) => `${name}:${id}`;
  const kind = fields.get(of("kind"));
  const asked = {
    ...{
      id,
      kind,
      title: text(fields, of("title")),
      help: text(fields, of("help")),
      required: fields.has(of("required")),
    },
    showIf: toShowIf(fields, id),
  };
  switch (kind) {
    case "choice":
    case "choices": {
      const kept = fields.getAll(of("kept"));
      const options = fields
        .getAll(of("option"))
        .map((option) => ({
          ...{ id: option, label: text(fields, `label:${id}:${option}`) },
          exclusive: kind === "choices" && fields.has(`alone:${id}:${option}`),
        }))
        .filter((option) => option.label.trim() !== "" || kept.includes(option.id));
      const bounds = { atLeast: count(fields, of("atLeast")) ?? 0, atMost: count(fields, of("atMost")) };
      return { ...asked, options, other: fields.has(of("other")), ...(kind === "choices" && bounds) };
    }
    case "scale": {
      const look = fields.get(of("look"));
      const [nps, stars] = [look === "nps", look === "stars"];
      const from = nps ? 0 : stars ? 1 : Number(fields.get(of("from")));
      const to = nps ? 10 : Number(fields.get(of("to")) || Number.NaN);
      const labels = { lowLabel: text(fields, of("lowLabel")), highLabel: text(fields, of("highLabel")) };
      return { ...asked, from, to, nps, stars, ...labels };
    }
    default:
      return { ...asked, long: fields.has(of("long")) };
  }
};

/** The answers that show the question. Those of a question that was chosen before are no answers of this one. */
function toShowIf(fields: URLSearchParams, id: string) {
  const source = fields.get(`showIf:${id}`);
  if (!source) return null;
  const given = fields.getAll(`anyOf:${id}`);
  if (fields.get(`kind:${source}`) === "scale")
    return { question: source, anyOf: given.map(Number).filter((point) => Number.isInteger(point)) };
  const options = fields.getAll(`option:${source}`);
  return { question: source, anyOf: given.filter((option) => options.includes(option)) };
}

/** The questions as the API takes them. */
export const toQuestions = (fields: URLSearchParams) => fields.getAll("question").map((id) => toQuestion(fields, id));

/** What the button adds: a question of a kind, or an option. It is named by the next free of `q1`, `q2`, …. */
function nextId(taken: readonly string[], letter: string): string {
  let place = taken.length;
  let id: string;
  do id = `${letter}${++place}`;
  while (taken.includes(id));
  return id;
}

function setAll(fields: URLSearchParams, name: string, values: readonly string[]): void {
  fields.delete(name);
  for (const value of values) fields.append(name, value);
}

/** The list with one of its members a place further on, or back. */
function moved(list: readonly string[], member: string, by: 1 | -1): readonly string[] {
  const [from, to] = [list.indexOf(member), list.indexOf(member) + by];
  const other = list[to];
  if (from < 0 || other === undefined) return list;
  return list.map((each, index) => (index === from ? other : index === to ? member : each));
}

const isKind = (kind: string): kind is Question["kind"] => (QUESTION_KINDS as readonly string[]).includes(kind);

const BLANK = { title: "", help: "", required: false, showIf: null };
function blank(id: string, kind: Question["kind"]): Question {
  const options = Array.from({ length: EMPTY_OPTIONS }, (_, index) => ({
    id: `o${index + 1}`,
    label: "",
    exclusive: false,
  }));
  switch (kind) {
    case "choice":
      return { ...BLANK, id, kind, options, other: false };
    case "choices":
      return { ...BLANK, id, kind, options, other: false, atLeast: 0, atMost: null };
    case "scale":
      return { ...BLANK, id, kind, from: 1, to: 5, nps: false, stars: false, lowLabel: "", highLabel: "" };
    case "text":
      return { ...BLANK, id, kind, long: true };
  }
}

/** The form after one of its own buttons, and the element that has the focus then. */
type Edited = { readonly fields: URLSearchParams; readonly focus: string };

const removed = (list: readonly string[], member: string) => list.filter((each) => each !== member);

/** Undefined for a button that saves. Throws `invalid-request` for one that the form does not have. */
export function editForm(sent: URLSearchParams): Edited | undefined {
  const [act = "", id = "", option = ""] = (sent.get("do") ?? "").split(":");
  if (act === "save" || act === "") return undefined;
  const fields = new URLSearchParams(sent);
  fields.delete("do");
  const questions = fields.getAll("question");
  const options = fields.getAll(`option:${id}`);
  switch (act) {
    case "refresh":
      return { fields, focus: [id, option].filter(Boolean).join(":") };
    case "preview":
      fields.set("previewed", "on");
      return { fields, focus: "preview" };
    case "add": {
      if (!isKind(id)) break;
      const added = nextId(questions, "q");
      addFields(fields, blank(added, id));
      return { fields, focus: `title:${added}` };
    }
    case "up":
    case "down":
      setAll(fields, "question", moved(questions, id, act === "up" ? -1 : 1));
      return { fields, focus: `title:${id}` };
    case "remove": {
      const left = removed(questions, id);
      setAll(fields, "question", left);
      const next = left[Math.min(questions.indexOf(id), left.length - 1)];
      return { fields, focus: next === undefined ? "add" : `title:${next}` };
    }
    case "addOption": {
      const added = nextId(options, "o");
      fields.append(`option:${id}`, added);
      fields.set(`label:${id}:${added}`, "");
      return { fields, focus: `label:${id}:${added}` };
    }
    case "upOption":
      setAll(fields, `option:${id}`, moved(options, option, -1));
      return { fields, focus: `label:${id}:${option}` };
    case "removeOption": {
      const left = removed(options, option);
      setAll(fields, `option:${id}`, left);
      const next = left[Math.min(options.indexOf(option), left.length - 1)];
      return { fields, focus: next === undefined ? `title:${id}` : `label:${id}:${next}` };
    }
  }
  throw invalid([{ path: "do", message: "is not known" }]);
}

/** The zone that the field's time is in, for people. */
export const zoneOf = (fields: URLSearchParams): string => {
  const zone = fields.get("zone") ?? "";
  return zone !== "" && isZone(zone) ? zone : "UTC";
};
