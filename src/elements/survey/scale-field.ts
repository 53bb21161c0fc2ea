/** The points of a scale, as numbers or stars. */
import { pointsOf, type Scale } from "../../worker/model/survey-answers.ts";
import { h } from "../shared/h.ts";
import { type Controls, type Give, optionsOf } from "./controls.ts";

const STAR = "★";

export function scaleField(question: Scale, group: string, give: Give): Controls {
  const { stars, lowLabel, highLabel } = question;
  const points = pointsOf(question);
  const inputs = points.map((point) => {
    const input = h("input", { type: "radio", name: group, value: point });
    input.addEventListener("change", () => give(point));
    return input;
  });
  const rows = inputs.map((input, at) => {
    const meaning = at === 0 ? lowLabel : at === inputs.length - 1 ? highLabel : "";
    return h(
      "label",
      { class: "point", part: "point" },
      input,
      h("span", { "aria-hidden": stars }, stars ? STAR : input.value),
      (stars || meaning !== "") && h("span", { class: "unseen" }, `${stars ? input.value : ""} ${meaning}`),
    );
  });
  const ends = (lowLabel || highLabel) && [h("span", { dir: "auto" }, lowLabel), h("span", { dir: "auto" }, highLabel)];
  const element = h(
    "div",
    { class: "scale" },
    h("div", { class: stars ? "points stars" : "points" }, ...rows),
    ends && h("div", { class: "ends muted small", "aria-hidden": "true" }, ...ends),
  );
  return { element, inputs, ...optionsOf(inputs, (answer, at) => answer === points[at]) };
}
