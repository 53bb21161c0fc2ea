/** The vote of a proposal: it answers at once, and is taken back when the API refuses it. */
import { h, icon } from "../shared/h.ts";
import type { BoardContext } from "./board-context.ts";
import type { Idea } from "./idea-bank.ts";

const ARROW = "M3.5 10.2 8 5.6l4.5 4.6";

/** Where voting is closed it is the count alone. `idea` follows what happens. */
export function voteButton(idea: Idea, { ideaBank, capabilities, words, signal, announce, report }: BoardContext) {
  const count = h("span", { class: "count", "aria-hidden": "true" });
  const name = h("span", { class: "unseen" });
  if (!capabilities.canVote || idea.duplicateOf !== null) {
    count.textContent = words.number(idea.votes);
    name.textContent = words.say("votes", { count: idea.votes });
    return h("span", { class: "vote", part: "vote" }, icon(ARROW), count, name);
  }
  const button = h("button", { type: "button", class: "vote", part: "vote" }, icon(ARROW), count, name);
  let confirmed = { voted: idea.voted, votes: idea.votes };
  let wanted = idea.voted;
  let sending = false;

  const show = (voted: boolean, votes: number) => {
    idea.voted = voted;
    idea.votes = votes;
    count.textContent = words.number(votes);
    name.textContent = words.say("voteFor", { title: idea.title, count: votes });
    button.setAttribute("aria-pressed", String(voted));
  };
  const showConfirmed = () => show(confirmed.voted, confirmed.votes);

  /** One request at a time: clicks meanwhile only change what is wanted. */
  async function settle(): Promise<void> {
    if (sending) return;
    sending = true;
    try {
      while (wanted !== confirmed.voted) confirmed = await ideaBank.vote(idea.id, wanted);
      showConfirmed();
      announce(words.say(confirmed.voted ? "voted" : "unvoted", { count: confirmed.votes }));
    } catch (error) {
      if (signal.aborted) return;
      wanted = confirmed.voted;
      showConfirmed();
      report(error);
    } finally {
      sending = false;
    }
  }

  button.addEventListener("click", () => {
    wanted = !wanted;
    show(wanted, confirmed.votes + Number(wanted) - Number(confirmed.voted));
    void settle();
  });
  showConfirmed();
  return button;
}
