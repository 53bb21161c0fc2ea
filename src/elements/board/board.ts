/**
 * `<idea-bank-board>`: an idea bank's proposals, to vote on, to comment on and to add to. What the idea bank does not allow
 * (`GET /ideabank`) is not shown.
 */
import baseStyles from "../shared/base.css";
import { h, heading, icon } from "../shared/h.ts";
import { IdeaBankElement, type State } from "../shared/idea-bank-element.ts";
import { type Connection, RequestFailure } from "../shared/request.ts";
import boardStyles from "./board.css";
import type { BoardContext } from "./board-context.ts";
import detailStyles from "./detail.css";
import { type Detail, detail } from "./detail.ts";
import formStyles from "./form.css";
import { type Access, type Idea, IdeaBank } from "./idea-bank.ts";
import { ideaForm } from "./idea-form.ts";
import { BOARD_LABELS } from "./labels.ts";
import listStyles from "./list.css";
import { List } from "./list.ts";
import wideStyles from "./wide.css";

const CLOSED = "idea-bank-not-found";
const PLUS = "M8 3.2v9.6M3.2 8h9.6";
const CROSS = "m4 4 8 8m0-8-8 8";
const LOCK = "M4 7.5h8v6H4zM5.8 7.5V5a2.2 2.2 0 0 1 4.4 0v2.5";
const ALERT = "M8 4.8v3.7m0 2.4v.1M8 1.8 1.4 13.5h13.2z";

/** Attribute `proposal`: the identifier of one to open first. */
class IdeaBankBoard extends IdeaBankElement<typeof BOARD_LABELS> {
  constructor() {
    super(
      BOARD_LABELS.title,
      BOARD_LABELS,
      [baseStyles, boardStyles, listStyles, detailStyles, formStyles, wideStyles].join(""),
    );
  }

  protected override start(connection: Connection, signal: AbortSignal): void {
    const { words } = this;
    this.root.setAttribute("aria-label", words.say("title"));
    const ideaBank = new IdeaBank(connection);
    const load = async (): Promise<void> => {
      if (this.shadowRoot?.activeElement) this.root.focus();
      this.enter("loading");
      this.announce(words.say("loading"));
      this.root.replaceChildren(this.#head(words.say("title")), h("div", { class: "bones", part: "skeleton" }));
      try {
        const access = await ideaBank.access();
        if (!access.capabilities.canViewProposals) throw new RequestFailure(CLOSED);
        this.#showBoard(access, ideaBank, signal, load);
      } catch (error) {
        if (signal.aborted) return;
        this.#showMessage(this.stateAfter(error), this.explain(error), load);
      }
    };
    void load();
    window.addEventListener("online", () => this.matches(":state(error)") && void load(), { signal });
  }

  protected override explain(error: unknown): string {
    const errors = error instanceof RequestFailure ? error.errors : [];
    if (errors.length === 0) return super.explain(error);
    const detail = errors.map(({ path, message }) => `${path} ${message}`).join(", ");
    return this.words.say("invalid-request", { detail });
  }

  #showBoard(access: Access, ideaBank: IdeaBank, signal: AbortSignal, reload: () => Promise<void>): void {
    const { words } = this;
    const notice = h("div", { class: "notice", part: "notice", hidden: true });
    const notify = (text: string) => {
      notice.hidden = text === "";
      const dismiss = h("button", { type: "button", "aria-label": words.say("dismiss"), onclick: () => notify("") });
      dismiss.append(icon(CROSS));
      notice.replaceChildren(h("p", {}, text), dismiss);
      if (text) this.announce(text);
    };
    const report = (error: unknown) => {
      // The idea bank has been closed meanwhile: what it allows is asked for again.
      if (error instanceof RequestFailure && error.code === CLOSED) void reload();
      else notify(this.explain(error));
    };
    const context: BoardContext = {
      ideaBank,
      capabilities: access.capabilities,
      words,
      level: this.headingLevel,
      signal,
      announce: (text) => this.announce(text),
      notify,
      explain: (error) => this.explain(error),
      report,
    };

    const suggest = h(
      "button",
      { type: "button", class: "button primary", part: "button button-primary", onclick: () => compose() },
      icon(PLUS),
      words.say("suggest"),
    );
    const view = h("div", { class: "view" });
    const list = new List(
      context,
      (idea) => openIdea(idea),
      (state) => this.enter(state),
    );

    const showList = (focus: () => void) => {
      notify("");
      suggest.hidden = !access.capabilities.canSubmitProposals;
      view.replaceChildren(list.element);
      focus();
    };
    const show = (content: HTMLElement, focus: () => void) => {
      notify("");
      suggest.hidden = true;
      view.replaceChildren(content);
      focus();
    };

    const openIdea = (idea: Idea) => {
      const opened: Detail = detail(idea, context, {
        back: () => {
          list.refresh(idea);
          showList(() => list.focus(idea.id));
        },
        open: (id) => void openById(id),
        withdrawn: () => {
          showList(() => suggest.focus());
          list.remove(idea);
          notify(words.say("withdrawn"));
        },
      });
      show(opened.element, opened.focus);
    };

    const openById = async (id: string) => {
      try {
        openIdea(await ideaBank.idea(id));
      } catch (error) {
        if (!signal.aborted) report(error);
      }
    };

    const compose = () => {
      const form = ideaForm(context, {
        cancel: () => showList(() => suggest.focus()),
        send: async (submission, key) => {
          const idea = await ideaBank.submit(submission, key);
          list.add(idea);
          openIdea(idea);
          notify(words.say("thanks"));
        },
      });
      const title = heading(this.headingLevel + 1, { class: "title" }, words.say("suggestTitle"));
      show(h("div", { class: "compose" }, title, form), () => form.querySelector("input")?.focus());
    };

    const name = access.name ?? words.say("title");
    this.root.setAttribute("aria-label", name);
    this.root.replaceChildren(this.#head(name, suggest), view, notice);
    showList(() => {});
    void list.load();
    const linked = this.getAttribute("proposal");
    if (linked) void openById(linked);
  }

  #showMessage(state: State, text: string, retry: () => Promise<void>): void {
    this.enter(state);
    const button =
      state === "error" &&
      h("button", { type: "button", class: "button", onclick: () => void retry() }, this.words.say("retry"));
    const path = state === "error" ? ALERT : LOCK;
    this.root.replaceChildren(
      this.#head(this.words.say("title")),
      h("div", { class: "message", part: "message" }, icon(path), h("p", { class: "muted" }, text), button),
    );
    this.announce(text);
  }

  #head(name: string, ...more: Node[]): HTMLElement {
    const title = heading(this.headingLevel, { class: "title", part: "title", dir: "auto" }, name);
    return h("header", { class: "head", part: "header" }, title, ...more);
  }
}

if (!customElements.get("idea-bank-board")) customElements.define("idea-bank-board", IdeaBankBoard);
