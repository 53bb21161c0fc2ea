/** A proposal's comments, in pages from either end or around one of them, and the form to add one. */
import { h } from "../shared/h.ts";
import { linkHere, mark } from "../shared/link.ts";
import { skeleton } from "../shared/message.ts";
import { prose, setProse } from "../shared/prose.ts";
import { isRequestFailure, requestFailure } from "../shared/request-failure.ts";
import type { BoardContext } from "./board-context.ts";
import { commentCount, commentList, commentsTitle, commentView, discussionView } from "./comment-view.ts";
import { allUnsent, unsent } from "./draft.ts";
import { followButton } from "./follow-button.ts";
import { form } from "./form.ts";
import type { Comment, CommentPage, Idea } from "./idea-bank.ts";
import { question } from "./question.ts";
import { leftText } from "./unsent-text.ts";

/** The API's page size. A longer discussion can be turned around, and answered at its beginning. */
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
  const button = (style: string, onclick?: () => void) =>
    h("button", { type: "button", class: style, part: style === "button" && style, hidden: !onclick, onclick });
  const [above, more] = [button("button"), button("button")];
  const title = commentsTitle(level);
  const [follow, told, showFollow] = followButton(idea, context);
  const rows = new Map<string, HTMLElement>();
  /** By their order. */
  const keys = new WeakMap<Element, string>();
  const field = { name: "body", label: words.say("comment"), maxLength: 10_000, rows: 3 };
  const toCome = skeleton(Math.min(idea.comments, PAGE), "comment", "face");
  let isNewest = false;
  let isLoading = false;
  /** What was asked for before the list began anew is not shown any more. */
  let beginnings = 0;

  const order = button("link quiet", () => void begin(isNewest ? {} : { order: "newest" }, !isNewest));
  const jump = button("link quiet", () => void begin({ order: "newest" }, false, () => list.lastElementChild));
  const tools = h("div", { class: "own" }, order, jump);
  order.textContent = words.say("newestFirst");
  jump.textContent = words.say("newestComment");
  const showCount = () => {
    title.textContent = commentCount(idea.comments, words);
    tools.hidden = idea.comments <= PAGE;
    order.ariaPressed = String(isNewest);
    jump.hidden = isNewest;
  };

  /** `goesOn`: a begun edit is opened. */
  function comment(shown: Comment, goesOn = false): HTMLElement {
    const { id, mine, body, visibility } = shown;
    const draft = `edit:${idea.id}:${id}`;
    const remove = async () => {
      await ideaBank.deleteComment(idea.id, id);
      unsent(ideaBank.who, draft)?.drop();
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
      const again = comment(now);
      row.replaceWith(again);
      again.querySelector("button")?.focus();
    };
    function showEditor(): void {
      const editor = form(
        {
          fields: [{ ...field, label: words.say("ownComment"), value: written }],
          submit: words.say("save"),
          draft,
          cancel: () => renew({ ...shown, body: written }),
          reread: async () => {
            const { items } = await ideaBank.comments(idea.id, { from: id, limit: "1" });
            const now = items[0]?.body ?? written;
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
    const isEditable = isOwn && idea.duplicateOf === null;
    const own = h(
      "div",
      { class: "own" },
      isEditable
        ? h("button", { type: "button", class: "link quiet", onclick: showEditor }, words.say("edit"))
        : leftText(draft, context),
      isOwn && question(context, { ask: "deleteComment", text: "deleteQuestion", yes: "deleteComment", act: remove }),
    );
    const link = context.hasAddresses ? linkHere(context.addressOf(idea.id, id), () => rows.get(id) ?? row) : undefined;
    const row = commentView(shown, words, link, text, own);
    rows.set(id, row);
    keys.set(row, shown.createdAt + id);
    if (goesOn && isEditable && unsent(ideaBank.who, draft)) showEditor();
    return row;
  }

  /** In its place, wherever the list begins and ends. Undefined for one that is here already. */
  function insert(shown: Comment): HTMLElement | undefined {
    if (rows.has(shown.id)) return undefined;
    const row = comment(shown, true);
    const key = keys.get(row) ?? "";
    const next = Array.from(list.children).find((each) => (keys.get(each) ?? "") > key !== isNewest);
    list.insertBefore(row, next ?? null);
    return row;
  }

  const lead = (to: HTMLElement, label: "moreComments" | "earlierComments" | "retry", on: (() => void) | false) => {
    to.textContent = words.say(label);
    to.hidden = !on;
    to.onclick = on || null;
  };

  /** With `first` the list begins anew: in that order. */
  async function load(page: CommentPage, first?: { readonly isNewest: boolean }): Promise<void> {
    if (isLoading && !first) return;
    isLoading = true;
    if (first) beginnings += 1;
    const beginning = beginnings;
    const isBelow = (page.order === "newest") === (first ?? { isNewest }).isNewest;
    const onward = isBelow ? more : above;
    try {
      const { items, nextCursor } = await ideaBank.comments(idea.id, page);
      if (beginning !== beginnings) return;
      if (first) {
        ({ isNewest } = first);
        showCount();
        rows.clear();
        list.replaceChildren();
        const { from } = page;
        lead(more, "moreComments", false);
        lead(above, "earlierComments", from !== undefined && (() => void load({ order: "newest", from })));
      }
      const hadFocus = onward.matches(":focus");
      const [row] = items.flatMap((item) => insert(item) ?? []);
      // The focus goes on where the button was.
      if (hadFocus && row) {
        row.tabIndex = -1;
        row.focus({ preventScroll: true });
      }
      // In a list that begins with the newest, nothing stands above.
      if (isBelow || !isNewest)
        lead(
          onward,
          isBelow ? "moreComments" : "earlierComments",
          nextCursor !== undefined && (() => void load({ ...page, cursor: nextCursor })),
        );
    } catch (error) {
      if (signal.aborted || beginning !== beginnings) return;
      isLoading = false;
      if (page.from && isRequestFailure(error) && /^(comment-not-found|invalid-request)$/.test(error.code)) {
        await load(isNewest ? { order: "newest" } : {}, { isNewest });
        if (first) report(requestFailure("comment-not-found"));
        return;
      }
      const again = () => void load(page, first);
      lead(onward, "retry", again);
      report(error, again);
    } finally {
      if (beginning === beginnings) isLoading = false;
      toCome.remove();
    }
  }

  /** `target` is brought into view then. */
  async function begin(page: CommentPage, isNewest: boolean, target?: () => Element | null | undefined): Promise<void> {
    await load(page, { isNewest });
    const row = target?.();
    if (row instanceof HTMLElement) mark(row);
  }

  const add = async ({ body = "" }: Readonly<Record<string, string>>, key: string) => {
    const added = await ideaBank.comment(idea.id, body, key);
    // Sent again after a lost answer, it may be here already.
    const row = insert(added);
    if (row && !added.visibility) idea.comments += 1;
    showCount();
    // The field may be at the other end.
    row?.scrollIntoView({ block: "nearest" });
    announce(words.say(added.visibility ?? "commented"));
    dispatch("commented", { id: idea.id, title: idea.title, comment: added.id });
  };
  const begun = { view: idea.id, act: "comment" } as const;
  const draft = `comment:${idea.id}`;
  const writing =
    !capabilities.canComment || idea.duplicateOf !== null
      ? leftText(draft, context)
      : ideaBank.isVisitor && !context.canSignIn
        ? h(
            "button",
            { type: "button", class: "button writing", part: "button", onclick: () => signIn(begun) },
            field.label,
          )
        : form({ fields: [field], submit: words.say("send"), draft, begun, send: add }, context);

  const isWritten = writing instanceof HTMLFormElement;
  const opener = button("button", () => {
    const place = new Text();
    if (!isWritten) return;
    opener.replaceWith(place);
    writing.replaceWith(opener);
    place.replaceWith(writing);
    writing.querySelector("textarea")?.focus();
  });
  opener.textContent = field.label;
  if (isWritten) tools.append(opener);

  const update = () => {
    showCount();
    showFollow();
    // The button stands for those that are not loaded, or could not be. Those that wait for approval are not counted.
    if (idea.comments <= list.querySelectorAll(".meta:not(:has(span))").length || !(isNewest || more.hidden)) return;
    const newest = isNewest ? list.firstElementChild : list.lastElementChild;
    const [from] = [...rows].find(([, row]) => row === newest) ?? [];
    void load(from === undefined ? {} : { from });
  };
  showCount();
  const named = context.commentOf(idea.id);
  const read = named ? begin({ from: named }, false, () => rows.get(named)) : load({}, { isNewest });
  // Hidden, they move nothing of what the server has written.
  const element = discussionView(
    ...[title, follow, told, tools, above, list, idea.comments > 0 && toCome, more, writing],
  );
  // An edit whose comment is gone has no form.
  for (const { name, comment: from } of allUnsent(ideaBank.who, idea.id)) {
    if (from === undefined) continue;
    ideaBank.comments(idea.id, { from, limit: "1" }).catch((error) => {
      if (isRequestFailure(error) && error.code === "comment-not-found") element.append(leftText(name, context) ?? "");
    });
  }
  return { element, update, read };
}
