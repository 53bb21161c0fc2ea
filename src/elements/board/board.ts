/**
 * `<idea-bank-board>`: an idea bank's proposals, to vote on, to comment on and to add to. What the idea bank does not allow
 * (`GET /ideabank`) is not shown.
 */

import { firstLine } from "../../worker/model/light-formatting.ts";
import controlStyles from "../shared/controls.css";
import { h, heading, icon } from "../shared/h.ts";
import { head, title } from "../shared/head.ts";
import { IdeaBankElement } from "../shared/idea-bank-element.ts";
import type { Labels } from "../shared/labels.ts";
import { isPlain, mayFocus, parameter } from "../shared/link.ts";
import { openLauncher } from "../shared/open-launcher.ts";
import { isRequestFailure, requestFailure } from "../shared/request-failure.ts";
import { recall, remember } from "../shared/storage.ts";
import { isVisible } from "../shared/visible.ts";
import { addressesOf, isCarried, passOn, takesAddress } from "./address.ts";
import { type Begun, endBegun, hasBegun, isYoung, keepBegun, takeBegun } from "./begun.ts";
import boardStyles from "./board.css";
import type { BoardContext } from "./board-context.ts";
import detailStyles from "./detail.css";
import { type Detail, detail } from "./detail.ts";
import { allUnsent, handOver, type Unsent } from "./draft.ts";
import forcedColors from "./forced-colors.css";
import formStyles from "./form.css";
import { type Access, answersOf, type Filter, type Given, type Idea, IdeaBank } from "./idea-bank.ts";
import { FORM, ideaForm } from "./idea-form.ts";
import { BOARD_LABELS } from "./labels.ts";
import listStyles from "./list.css";
import { List, type Listing, listSkeleton } from "./list.ts";
import { suggestButton } from "./list-view.ts";
import { opener } from "./row-view.ts";
import { SharedConnection } from "./shared-connection.ts";
import { primaryButton } from "./sign-in.ts";
import { TabHistory } from "./tab-history.ts";
import { nameTab } from "./tab-title.ts";
import { renewTimes } from "./time.ts";
import { FIRST } from "./toolbar-view.ts";
import { isOld, unsentText } from "./unsent-text.ts";
import wideStyles from "./wide.css";

/** For the roadmap, which has this script beside it. */
export { ideaRow } from "./idea-row.ts";

