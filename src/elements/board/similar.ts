/** Ideas like the one that is being typed, below its title. Each can be voted for right there. */
import { h } from "../shared/h.ts";
import type { BoardContext } from "./board-context.ts";
import type { Idea } from "./idea-bank.ts";
import { ideaRow } from "./idea-row.ts";
import { whenTyped } from "./when-typed.ts";

/** A shorter title says too little. In Chinese, Japanese and Korean two characters are a word. */
const LONG = /.{5}|[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Hang}]./u;

export type SimilarOptions = {
  readonly open: (idea: Idea) => void;
  /** Called with the visible ideas, so that their votes follow the visitor's actions. */
  readonly shown: (ideas: readonly Idea[]) => void;
};

export function similarIdeas(
  input: HTMLInputElement,
  context: BoardContext,
  { open, shown }: SimilarOptions,
): HTMLElement {
  const { ideaBank, words, signal, announce } = context;
  const list = h("ol", { class: "ideas" });
  const text = words.say("similar");
  const section = h(
    "section",
    { class: "similar", part: "similar", "aria-label": text, hidden: true },
    h("p", {}, text),
    list,
  );
  let ids = "";

  const show = (ideas: readonly Idea[]) => {
    const now = ideas.map(({ id }) => id).join();
    // Nothing is redrawn if the ideas are the same, or while the focus is among them, so that no idea moves away under a visitor
    // who is about to vote.
    if (now === ids || !input.isConnected || section.matches(":focus-within")) return;
    ids = now;
    section.hidden = ideas.length === 0;
    list.replaceChildren(...ideas.map((idea) => ideaRow(idea, context, () => open(idea))));
    shown(ideas);
    if (ideas.length > 0) announce(words.say("similarIdeas", { count: ideas.length }));
  };

  whenTyped(input, signal, async (title, asking) => {
    // The list is only a help: if it cannot be read, typing goes on without it.
    const found = LONG.test(title) && (await ideaBank.similar(title.slice(0, 200), asking).catch(() => undefined));
    if (!asking.aborted) show(found ? found.items : []);
  });
  return section;
}
