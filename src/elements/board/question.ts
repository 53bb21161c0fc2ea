/** A confirmation before an action that cannot be undone: a link, then a question with two buttons in its place. */
import { h } from "../shared/h.ts";
import type { BoardContext } from "./board-context.ts";
import { onEscape } from "./escape.ts";
import type { BOARD_LABELS } from "./labels.ts";

type Question = Readonly<Record<"ask" | "text" | "yes", keyof typeof BOARD_LABELS>> & {
  readonly act: () => Promise<void>;
};

/** Without the last two for an act that cannot fail. */
type Asking = Pick<BoardContext, "words"> & Partial<Pick<BoardContext, "signal" | "report">>;

export function question({ words, signal, report }: Asking, { ask, text, yes, act }: Question): HTMLElement {
  const place = h("div", { class: "question" });
  let acting = false;
  const showLink = () => {
    place.replaceChildren(h("button", { type: "button", class: "link quiet", onclick: showQuestion }, words.say(ask)));
  };
  const back = () => {
    showLink();
    place.querySelector("button")?.focus();
  };
  async function go(): Promise<void> {
    if (acting) return;
    acting = true;
    try {
      await act();
    } catch (error) {
      if (signal?.aborted) return;
      report?.(error);
      back();
    } finally {
      acting = false;
    }
  }
  function showQuestion(): void {
    const sure = h("button", { type: "button", class: "button danger", onclick: () => void go() }, words.say(yes));
    const keep = h("button", { type: "button", class: "button", onclick: back }, words.say("keep"));
    const group = h("div", { class: "sure", role: "group", "aria-label": words.say(text) });
    group.append(h("p", {}, words.say(text)), h("div", { class: "buttons" }, sure, keep));
    onEscape(group, back);
    place.replaceChildren(group);
    keep.focus();
  }
  showLink();
  return place;
}
