/** A text that was not sent, and that has no form any more: it can still be copied. */
import { h } from "../shared/h.ts";
import { prose } from "../shared/prose.ts";
import type { BoardContext } from "./board-context.ts";
import { type Unsent, unsent } from "./draft.ts";
import { question } from "./question.ts";

/** For so long a text is kept whose idea or comment is gone. */
const KEPT_MS = 30 * 86_400_000;
export const isOld = ({ at = Number.NaN }: Unsent): boolean => Date.now() - at > KEPT_MS;

export function unsentText({ text, drop }: Unsent, { words, announce }: Pick<BoardContext, "words" | "announce">) {
  const shown = prose(text);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      announce(words.say("textCopied"));
      first.textContent = words.say("textCopied");
    } catch {
      // Without HTTPS, or in a frame without the permission, it can be copied by hand.
      getSelection()?.selectAllChildren(shown);
    }
  };
  const discard = () => {
    drop();
    element.closest<HTMLElement>(".root")?.focus({ preventScroll: true });
    element.remove();
  };
  const first = h(
    "button",
    { type: "button", class: "button", part: "button", onclick: () => void copy() },
    words.say("copyText"),
  );
  // It may stand where the button to send was, under a finger that taps twice.
  const last = question({ words }, { ask: "discard", text: "unsent", yes: "discard", act: async () => discard() });
  const element = h(
    "section",
    { class: "aside unsent", part: "unsent" },
    h("p", { class: "meta" }, words.say("unsent")),
    shown,
    h("div", { class: "buttons" }, first, last),
  );
  return element;
}

/** That of a draft, by its name, if there is one. What is older than a month is dropped. */
export function leftText(name: string, context: BoardContext): HTMLElement | undefined {
  const draft = unsent(context.ideaBank.who, name);
  if (draft && isOld(draft)) draft.drop();
  else if (draft) return unsentText(draft, context);
  return undefined;
}
