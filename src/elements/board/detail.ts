/** One proposal: the text, the official response, the comments; and for its author, editing and withdrawing. */
import { h } from "../shared/h.ts";
import { setProse } from "../shared/prose.ts";
import { requestFailure } from "../shared/request-failure.ts";
import type { BoardContext } from "./board-context.ts";
import { comments } from "./comments.ts";
import { asidesOf, barView, detailBody, detailTitle, detailView, facts, ideaText } from "./detail-view.ts";
import { unsent } from "./draft.ts";
import { onEscape } from "./escape.ts";
import type { Idea } from "./idea-bank.ts";
import { ideaForm } from "./idea-form.ts";
import { question } from "./question.ts";
import { leftText } from "./unsent-text.ts";
import { voteButton } from "./vote-button.ts";

type DetailExits = {
  readonly back: () => void;
  /** The label of where that leads. */
  readonly backTo: "back" | "suggestTitle";
  readonly open: (id: string) => void;
  readonly withdrawn: (idea: Idea) => void;
};

export type Detail = {
  readonly element: HTMLElement;
  readonly focus: () => void;
  /** When its comments are shown, or could not be read. */
  readonly read: Promise<void>;
  /** Shows the idea as the API has it now. Rejects as `IdeaBank.idea` does. */
  readonly update: () => Promise<void>;
};

export function detail(idea: Idea, context: BoardContext, exits: DetailExits): Detail {
  const { ideaBank, capabilities, ballots, words, level, hasAddresses, addressOf, linkTo, linkBack, notify, confirm } =
    context;
  const title = detailTitle(level);
  const text = ideaText("");
  const meta = h("div", { class: "meta" });
  let asides: readonly HTMLElement[] = [];
  let shown = "";
  /** What has not changed is left alone: the focus may be in it. */
  const showText = () => {
    const now = JSON.stringify({ ...idea, votes: 0, voted: 0, comments: 0, lastActivityAt: 0 });
    if (now === shown) return;
    shown = now;
    title.textContent = idea.title;
    setProse(text, idea.description);
    text.hidden = idea.description === "";
    meta.replaceChildren(...facts(idea, words));
    const into = idea.duplicateOf ?? "";
    for (const aside of asides) aside.remove();
    asides = asidesOf(
      idea,
      words,
      linkTo(into, () => exits.open(into)),
    );
    body.after(...asides);
    if (into)
      ideaBank.idea(into).then(
        ({ title }) => {
          const link = asides[0]?.querySelector(".link");
          if (link) link.textContent = title;
        },
        // One that the visitor may not see has no name here.
        () => {},
      );
    if (isEditable() !== editable) (own.matches(":focus-within") ? closeEditor : showOwn)();
    // The vote's name has the title.
    ballots.get(idea.id)?.buttons.get(vote)?.();
  };

  const own = h("div", { class: "own" });
  const isEditable = () =>
    idea.mine && idea.status === "submitted" && idea.duplicateOf === null && capabilities.canSubmitProposals;
  const draft = `edit:${idea.id}`;
  let editable: boolean | undefined;
  const showOwn = () => {
    editable = isEditable();
    own.replaceChildren();
    if (!editable) {
      own.append(leftText(draft, context) ?? "");
      return;
    }
    const onclick = () => {
      showEditor();
      own.querySelector("input")?.focus();
    };
    const edit = h("button", { type: "button", class: "link quiet", onclick }, words.say("edit"));
    const withdraw = async () => {
      await ideaBank.withdraw(idea.id);
      unsent(ideaBank.who, draft)?.drop();
      exits.withdrawn(idea);
    };
    own.append(edit, question(context, { ask: "withdraw", text: "withdrawQuestion", yes: "withdraw", act: withdraw }));
  };
  const closeEditor = () => {
    showOwn();
    (own.querySelector("button") ?? title).focus();
  };
  function showEditor(): void {
    const editor = ideaForm(context, {
      idea,
      update: async () => {
        await update();
        if (!editable) throw requestFailure("conflict");
      },
      cancel: closeEditor,
      send: async (changes) => {
        Object.assign(idea, await ideaBank.edit(idea.id, changes));
        showText();
        closeEditor();
        confirm(words.say("saved"));
      },
    });
    own.replaceChildren(editor);
  }

  const copyLink = async () => {
    const link = addressOf(idea.id);
    try {
      await navigator.clipboard.writeText(link);
      confirm(words.say("linkCopied"));
    } catch {
      // Without HTTPS, or in a frame without the permission, it can be copied by hand.
      notify(link);
    }
  };

  let vote = voteButton(idea, context);
  const body = detailBody(vote, title, meta, text, own);
  const discussion = comments(idea, context);
  const { back, backTo } = exits;
  const bar = barView(words, {
    back: backTo === "back" ? linkBack(back) : { onclick: back },
    backTo,
    copy: hasAddresses && { onclick: () => void copyLink() },
  });
  const element = detailView(bar, body, discussion.element);
  async function update(): Promise<void> {
    const before = JSON.stringify(idea);
    const { voted, votes, ...now } = await ideaBank.idea(idea.id);
    // The visitor's own actions meanwhile may be newer than the answer.
    if (JSON.stringify(idea) !== before) return update();
    // It can be missing now.
    Object.assign(idea, { following: undefined }, now);
    // A button with the focus keeps it.
    if (!vote.matches(":focus")) {
      Object.assign(idea, { voted, votes });
      vote = voteButton(idea, context);
      body.firstChild?.replaceWith(vote);
    }
    showText();
    discussion.update();
  }
  showText();
  // A begun edit goes on.
  if (editable && unsent(ideaBank.who, draft)) showEditor();
  onEscape(element, back);
  return { element, focus: () => title.focus(), read: discussion.read, update };
}
