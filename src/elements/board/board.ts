/**
 * `<idea-bank-board>`: an idea bank's proposals, to vote on, to comment on and to add to. What the idea bank does not allow
 * (`GET /ideabank`) is not shown.
 */

import controlStyles from "../shared/controls.css";
import { h, heading, icon } from "../shared/h.ts";
import { head, title } from "../shared/head.ts";
import { IdeaBankElement } from "../shared/idea-bank-element.ts";
import type { Labels } from "../shared/labels.ts";
import { isPlain } from "../shared/link.ts";
import { isRequestFailure, requestFailure } from "../shared/request-failure.ts";
import { isVisible } from "../shared/visible.ts";
import { addressesOf, takesAddress } from "./address.ts";
import { type Begun, keepBegun, takeBegun } from "./begun.ts";
import boardStyles from "./board.css";
import type { BoardContext } from "./board-context.ts";
import detailStyles from "./detail.css";
import { type Detail, detail } from "./detail.ts";
import forcedColors from "./forced-colors.css";
import formStyles from "./form.css";
import { type Access, answersOf, type Filter, type Given, type Idea, IdeaBank } from "./idea-bank.ts";
import { FORM, ideaForm } from "./idea-form.ts";
import { BOARD_LABELS } from "./labels.ts";
import listStyles from "./list.css";
import { List, type Listing, listSkeleton } from "./list.ts";
import { suggestButton } from "./list-view.ts";
import { SharedConnection } from "./shared-connection.ts";
import { signInButton } from "./sign-in.ts";
import { TabHistory } from "./tab-history.ts";
import { renewTimes } from "./time.ts";
import { FIRST } from "./toolbar-view.ts";
import wideStyles from "./wide.css";

/** For the roadmap, which has this script beside it. */
export { ideaRow } from "./idea-row.ts";

const CLOSED = "idea-bank-not-found";
const RENEW_TIMES_MS = 30_000;
const CONFIRMED_MS = 6_000;
const CROSS = "m4 4 8 8m0-8-8 8";

/** The labels of the API's fields, as the visitor knows them. */
const FIELDS: Readonly<Record<string, keyof typeof BOARD_LABELS>> = {
  title: "ideaTitle",
  description: "ideaDescription",
  body: "ownComment",
};

type OpenOptions = {
  readonly view?: "list" | "form";
  readonly title?: string;
  readonly proposal?: string;
};

/**
 * Attribute `proposal`: the identifier of an idea to open first. Attribute `history`: Back closes the open view, and ideas have addresses;
 * with `idea-url` each has a page of its own, and the list is at `home-url`.
 */
export class IdeaBankBoard extends IdeaBankElement<typeof BOARD_LABELS> {
  static override readonly observedAttributes = [
    ...IdeaBankElement.observedAttributes,
    "proposal",
    "history",
    "idea-url",
    "home-url",
  ];

  protected override readonly Connection = SharedConnection;
  /** Ideas are submitted here, under the name of the idea bank. */
  protected readonly suggests: boolean = true;
  /** The attribute as it was when the visitor moved last: that idea is not opened again. */
  #left: string | null | undefined;
  /** What was open, and for whom, when the board began anew. */
  #before: { readonly who: string; readonly view: string | undefined } | undefined;
  /** Reads the present view again. */
  #reread = () => {};
  /** Reads what could not be read, as its button does. */
  #retry = () => {};
  /** The page's request from before there was anything to show. */
  #asked: OpenOptions | undefined;
  #open: ((options: OpenOptions) => void) | undefined;

  /** A roadmap has other words in part, and more styles. */
  constructor(labels: Labels = {}, styles = "") {
    super(
      { ...BOARD_LABELS, ...labels },
      [controlStyles, boardStyles, listStyles, detailStyles, formStyles, wideStyles, styles, forcedColors].join(""),
    );
    // Outside the shadow root nothing says that this key was typed into a field, so the page would take it for a shortcut.
    for (const type of ["keydown", "keypress", "keyup"]) this.root.addEventListener(type, keepTyped);
  }

