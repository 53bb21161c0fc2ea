/**
 * The form: one question at a time, or all at once. Answers go into the draft as they are given. Going back changes and sends nothing,
 * and only a deliberate act goes on: a button, or Enter.
 */
import { type Answer, pointsOf, type Questions, shownQuestions } from "../../worker/model/survey-answers.ts";
import { h } from "../shared/h.ts";
import { button, quietButton } from "./button.ts";
import type { Draft } from "./draft.ts";
import { type Field, field } from "./field.ts";
import { type Focused, KEYS, keyAction, typeDigit } from "./keys.ts";
import type { SurveyWords } from "./labels.ts";

export type Layout = "steps" | "all";
export type Questionnaire = {
  readonly element: HTMLFormElement;
  readonly focus: () => void;
  /** The API refused these questions' answers: the first of them gets the focus. False where none of them is shown. */
  readonly refuse: (ids: readonly string[]) => boolean;
  /** Shown and announced above the buttons, until the next act; empty takes it away. */
  readonly notify: (text: string, action?: HTMLElement) => HTMLElement;
};

let forms = 0;

export function questionnaire({
  questions,
  draft,
  layout,
  intro,
  words,
  announce,
  send,
  rest,
  cancel,
}: {
  readonly questions: Questions;
  readonly draft: Draft;
  readonly layout: Layout;
  /** Above the first question. */
  readonly intro: HTMLElement;
  readonly words: SurveyWords;
  readonly announce: (text: string) => void;
  /** Sends the answers, and shows what comes of it. */
  readonly send: () => Promise<void>;
  readonly rest: () => void;
  /** Instead of `rest`, while sent answers are changed. */
  readonly cancel: (() => void) | undefined;
}): Questionnaire {
  const group = `survey-${++forms}`;
  const isSteps = layout === "steps";
  let sending = false;
  /** The digits typed on a long scale. */
  let typed = "";

  const fields = questions.map((question, at) =>
    field(question, { words, group: `${group}-${at}`, answer: (value) => give(question.id, value) }),
  );
  const notice = h("div", { class: "error notice", hidden: true });
  const progress = h("p", { class: "muted small" });
  const bar = h("progress", { "aria-hidden": "true" });
  const place = h("div", { class: "progress", part: "progress" }, bar, progress);
  const back = button(words.say("back"), () => step(-1));
  const next = button("", () => void goOn(), "primary");
  const leave = quietButton(words.say(cancel ? "cancel" : "notNow"), cancel ?? rest);
  const element = h(
    "form",
    { class: `survey ${layout}`, part: "form", novalidate: true },
    place,
    intro,
    ...fields.map((each) => each.element),
    notice,
    h("div", { class: "buttons" }, next, isSteps && back, leave),
  );

  /** The questions that these answers show. */
  const shown = (): readonly Field[] => {
    const ids = new Set(shownQuestions(questions, draft.answers).map(({ id }) => id));
    return fields.filter(({ question }) => ids.has(question.id));
  };
  const current = () => shown().find(({ question }) => question.id === draft.at) ?? shown()[0];

  function give(id: string, value: Answer | undefined): void {
    if (value === undefined) delete draft.answers[id];
    else draft.answers[id] = value;
    draft.save();
    const given = fields.find(({ question }) => question.id === id);
    given?.refuse("");
    notify("");
    update();
  }

  function update(): void {
    const asked = shown();
    const at = current();
    const visible = isSteps ? [at] : asked;
    for (const each of fields) {
      each.element.hidden = !visible.includes(each);
      each.draw(draft.answers[each.question.id]);
    }
    const isAnswered = ({ question }: Field) => faultless(question.id);
    const number = isSteps && at ? asked.indexOf(at) + 1 : asked.filter(isAnswered).length;
    const count = asked.length;
    // Of a single question there is nothing to say.
    place.hidden = count < 2;
    bar.max = Math.max(count, 1);
    bar.value = isSteps ? number - 1 : number;
    progress.textContent = words.say(isSteps ? "progress" : "answeredOf", { number, count });
    const isFirst = at === asked[0];
    back.hidden = isFirst;
    intro.hidden = isSteps && !isFirst;
    next.textContent = words.say(isSteps && at !== asked.at(-1) ? "next" : "send");
  }
  const faultless = (id: string) => draft.answers[id] !== undefined && draft.answers[id] !== "";

  /** Shows the question, with the focus in it. */
  function visit(to: Field | undefined): void {
    if (!to) return;
    typed = "";
    draft.at = to.question.id;
    update();
    to.focus();
    to.element.scrollIntoView({ block: "nearest" });
  }

  function step(by: 1 | -1): void {
    const asked = shown();
    const at = current();
    const to = at && asked[asked.indexOf(at) + by];
    notify("");
    visit(to);
    if (!to) return;
    draft.save();
    announce(progress.textContent ?? "");
  }

  async function goOn(): Promise<void> {
    const asked = shown();
    const at = current();
    const checked = isSteps && at !== asked.at(-1) ? [at] : asked;
    const [wrong] = checked.filter((each) => each && each.check(draft.answers[each.question.id]) !== "");
    if (wrong) {
      visit(wrong);
      announce(wrong.check(draft.answers[wrong.question.id]));
    } else if (isSteps && at !== asked.at(-1)) step(1);
    else if (!sending) {
      sending = true;
      notify("");
      // `disabled` would lose the focus.
      next.ariaDisabled = "true";
      await send();
      sending = false;
      next.ariaDisabled = null;
    }
  }

  function notify(text: string, action?: HTMLElement): HTMLElement {
    const words = h("p", {}, text);
    notice.hidden = text === "";
    notice.replaceChildren(words, action ?? "");
    if (text) announce(text);
    return words;
  }

  /** In `all`, Enter leads to the next question: nothing is sent before somebody has come to the button. */
  function enter(from: Field | undefined): void {
    const asked = shown();
    if (isSteps) void goOn();
    else if (from) {
      const to = asked[asked.indexOf(from) + 1];
      if (to) visit(to);
      else next.focus();
    }
  }

  function press(digit: string, { question, options }: Field): void {
    const points = question.kind === "scale" ? pointsOf(question) : options.map((_, at) => at + 1);
    const isTyped = question.kind === "scale" && points.length > KEYS;
    typed = isTyped ? typeDigit(typed, digit, points) : digit;
    const option = options[points.indexOf(Number(typed))];
    if (typed === "" || !option) return;
    option.focus();
    // What is typed waits at its point for Enter.
    if (!isTyped && !(option.type === "radio" && option.checked)) option.click();
  }

  element.addEventListener("keydown", (event) => {
    const target = event.target;
    if (!(target instanceof HTMLElement)) return;
    const action = keyAction(event, focusedOf(target), element.matches(":dir(rtl)"));
    if (action?.do !== "digit") typed = "";
    const inside = fields.find((each) => each.element.contains(target)) ?? (isSteps ? current() : undefined);
    if (!action || !inside) return;
    event.preventDefault();
    const { options } = inside;
    const option = options.find((each) => each === target);
    if (action.do === "digit") press(action.digit, inside);
    else if (action.do === "move" && option)
      options.at((options.indexOf(option) + action.by) % options.length)?.focus();
    else if (action.do === "enter" && option?.type === "radio" && !option.checked) option.click();
    else if (action.do === "enter") enter(inside);
  });
  // Enter is handled above; a field that sends the form by itself would not ask whether a character is being composed.
  element.addEventListener("submit", (event) => event.preventDefault());
  update();

  return {
    element,
    focus: () => visit(current()),
    refuse: (ids) => {
      const refused = shown().filter(({ question }) => ids.includes(question.id));
      for (const each of refused)
        if (each.check(draft.answers[each.question.id]) === "") each.refuse(words.say("check"));
      visit(refused[0]);
      return refused.length > 0;
    },
    notify,
  };
}

function focusedOf(target: HTMLElement): Focused {
  if (target instanceof HTMLTextAreaElement) return "lines";
  if (!(target instanceof HTMLInputElement)) return "button";
  return target.type === "radio" || target.type === "checkbox" ? target.type : "line";
}
