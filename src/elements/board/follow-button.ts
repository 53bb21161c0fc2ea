/** Follows an idea, and stops. It is shown only where the API says `following`: to a visitor whom an e-mail can reach. */
import { h } from "../shared/h.ts";
import type { BoardContext } from "./board-context.ts";
import type { Idea } from "./idea-bank.ts";

/** The button, and below it what it does. `update` shows what the idea says now. */
export function followButton(
  idea: Idea,
  { ideaBank, words, signal, announce, report }: BoardContext,
): readonly [button: HTMLElement, told: HTMLElement, update: () => void] {
  const button = h("button", { type: "button", class: "button", part: "button" });
  const told = h("p", { class: "formats" }, words.say("followed"));
  const update = () => {
    const { following } = idea;
    button.hidden = following === undefined;
    told.hidden = !following;
    button.ariaPressed = String(following);
    button.textContent = words.say(following ? "following" : "follow");
  };
  // Another click meanwhile wants the same, and it can be sent twice.
  button.onclick = async () => {
    const following = !idea.following;
    try {
      await ideaBank.follow(idea.id, following);
      idea.following = following;
      update();
      if (following) announce(words.say("followed"));
    } catch (error) {
      if (!signal.aborted) report(error);
    }
  };
  update();
  return [button, told, update];
}