  /** Opens the list, the form of a new idea (with this title), or a proposal. */
  open(options: OpenOptions): void {
    if (this.#open) this.#open(options);
    else this.#asked = options;
  }

  /** What the board shows first: it is read together with what the idea bank allows. */
  protected readonly first: readonly (Filter | "tags")[] = [FIRST, "tags"];

  /** The content of the board while nothing is open. */
  protected createList(context: BoardContext, open: (idea: Idea) => void): Listing {
    return new List(context, open);
  }

  protected skeleton(): readonly HTMLElement[] {
    return [h("div", { class: "toolbar" }, line()), listSkeleton()];
  }

  protected override answersIn(given: Given): Readonly<Record<string, unknown>> {
    return answersOf(given, this.first);
  }

  protected override start(connection: SharedConnection, signal: AbortSignal): void {
    const { words } = this;
    connection.ownerChanged = () => this.restart();
    const ideaBank = new IdeaBank(connection);
    this.#open = undefined;
    let shown = new AbortController();
    const showSkeleton = () => {
      this.enter("loading");
      this.show(head(line()), ...this.skeleton());
    };
    const load = async (isAgain = true): Promise<void> => {
      shown.abort();
      shown = new AbortController();
      this.#retry = () => void load();
      showSkeleton();
      try {
        // The page of an idea shows no list yet.
        if (!this.getAttribute("idea-url") || !this.getAttribute("proposal")) ideaBank.begin(this.first);
        const access = await ideaBank.access(isAgain);
        if (!access.capabilities.canViewProposals) throw requestFailure(CLOSED);
        this.#showBoard(access, { ideaBank, signal: AbortSignal.any([signal, shown.signal]), reload: load });
      } catch (error) {
        if (signal.aborted) return;
        this.show(
          head(title(this.headingLevel, words.say("title"))),
          this.failure(error, () => void load()),
        );
      }
    };
    // While the panel is closed, nothing is requested.
    const displayed = new ResizeObserver(() => {
      if (this.root.offsetWidth === 0) return;
      displayed.disconnect();
      void load(false);
    });
    showSkeleton();
    displayed.observe(this.root);
    signal.addEventListener("abort", () => displayed.disconnect());
    this.whenOnline(() => this.matches(":state(error)") && this.#retry(), signal);
    const again = () => isVisible() && (this.matches(":state(signed-out)") ? void load() : this.#reread());
    window.addEventListener("visibilitychange", again, { signal });
    const clock = setInterval(() => renewTimes(this.root, words), RENEW_TIMES_MS);
    signal.addEventListener("abort", () => clearInterval(clock));
  }

  protected override explain(error: unknown): string {
    if (!isRequestFailure(error) || error.code !== "invalid-request") return super.explain(error);
    // The API's own messages are in English.
    const names = error.errors.map(({ path }) => this.words.say(FIELDS[path] ?? "")).filter((name) => name !== "");
    const fields = new Intl.ListFormat(this.words.locale).format(names);
    return this.words.say(fields ? "invalid-request" : "failed", { fields });
  }

  #showBoard(
    access: Access,
    {
      ideaBank,
      signal,
      reload,
    }: { readonly ideaBank: IdeaBank; readonly signal: AbortSignal; readonly reload: () => Promise<void> },
  ): void {
    const { words } = this;
    // A visitor sees the actions that a sign-in makes possible.
    const capabilitiesOf = ({ capabilities, panelistCapabilities }: Access) => ({
      ...(panelistCapabilities ?? capabilities),
      ...(!this.suggests && { canSubmitProposals: false }),
    });
    const capabilities = capabilitiesOf(access);
    const notice = h("div", { class: "notice", part: "notice", hidden: true });
    const notify = (text: string, action?: HTMLElement) => {
      // The focused part disappears, so the board takes the focus.
      if (notice.matches(":focus-within")) this.root.focus({ preventScroll: true });
      notice.hidden = text === "";
      const dismiss = h("button", { type: "button", "aria-label": words.say("dismiss"), onclick: () => notify("") });
      dismiss.append(icon(CROSS));
      notice.replaceChildren(h("p", {}, text), action ?? "", dismiss);
      if (text) this.announce(text);
      if (!this.#mayFocus()) return;
      action?.focus({ preventScroll: true });
      // The board may scroll in itself, with its end below the window's.
      if (text) notice.scrollIntoView({ block: "nearest" });
    };
    /** A notice that leaves by itself, unless the visitor is at it. */
    const confirm = (text: string) => {
      notify(text);
      const shown = notice.firstChild;
      const timer = setInterval(() => {
        if (notice.firstChild !== shown) clearInterval(timer);
        else if (!notice.matches(":hover, :focus-within")) notify("");
      }, CONFIRMED_MS);
    };
    const report = (error: unknown, again = () => notify("")) => {
      const code = isRequestFailure(error) && error.code;
      // The idea bank was closed meanwhile, so its capabilities are read again.
      if (code === CLOSED) {
        void reload();
        return;
      }
      const begun = { view: shownView };
      if (code === "sign-in-required") {
        askToSignIn(begun);
        return;
      }
      if (code === "capability-closed") {
        ideaBank.access(true).then(
          (now) => limit(capabilitiesOf(now)),
          () => {},
        );
      }
      const isSignedOut = this.stateAfter(error) === "signed-out";
      notify(this.explain(error), isSignedOut && canSignIn ? signInButton(words, () => signIn(begun)) : undefined);
      this.tellSignedOut(error);
      const text = notice.querySelector("p");
      if (!text) return;
      this.countDown(error, text, again);
      if (code !== "offline" && code !== "unanswered") return;
      // An answer, to whatever was asked, shows that there is a connection; not that a text has arrived.
      ideaBank.answered = (isWrite) => text.isConnected && (isWrite || code === "offline") && notify("");
      if (code === "offline")
        window.addEventListener("online", () => text.isConnected && again(), { signal, once: true });
    };
    const begunKey = `${this.localName}:begun:${ideaBank.bank}`;
    const { who } = ideaBank;
    const addresses = addressesOf(this.getAttribute("idea-url"), this.getAttribute("home-url"));
    const isPage = addresses.arePages;
    const hasAddresses = isPage || this.hasAttribute("history");
    // A browser that knows no keys of entries (tab-history.ts) goes to the idea's page itself.
    const opens = !isPage || window.navigation !== undefined;
    const follow = (open: () => void) => ({
      onclick: (event: Event) => {
        if (!isPlain(event)) return;
        event.preventDefault();
        open();
      },
    });
    const canSignIn = this.signInUrl !== undefined;
    /** The open view; undefined is the list. */
    let shownView: string | undefined;
    signal.addEventListener("abort", () => {
      this.#before = { who, view: shownView };
    });
    /** Offers no vote and no new idea that is not possible any more. */
    const limit = (now: Partial<typeof capabilities>) => {
      const focused = this.shadowRoot?.activeElement;
      Object.assign(capabilities, now);
      suggest.hidden ||= !capabilities.canSubmitProposals;
      for (const { buttons } of context.ballots.values()) for (const draw of buttons.values()) draw();
      if (focused?.isConnected === false) this.root.focus({ preventScroll: true });
    };
    const signIn = (begun: Begun) => {
      keepBegun(begunKey, begun);
      notify("");
      if (!this.dispatch("sign-in", { proposal: begun.view || null })) return;
      const { signInUrl } = this;
      if (signInUrl) {
        location.assign(signInUrl);
        return;
      }
      // The page has no way to sign in, so nothing is offered any more that needs it.
      limit({ canVote: false, canComment: false, canSubmitProposals: false });
      view.querySelector(".writing")?.remove();
      this.root.focus({ preventScroll: true });
      notify(words.say("signInHere"));
    };
    const askToSignIn = (begun: Begun) => {
      if (canSignIn)
        notify(
          words.say("sign-in-required"),
          signInButton(words, () => signIn(begun)),
        );
      // Only the page knows whether it has a sign-in of its own.
      else signIn(begun);
    };
    const context: BoardContext = {
      ideaBank,
      capabilities,
      ballots: new Map(),
      words,
      level: this.headingLevel,
      signal,
      hasAddresses,
      addressOf: addresses.of,
      linkTo: (idea, open) =>
        hasAddresses ? { href: addresses.of(idea), ...(opens && follow(open)) } : { onclick: open },
      // A list that was not read yet is another page.
      linkBack: (back) => (isPage ? { href: addresses.of(), ...(made && follow(back)) } : { onclick: back }),
      canSignIn,
      signIn,
      askToSignIn,
      dispatch: (name, detail) => this.dispatch(name, detail),
      enter: (state) => this.enter(state),
      announce: (text) => this.announce(text),
      notify,
      confirm,
      report,
      failure: (error, retry) => {
        this.#retry = retry;
        return this.failure(error, retry);
      },
    };

    const suggest = suggestButton(words, { onclick: () => compose(made?.unfound) });
    const view = h("div", { class: "view" });
    let made: Listing | undefined;
    /** What is shown before the list was read becomes ready here. */
    const settle = () => {
      if (!made && !signal.aborted) this.enter("ready");
    };
    const visits = new TabHistory(`${this.localName}:${who}`, {
      isOn: hasAddresses,
      addresses,
      takesAddress: takesAddress(this),
      show: (visited) => {
        // Back from the page of an idea that was loaded again: what was there before it is another page.
        if (isPage && !made && visited === undefined) {
          location.reload();
          return;
        }
        move();
        if (visited === undefined) leave();
        else if (visited === FORM) showForm();
        else void openById(visited);
      },
      signal,
    });
    /** Returns from the open view to the list. */
    let leave = () => {};
    /** An answer to a request from before the visitor's last move is not shown any more. */
    let moves = 0;
    const move = () => {
      moves += 1;
      this.#left = this.getAttribute("proposal");
    };
    const open = (view: string) => {
      move();
      visits.open(view);
    };

    const show = (content: HTMLElement, focus: () => void, idea?: Idea) => {
      notify("");
      this.dispatch("idea-shown", { id: idea?.id ?? null, title: idea?.title ?? null });
      suggest.hidden = content !== made?.element || !capabilities.canSubmitProposals;
      view.replaceChildren(content);
      if (this.#mayFocus()) focus();
    };
    const enterList = (focus: (list: Listing) => void) => {
      const list = made ?? this.createList(context, (idea) => visit(idea));
      this.#reread = () => void list.reread();
      const isNew = !made;
      made = list;
      show(list.element, () => focus(list));
      if (isNew) void list.load();
    };
    const showList = (focus: (list: Listing) => void) => {
      leave = () => {};
      shownView = undefined;
      move();
      visits.close();
      enterList(focus);
    };

    /** `toForm` leads back to the form that the idea was opened from. Without it, the way back is to the list. */
    const openIdea = (idea: Idea, act?: Begun["act"], toForm?: () => void): Detail => {
      const before = moves;
      shownView = idea.id;
      leave = () => {
        made?.refresh(idea);
        if (toForm) toForm();
        else if (isPage && !made) location.assign(addresses.of());
        else showList((list) => list.focus(idea.id));
      };
      const opened = detail(idea, context, {
        back: leave,
        backTo: toForm ? "suggestTitle" : "back",
        open: (id) => {
          open(id);
          void openById(id);
        },
        withdrawn: () => {
          if (before === moves) showList(() => suggest.focus());
          made?.remove(idea);
          confirm(words.say("withdrawn"));
        },
      });
      // If it cannot be read again, the present content stays.
      this.#reread = () => void opened.update().catch(() => {});
      const field = act === "comment" && opened.element.querySelector("textarea");
      show(opened.element, field ? () => field.focus() : opened.focus, idea);
      void opened.read.then(() => {
        const { isWaiting } = this;
        if (before !== moves) return;
        settle();
        // What was written before the sign-in waits here to be sent.
        if (field && isWaiting) field.focus();
      });
      if (act === "vote" && !idea.voted) opened.element.querySelector<HTMLElement>("button.vote")?.click();
      return opened;
    };
    const visit = (idea: Idea, toForm?: () => void) => {
      open(idea.id);
      // If it cannot be read, the list's data stay.
      openIdea(idea, undefined, toForm)
        .update()
        .catch(() => {});
    };

    const openById = async (id: string, act?: Begun["act"]) => {
      const before = moves;
      try {
        const idea = await ideaBank.idea(id);
        if (before === moves) openIdea(idea, act);
      } catch (error) {
        if (signal.aborted || before !== moves) return;
        const isGone = isRequestFailure(error) && error.code === "proposal-not-found";
        if (made || isGone) {
          if (!made) showList(() => {});
          report(error);
        } else view.replaceChildren(context.failure(error, () => void openById(id, act)));
      }
    };

    const showForm = (title?: string) => {
      shownView = FORM;
      let similar: readonly Idea[] = [];
      leave = () => {
        for (const idea of similar) made?.refresh(idea);
        showList(() => suggest.focus());
      };
      this.#reread = () => {};
      const form = ideaForm(context, {
        cancel: () => leave(),
        title,
        similar: {
          open: (idea) => visit(idea, () => openForm(title)),
          shown: (ideas) => {
            similar = ideas;
          },
        },
        send: async ({ title = "", description = "" }, key) => {
          const before = moves;
          const idea = await ideaBank.submit({ title, description }, key);
          this.dispatch("idea-submitted", { id: idea.id, title: idea.title });
          made?.add(idea);
          if (before === moves) visit(idea);
          const thanks = idea.visibility === "pending" ? "thanksPending" : "thanks";
          confirm(words.say(thanks, { filter: words.say("mySubmissions") }));
        },
      });
      settle();
      const heads = heading(this.headingLevel + 1, { class: "title" }, words.say("suggestTitle"));
      show(h("div", { class: "compose" }, heads, form), () =>
        form.querySelector<HTMLElement>("button, input")?.focus(),
      );
    };
    const openForm = (title?: string) => {
      open(FORM);
      showForm(title);
    };
    const compose = (title?: string) => {
      if (ideaBank.isVisitor && !canSignIn) {
        signIn({ view: FORM, title });
        return;
      }
      openForm(title);
    };
    this.#open = ({ view, title, proposal }) => {
      if (proposal) {
        open(proposal);
        void openById(proposal);
      } else if (view === "form" && capabilities.canSubmitProposals) compose(title);
      else if (view === "list") showList(() => {});
    };

    const name = (this.suggests && access.name) || words.say("title");
    this.root.setAttribute("aria-label", name);
    this.show(head(title(this.headingLevel, name), suggest), view, notice);
    suggest.hidden = !capabilities.canSubmitProposals;
    const linked = this.getAttribute("proposal");
    // The visitor had moved before the tab was reloaded.
    if (this.#left === undefined && visits.view !== undefined) this.#left = linked;
    const begun = ideaBank.isVisitor ? undefined : takeBegun(begunKey);
    const before = this.#before?.who === who ? this.#before.view : undefined;
    const visited = begun?.view ?? (this.#left === linked ? (visits.view ?? before) : linked);
    if (!isPage || visited == null) enterList(() => {});
    if (visited === FORM) showForm(begun?.title);
    else if (visited) {
      // Begun in the list: from here Back leads to it.
      if (begun && visited !== linked && visited !== visits.view) open(visited);
      void openById(visited, begun?.act);
    }
    if (this.#asked) this.#open(this.#asked);
    this.#asked = undefined;
  }

  /** The focus is not taken from a field of the page. */
  #mayFocus(): boolean {
    // An `<img name="activeElement">` in the page hides the document's own property.
    const focused = Reflect.get(Document.prototype, "activeElement", document);
    return focused === null || focused.localName === "body" || focused.contains(this) || this.matches(":focus-within");
  }
}

const line = () => h("div", { class: "bones title line" });

function keepTyped(event: Event): void {
  const isShortcut = event instanceof KeyboardEvent && (event.ctrlKey || event.metaKey);
  if (!isShortcut && event.target instanceof Element && event.target.matches(".field")) event.stopPropagation();
}

if (!customElements.get("idea-bank-board")) customElements.define("idea-bank-board", IdeaBankBoard);
