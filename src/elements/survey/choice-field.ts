/** Options, and a text of one's own beside them. */
import type { Answer, Choice, Choices } from "../../worker/model/survey-answers.ts";
import { h } from "../shared/h.ts";
import { choose, isChosen, otherText, writeOther } from "./answers.ts";
import { type Controls, type Give, optionsOf } from "./controls.ts";
import { KEYS } from "./keys.ts";
import type { SurveyWords } from "./labels.ts";

export function choiceField(
  question: Choice | Choices,
  { group, words, describedBy }: { readonly group: string; readonly words: SurveyWords; readonly describedBy: string },
  give: Give,
): Controls {
  const type = question.kind === "choice" ? "radio" : "checkbox";
  let given: Answer | undefined;
  const options = [...question.options, ...(question.other ? [{ id: null, label: words.say("other") }] : [])];
  const text = h("input", {
    class: "field other",
    part: "field",
    dir: "auto",
    autocomplete: "off",
    hidden: true,
    placeholder: words.say("otherText"),
    "aria-label": words.say("otherText"),
    "aria-describedby": describedBy,
  });
  text.addEventListener("input", () => give(writeOther(given, text.value)));
  const inputs = options.map(({ id }) => {
    const input = h("input", { type, name: group, value: id ?? "" });
    input.addEventListener("change", () => {
      give(choose(question, given, id));
      if (id === null && input.checked) text.focus();
    });
    return input;
  });
  const rows = inputs.map((input, at) =>
    h(
      "label",
      { class: "option", part: "option" },
      input,
      h("span", { dir: "auto" }, options[at]?.label),
      at < KEYS && h("kbd", { class: "keys", "aria-hidden": "true" }, String(at + 1)),
    ),
  );
  const drawn = optionsOf(inputs, (answer, at) => isChosen(answer, options[at]?.id ?? null));
  return {
    element: h("div", { class: "options" }, ...rows, question.other && text),
    inputs,
    draw: (answer) => {
      given = answer;
      drawn.draw(answer);
      text.hidden = !isChosen(answer, null);
      if (text.value !== otherText(answer)) text.value = otherText(answer);
    },
    focus: () => {
      if (isChosen(given, null) && otherText(given).trim() === "") text.focus({ preventScroll: true });
      else drawn.focus();
    },
  };
}
