/** The way to delete one's answers: a link, then a question in its place. */
import { h } from "../shared/h.ts";
import { button, quietButton } from "./button.ts";
import type { SurveyWords } from "./labels.ts";

export function deletion(words: SurveyWords, act: () => void): HTMLElement {
  const place = h("div");
  const link = quietButton(words.say("delete"), () => {
    const text = words.say("deleteQuestion");
    const keep = button(words.say("keep"), () => {
      place.replaceChildren(link);
      link.focus();
    });
    const buttons = [button(words.say("delete"), act, "danger"), keep];
    place.replaceChildren(
      h("div", { role: "group", class: "buttons", "aria-label": text }, h("p", {}, text), ...buttons),
    );
    keep.focus();
  });
  place.append(link);
  return place;
}
