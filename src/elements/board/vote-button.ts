/** The vote of a proposal: it answers at once, and is taken back when the API refuses it. */
import { isRequestFailure } from "../shared/request-failure.ts";
import type { Ballot, BoardContext } from "./board-context.ts";
import type { Idea } from "./idea-bank.ts";
import { voteBox } from "./vote-box.ts";

/** If voting is closed, it is only the count. `idea` is updated with the vote. */
export function voteButton(idea: Idea, context: BoardContext): HTMLElement {
  const { ideaBank, capabilities, ballots, words, signal, announce, report, askToSignIn, dispatch } = context;
  if (!capabilities.canVote || idea.duplicateOf !== null)
    return voteBox(words.short(idea.votes), words.say("votes", { count: idea.votes }));
  const [count, name] = [new Text(), new Text()];
  const button = voteBox(count, name, { type: "button" });
  const known = { confirmed: { voted: idea.voted, votes: idea.votes }, wanted: idea.voted };
  const ballot: Ballot = ballots.get(idea.id) ?? { ...known, sending: false, buttons: new Map() };
  const { buttons } = ballot;
  const begun = { view: idea.id, act: "vote", title: idea.title } as const;
  // A vote that is being sent is newer than the one that was read.
  if (!ballot.sending) Object.assign(ballot, known);
  ballots.set(idea.id, ballot);

  const draw = () => {
    if (!capabilities.canVote) {
      button.replaceWith(voteButton(idea, context));
      return;
    }
    const { confirmed, wanted } = ballot;
    idea.voted = wanted;
    idea.votes = confirmed.votes + Number(wanted) - Number(confirmed.voted);
    count.data = words.short(idea.votes);
    name.data = words.say("voteFor", { title: idea.title, count: idea.votes });
    button.setAttribute("aria-pressed", String(wanted));
    button.setAttribute("part", wanted ? "vote voted" : "vote");
  };
  const drawAll = () => {
    for (const draw of buttons.values()) draw();
  };

  /** Sends one request at a time. Clicks meanwhile only change the wanted state. */
  async function settle(): Promise<void> {
    if (ballot.sending) return;
    ballot.sending = true;
    try {
      while (ballot.wanted !== ballot.confirmed.voted) ballot.confirmed = await ideaBank.vote(idea.id, ballot.wanted);
      drawAll();
      announce(words.say(ballot.wanted ? "voted" : "unvoted", { count: ballot.confirmed.votes }));
      dispatch("voted", { id: idea.id, title: idea.title, ...ballot.confirmed });
    } catch (error) {
      if (signal.aborted) return;
      const { wanted } = ballot;
      ballot.wanted = ballot.confirmed.voted;
      drawAll();
      // The panelist's token may have become a visitor's.
      if (ideaBank.isVisitor) askToSignIn(begun);
      // It may have arrived, and can be sent twice.
      else report(error, isRequestFailure(error) && error.code === "offline" ? () => vote(wanted) : undefined);
    } finally {
      ballot.sending = false;
    }
  }

  const vote = (wanted: boolean) => {
    ballot.wanted = wanted;
    drawAll();
    void settle();
  };
  button.addEventListener("click", () => {
    if (ideaBank.isVisitor) askToSignIn(begun);
    else vote(!ballot.wanted);
  });
  // Those that have left the page are drawn anew before they come back.
  for (const other of buttons.keys()) if (!other.isConnected) buttons.delete(other);
  buttons.set(button, draw);
  drawAll();
  return button;
}
