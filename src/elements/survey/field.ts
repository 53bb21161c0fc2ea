/** One question: its text, its controls and its fault, in a form that a screen reader reads as one. */
import { type Answer, isAnswered, pointsOf, type Question } from "../../worker/model/survey-answers.ts";
import { type Child, h } from "../shared/h.ts";
import { prose } from "../shared/prose.ts";
import { choiceField } from "./choice-field.ts";
import { textField } from "./controls.ts";
import { faultOf } from "./fault.ts";
import { KEYS } from "./keys.ts";
import type { SurveyWords } from "./labels.ts";
import { scaleField } from "./scale-field.ts";

export type Field = {
  readonly question: Question;
  readonly element: HTMLElement;
  /** Radios and checkboxes, in their order. Empty for a text. */
  readonly options: readonly HTMLInputElement[];
  /** Shows the answer. */
  readonly draw: (answer: Answer | undefined) => void;
  /** Says what is wrong with the answer. Returns the fault's text, empty where it can be sent. */
  readonly check: (answer: Answer | undefined) => string;
  readonly refuse: (text: string) => void;
  /** On the first fault of an own answer its text, otherwise where an answer is given. */
  readonly focus: () => void;
};

/** Calls `answer` when the person gives one. `group` is unique on the page. */
export function field(
  question: Question,
  {
    words,
    group,
    answer,
  }: { readonly words: SurveyWords; readonly group: string; readonly answer: (value: Answer | undefined) => void },
): Field {
  const { kind, title, help, required } = question;
  const ids = { label: `${group}-label`, help: `${group}-help`, note: `${group}-note`, error: `${group}-error` };
  const described = `${ids.help} ${ids.note} ${ids.error}`;
  const isText = kind === "text";
  const isLong = kind === "scale" && pointsOf(question).length > KEYS;
  const error = h("p", { class: "error", id: ids.error, hidden: true });
  const clear = h("button", { type: "button", class: "link clear", hidden: true }, words.say("clear"));
  const controls = isText
    ? textField(question, ids.label, described, answer)
    : kind === "scale"
      ? scaleField(question, group, answer)
      : choiceField(question, { group, words, describedBy: ids.error }, answer);
  clear.addEventListener("click", () => {
    answer(undefined);
    controls.inputs[0]?.focus();
  });
  const label: readonly Child[] = [
    h("span", { class: "question-title", part: "question-title", dir: "auto" }, title),
    required && h("span", { class: "mark" }, words.say("required")),
  ];
  const body = [
    help !== "" && prose(help, { id: ids.help, class: "prose muted", part: "help" }),
    controls.element,
    h("p", { class: "muted small", id: ids.note }, noteOf(question, words)),
    h(
      "p",
      { class: `muted small keys${isLong ? "" : " marked"}`, "aria-hidden": "true" },
      isLong ? words.say("keysType") : keysOf(question, controls.inputs.length, words),
    ),
    error,
    !required && !isText && kind !== "choices" && clear,
  ];
  const element = isText
    ? h(
        "div",
        { class: "question", part: "question" },
        h("label", { id: ids.label, for: `${group}-text` }, ...label),
        ...body,
      )
    : h(
        "fieldset",
        {
          class: "question",
          part: "question",
          "aria-describedby": described,
          // A group of checkboxes has no such attribute: there the mark in its legend says it.
          ...(kind !== "choices" && { role: "radiogroup", "aria-required": String(required) }),
        },
        h("legend", {}, ...label),
        ...body,
      );
  if (isText) controls.inputs[0]?.setAttribute("id", `${group}-text`);
  if (isText && required) controls.inputs[0]?.setAttribute("aria-required", "true");
  const invalid = kind === "choice" || kind === "scale" ? [element] : controls.inputs;
  const refuse = (text: string) => {
    error.textContent = text;
    error.hidden = text === "";
    for (const each of invalid) each.ariaInvalid = String(text !== "");
  };
  return {
    question,
    element,
    options: isText ? [] : controls.inputs.filter((input) => input instanceof HTMLInputElement),
    draw: (value) => {
      controls.draw(value);
      clear.hidden = !isAnswered(value);
    },
    check: (value) => {
      const fault = faultOf(question, value);
      const text = fault ? words.say(fault.label, { count: fault.count }) : "";
      refuse(text);
      return text;
    },
    refuse,
    focus: () => controls.focus(),
  };
}

/** How many may be chosen. */
function noteOf(question: Question, words: SurveyWords): string {
  if (question.kind !== "choices") return "";
  const { atLeast, atMost } = question;
  return [
    atLeast > 1 && words.say("atLeast", { count: atLeast }),
    atMost !== null && words.say("atMost", { count: atMost }),
  ]
    .filter(Boolean)
    .join(" ");
}

/** Which keys answer, for those who have a keyboard. */
function keysOf(question: Question, count: number, words: SurveyWords): string {
  if (question.kind === "text") return question.long ? words.say("keysLong") : "";
  const first = question.kind === "scale" ? question.from : 1;
  const last = question.kind === "scale" ? question.to : Math.min(count, KEYS);
  return words.say("keysChoose", { keys: `${first}–${last}` });
}