const CLOSED = "idea-bank-not-found";
/** Who has said of which text, by its time, that it is somebody else's. */
const NOT_MINE = "idea-bank-board:not-mine";
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
  /** Opens the idea that the address names, which another board of the page does not have. */
  #openNamed = () => void openLauncher(this);
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
        const isClosed = this.stateAfter(error) === "closed";
        // What was being written has no form any more.
        this.show(
          head(title(this.headingLevel, words.say("title"))),
          this.failure(error, () => void load()),
          ...(isClosed ? this.#unsentTexts(ideaBank) : []),
        );
        if (isClosed && linked) this.#passOn(linked);
      }
    };
    const linked = this.hasAttribute("history") && !isCarried() ? parameter("idea") : undefined;
    // The link, or what was begun before a sign-in, leads into the panel.
    if ((linked ?? hasBegun()) && !this.#before && takesAddress(this, linked ?? "")) void openLauncher(this);
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
    // The browser has kept the page as it was left for the sign-in.
    window.addEventListener("pageshow", ({ persisted }) => persisted && endBegun(), { signal });
    const clock = setInterval(() => renewTimes(this.root, words), RENEW_TIMES_MS);
    signal.addEventListener("abort", () => clearInterval(clock));
  }

  /** Of who is signed in. What was begun before the sign-in may be somebody else's: who says that it is theirs is shown it. */
  #unsentTexts(ideaBank: IdeaBank): readonly HTMLElement[] {
    const { words } = this;
    const { who, bank, isVisitor } = ideaBank;
    const show = () =>
      allUnsent(who).map((text) => unsentText(text, { words, announce: (said) => this.announce(said) }));
    if (isVisitor || !allUnsent(bank).some(({ at }) => isYoung(at))) return show();
    const take = () => {
      handOver(bank, who);
      question.replaceWith(...show());
    };
    const question = h(
      "div",
      { class: "unsent" },
      h("p", {}, words.say("textQuestion")),
      primaryButton(words.say("yes"), take),
    );
    return [question];
  }

  /** Whether another board of the page may have the idea of a link, which this one does not have. Its script may run later. */
  #passOn(idea: string): boolean {
    const next = passOn(this, idea);
    if (next instanceof IdeaBankBoard) next.#openNamed();
    return next !== undefined;
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
    /** `action` gets the focus; `answers` to a question that comes by itself do not. */
    const notify = (text: string, action?: HTMLElement, ...answers: readonly HTMLElement[]) => {
      refused = undefined;
      asked = undefined;
      // The focused part disappears, so the board takes the focus.
      if (notice.matches(":focus-within")) this.root.focus({ preventScroll: true });
      notice.hidden = text === "";
      const drop = () => {
        endBegun();
        if (asked) remember(NOT_MINE, who + asked.at, "sessionStorage");
        notify("");
      };
      const dismiss = h("button", { type: "button", "aria-label": words.say("dismiss"), onclick: drop });
      dismiss.append(icon(CROSS));
      notice.replaceChildren(h("p", {}, text), action ?? "", ...answers, dismiss);
      if (text) this.announce(text);
      if (answers.length > 0 || !mayFocus(this)) return;
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
      if (code === "conflict") this.#reread();
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
      notify(this.explain(error), isSignedOut && canSignIn ? signInButton(begun) : undefined);
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
    const { who, bank } = ideaBank;
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
    const isNamed = hasAddresses && !isPage;
    /** The open view; undefined is the list. */
    let shownView: string | undefined;
    /** Ideas that were looked for, and are not there. */
    const gone = new Set<string>();
    signal.addEventListener("abort", () => {
      this.#before = { who, view: shownView };
      if (isNamed) nameTab(this);
    });
    /** Offers no vote and no new idea that is not possible any more. */
    const limit = (now: Partial<typeof capabilities>) => {
      const focused = this.shadowRoot?.activeElement;
      Object.assign(capabilities, now);
      suggest.hidden ||= !capabilities.canSubmitProposals;
      for (const { buttons } of context.ballots.values()) for (const draw of buttons.values()) draw();
      if (focused?.isConnected === false) this.root.focus({ preventScroll: true });
    };
    /** What the notice asks to sign in for: any way to sign in goes on with it. */
    let refused: Begun | undefined;
    /** The text of which the notice asks whose it is. */
    let asked: Unsent | undefined;
    const signIn = (wanted: Begun) => {
      const begun = refused ?? wanted;
      keepBegun({ ...begun, bank, by: who });
      notify("");
      if (!this.dispatch("sign-in", { proposal: begun.view || null })) return;
      const { signInUrl } = this;
      if (signInUrl) {
        location.assign(signInUrl);
        return;
      }
      // The page has no way to sign in, so nothing is offered any more that needs it. Whoever finds one is asked.
      keepBegun({ ...begun, bank, by: "" });
      limit({ canVote: false, canComment: false, canSubmitProposals: false });
      view.querySelector(".writing")?.remove();
      this.root.focus({ preventScroll: true });
      notify(words.say("signInHere"));
    };
    const signInButton = (begun: Begun) => primaryButton(words.say("signIn"), () => signIn(begun));
    const askToSignIn = (begun: Begun) => {
      if (canSignIn) {
        notify(words.say("sign-in-required"), signInButton(begun));
        refused = begun;
        // The page may have another way to sign in.
        keepBegun({ ...begun, bank, by: "" });
      }
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
      commentOf: (idea) => (hasAddresses && addresses.named() === idea ? addresses.comment() : undefined),
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
    const visits = new TabHistory(`${this.localName}:${bank}`, who, {
      isOn: hasAddresses,
      addresses,
      takes: (idea) => takesAddress(this, idea),
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
      endBegun();
      this.#left = this.getAttribute("proposal");
    };
    const open = (view: string, comment?: string) => {
      move();
      visits.open(view, comment);
    };

    const show = (content: HTMLElement, focus: () => void, idea?: Idea) => {
      notify("");
      const isShown = this.dispatch("idea-shown", { id: idea?.id ?? null, title: idea?.title ?? null });
      if (isShown && isNamed) nameTab(this, idea?.title);
      const isList = content === made?.element;
      suggest.hidden = !isList || !capabilities.canSubmitProposals;
      view.replaceChildren(...(isList ? drafts() : []), content);
      if (mayFocus(this)) focus();
    };
    /** What was written and not sent: the way to it, or its text where there is none. */
    const drafts = () =>
      allUnsent(who).flatMap((draft) => {
        const { idea, comment, text, drop } = draft;
        // Ideas are submitted on the board.
        if (!idea && !this.suggests) return [];
        if (idea ? gone.has(idea) : !capabilities.canSubmitProposals) return unsentText(draft, context);
        const open = () => go({ view: idea, comment, act: "comment" });
        const way = idea ? context.linkTo(idea, open) : { onclick: open };
        const line = h(
          "p",
          { class: "draft" },
          opener({ class: "link", ...way }, words.say("draft", { title: firstLine(text) })),
        );
        const dropIfGone = async () => {
          if (
            await ideaBank.idea(idea).then(
              ({ duplicateOf }) => duplicateOf === null,
              (error) => !isMissing(error),
            )
          )
            return;
          drop();
          line.remove();
        };
        if (idea && isOld(draft)) void dropIfGone();
        return line;
      });
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
        open: (id) => go({ view: id }),
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
        const isGone = isMissing(error);
        if (!made && !isGone) {
          view.replaceChildren(context.failure(error, () => void openById(id, act)));
          return;
        }
        const isPassedOn = isGone && visits.link === id && this.#passOn(id);
        if (isGone) gone.add(id);
        if (isGone && shownView === undefined) showList(() => {});
        if (!isPassedOn) report(error);
      }
    };
    /** Goes on with what was begun. */
    const go = ({ view, comment, act, title }: Begun) => {
      if (!view) {
        compose(title);
        return;
      }
      open(view, comment);
      void openById(view, act);
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
    /** What was opened for the visitor stays in sight while the page above it grows, until the visitor does something. */
    const bring = () => {
      const growth = new ResizeObserver(() => {
        if (this.root.getBoundingClientRect().top * 2 > window.innerHeight) this.root.scrollIntoView();
      });
      growth.observe(document.body);
      const end = () => growth.disconnect();
      signal.addEventListener("abort", end);
      for (const type of ["wheel", "pointerdown", "keydown"]) addEventListener(type, end, { signal, passive: true });
    };
    this.#openNamed = () => {
      void openLauncher(this);
      const named = visits.read();
      if (!named) return;
      move();
      void openById(named).then(bring);
    };
    this.#open = ({ view, title, proposal }) => {
      if (proposal) go({ view: proposal });
      else if (view === "form" && capabilities.canSubmitProposals) compose(title);
      else if (view === "list") showList(() => {});
    };

    const name = (this.suggests && access.name) || words.say("title");
    this.root.setAttribute("aria-label", name);
    this.show(head(title(this.headingLevel, name), suggest), view, notice);
    suggest.hidden = !capabilities.canSubmitProposals;
    const linked = this.getAttribute("proposal");
    // The visitor had moved before the tab was reloaded.
    if (this.#left === undefined && visits.view !== undefined) this.#left = linked;
    const begun = takeBegun(ideaBank, this.signInUrl);
    const resumed = begun?.isSure ? begun : undefined;
    const written = ideaBank.isVisitor ? [] : allUnsent(bank);
    const [left] = written.filter(
      ({ at, idea }) =>
        isYoung(at) && recall(NOT_MINE, "sessionStorage") !== who + at && (idea || capabilities.canSubmitProposals),
    );
    if (resumed) handOver(bank, who);
    else for (const { at, drop } of written) if (!isYoung(at)) drop();
    /** Whoever is signed in now may be another than who began it. */
    const ask = () => {
      const yes = (goOn: () => void) => primaryButton(words.say("yes"), goOn);
      if (begun?.act === "vote" && capabilities.canVote) {
        keepBegun({ ...begun, bank, by: "" });
        notify(
          words.say("voteQuestion", { title: begun.title ?? "" }),
          undefined,
          yes(() => go(begun)),
        );
      } else if (left) {
        const take = () => {
          handOver(bank, who);
          go({ view: left.idea, act: "comment" });
        };
        notify(words.say("textQuestion"), undefined, yes(take));
        asked = left;
      }
    };
    const before = this.#before?.who === who ? this.#before.view : undefined;
    const visited = resumed?.view ?? (this.#left === linked ? (visits.view ?? before) : linked);
    if (!isPage || visited == null) enterList(() => {});
    let opened = Promise.resolve();
    if (visited === FORM && capabilities.canSubmitProposals) (resumed ? openForm : showForm)(resumed?.title);
    else if (visited) {
      // Begun in the list: from here Back leads to it.
      if (resumed && visited !== linked && visited !== visits.view) open(visited);
      opened = openById(visited, resumed?.act);
    }
    if (!resumed) void opened.then(ask);
    if (visited && (resumed || visits.link === visited)) void opened.then(bring);
    if (this.#asked) this.#open(this.#asked);
    this.#asked = undefined;
  }
}

const line = () => h("div", { class: "bones title line" });

const isMissing = (error: unknown) => isRequestFailure(error) && error.code === "proposal-not-found";

function keepTyped(event: Event): void {
  const isShortcut = event instanceof KeyboardEvent && (event.ctrlKey || event.metaKey);
  if (!isShortcut && event.target instanceof Element && event.target.matches(".field")) event.stopPropagation();
}

if (!customElements.get("idea-bank-board")) customElements.define("idea-bank-board", IdeaBankBoard);
