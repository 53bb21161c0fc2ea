/** What an answer is given with. */
import type { Answer, Text } from "../../worker/model/survey-answers.ts";
import { h } from "../shared/h.ts";

type Input = HTMLInputElement | HTMLTextAreaElement;
export type Controls = {
  readonly element: HTMLElement;
  readonly inputs: readonly Input[];
  readonly draw: (answer: Answer | undefined) => void;
  readonly focus: () => void;
};
/** Called with each answer; undefined takes it back. */
export type Give = (value: Answer | undefined) => void;

export function textField({ long }: Text, label: string, described: string, give: Give): Controls {
  const attributes = {
    class: "field",
    part: "field",
    dir: "auto",
    "aria-labelledby": label,
    "aria-describedby": described,
  };
  const input = long ? h("textarea", { ...attributes, rows: 4 }) : h("input", { ...attributes, autocomplete: "off" });
  input.addEventListener("input", () => give(input.value));
  const draw = (answer: Answer | undefined) => {
    // Setting a text moves the cursor.
    if (input.value !== (answer ?? "")) input.value = String(answer ?? "");
  };
  return { element: input, inputs: [input], draw, focus: () => input.focus({ preventScroll: true }) };
}

/** For radios and checkboxes. */
export const optionsOf = (
  inputs: readonly HTMLInputElement[],
  isGiven: (answer: Answer | undefined, at: number) => boolean,
) => ({
  draw: (answer: Answer | undefined) => {
    for (const [at, input] of inputs.entries()) input.checked = isGiven(answer, at);
  },
  focus: () => (inputs.find(({ checked }) => checked) ?? inputs[0])?.focus({ preventScroll: true }),
});
