/** A proposal's comments, oldest first, and the form to add one. */
import { h } from "../shared/h.ts";
import { skeleton } from "../shared/message.ts";
import { prose, setProse } from "../shared/prose.ts";
import type { BoardContext } from "./board-context.ts";
import { commentCount, commentList, commentsTitle, commentView, discussionView } from "./comment-view.ts";
import { followButton } from "./follow-button.ts";
import { form } from "./form.ts";
import type { Comment, Idea } from "./idea-bank.ts";
import { question } from "./question.ts";

/** The API's page size. */
const PAGE = 20;

type Discussion = {
  readonly element: HTMLElement;
  /** Shows the number of comments that the idea has now, and those that are new. */
  readonly update: () => void;
  /** When the first of them are shown, or could not be read. */
  readonly read: Promise<void>;
};

export function comments(idea: Idea, context: BoardContext): Discussion {
  const { ideaBank, capabilities, words, level, signal, announce, report, signIn, dispatch } = context;
  const list = commentList();
  const more = h("button", { type: "button", class: "button", part: "button", hidden: true });
  const title = commentsTitle(level);
  const [follow, told, showFollow] = followButton(idea, context);
  const rows = new Map<string, HTMLElement>();
  /** Below it are comments that were added here before their page was loaded. */
  const end = new Text();
  const field = { name: "body", label: words.say("comment"), maxLength: 10_000, rows: 3 };
  const toCome = skeleton(Math.min(idea.comments, PAGE), "comment", "face");
  let cursor: string | undefined;
  /** Where the last page that was loaded begins. */
  let lastPage: string | undefined;
  let loading = false;

  const showCount = () => {
    title.textContent = commentCount(idea.comments, words);
  };

  /** `at` is where its page begins. */
  function comment(shown: Comment, at?: string): HTMLElement {
    const { id, mine, body, visibility } = shown;
    const remove = async () => {
      await ideaBank.deleteComment(idea.id, id);
      if (!visibility) idea.comments -= 1;
      showCount();
      const next = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      announce(words.say("commentDeleted"));
      (next?.querySelector("button") ?? title).focus();
    };
    const text = prose(body);
    let written = body;
    /** In its place, as it is now. */
    const renew = (now: Comment) => {
      const again = comment(now, at);
      row.replaceWith(again);
      again.querySelector("button")?.focus();
    };
    function showEditor(): void {
      const editor = form(
        {
          fields: [{ ...field, label: words.say("ownComment"), value: written }],
          submit: words.say("save"),
          draft: `edit:${id}`,
          cancel: () => renew({ ...shown, body: written }),
          reread: async () => {
            const { items } = await ideaBank.comments(idea.id, at);
            const now = items.find((item) => item.id === id)?.body ?? written;
            // Changed meanwhile, it stands above the visitor's own.
            text.hidden = now === written;
            written = now;
            setProse(text, now);
            return { body: now };
          },
          send: async ({ body = written }) => {
            const edited = await ideaBank.editComment(idea.id, id, body);
            // It may wait for approval again.
            if (edited.visibility !== visibility) idea.comments -= 1;
            showCount();
            renew(edited);
            announce(words.say("commentEdited"));
          },
        },
        context,
      );
      text.hidden = true;
      own.replaceChildren(editor);
      editor.querySelector("textarea")?.focus();
    }
    const isOwn = mine && capabilities.canComment;
    const own = h(
      "div",
      { class: "own" },
      isOwn &&
        idea.duplicateOf === null &&
        h("button", { type: "button", class: "link quiet", onclick: showEditor }, words.say("edit")),
      isOwn && question(context, { ask: "deleteComment", text: "deleteQuestion", yes: "deleteComment", act: remove }),
    );
    const row = commentView(shown, words, text, own);
    rows.set(id, row);
    return row;
  }

  async function load(): Promise<void> {
    if (loading) return;
    loading = true;
    try {
      const at = cursor;
      const page = await ideaBank.comments(idea.id, at);
      let first: HTMLElement | undefined;
      for (const item of page.items) {
        const known = rows.get(item.id);
        known?.after(end);
        if (known) continue;
        const row = comment(item, at);
        end.before(row);
        first ??= row;
      }
      lastPage = at;
      cursor = page.nextCursor;
      // The focus goes on where the button was.
      if (more.matches(":focus") && first) {
        first.tabIndex = -1;
        first.focus();
      }
      more.textContent = words.say("moreComments");
      more.hidden = cursor === undefined;
    } catch (error) {
      if (signal.aborted) return;
      more.textContent = words.say("retry");
      more.hidden = false;
      report(error, () => void load());
    } finally {
      loading = false;
      toCome.remove();
    }
  }

  const add = async ({ body = "" }: Readonly<Record<string, string>>, key: string) => {
    const added = await ideaBank.comment(idea.id, body, key);
    // Sent again after a lost answer, it may be here already.
    if (!rows.has(added.id)) {
      if (!added.visibility) idea.comments += 1;
      showCount();
      list.append(comment(added));
    }
    announce(words.say(added.visibility ?? "commented"));
    dispatch("commented", { id: idea.id, title: idea.title, comment: added.id });
  };
  const begun = { view: idea.id, act: "comment" } as const;
  const writing =
    capabilities.canComment &&
    idea.duplicateOf === null &&
    (ideaBank.isVisitor && !context.canSignIn
      ? h(
          "button",
          { type: "button", class: "button writing", part: "button", onclick: () => signIn(begun) },
          field.label,
        )
      : form({ fields: [field], submit: words.say("send"), draft: `comment:${idea.id}`, begun, send: add }, context));

  const update = () => {
    showCount();
    showFollow();
    // The button stands for those that are not loaded, or could not be.
    // Those that wait for approval are not counted.
    if (idea.comments <= list.querySelectorAll("time:last-child").length || !more.hidden) return;
    cursor = lastPage;
    void load();
  };
  list.append(end);
  more.addEventListener("click", () => void load());
  showCount();
  const read = load();
  // Hidden, they move nothing of what the server has written.
  const element = discussionView(title, follow, told, list, idea.comments > 0 && toCome, more, writing);
  return { element, update, read };
}
