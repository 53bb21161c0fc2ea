/**
 * `<idea-bank-launcher>`: a button that opens the elements inside it in a panel, with the number of entries since the visitor's
 * last look and of surveys that are left to answer. It floats in the corner of the window; with `inline` it stays in its place in the page.
 */
import { followBackground } from "../shared/background.ts";
import { h, icon } from "../shared/h.ts";
import { Words } from "../shared/labels.ts";
import { languageOf, observeLanguage } from "../shared/language.ts";
import type { Connection } from "../shared/request.ts";
import { loadTranslation } from "../shared/translation.ts";
import { LAUNCHER_LABELS } from "./labels.ts";
import styles from "./launcher.css";
import { openingOf, readShipped, type Shipped } from "./shipped.ts";

const BUBBLE = "M2.5 3.5h11v7.5H7.5L4.5 13.5V11h-2z";
const CROSS = "m4 4 8 8m0-8-8 8";
/** The distance between the panel and its surroundings, in pixels. */
const GAP = 8;
/** The same width as in launcher.css. */
const PANEL_EM = 28;
/** So many ideas that are done are named. */
const NAMED = 3;
/** It changes inside an element whenever that begins. */
const BUSY = ["aria-busy"];

type Opening = HTMLElement & { open(options: object): void };
/** Before its script has run, it has neither. */
type Inside = HTMLElement & { readonly count?: number; readonly connection?: Connection };

class IdeaBankLauncher extends HTMLElement {
  static readonly observedAttributes = ["label"];

  readonly #root = h("div", { class: "root", part: "root", hidden: true });
  readonly #name = h("span", { class: "name" });
  readonly #badge = h("span", { class: "badge", part: "badge", hidden: true });
  readonly #button = h("button", { type: "button", class: "launch", part: "launcher", popovertarget: "panel" });
  readonly #close = h("button", { type: "button", class: "close", part: "close", popovertarget: "panel" }, icon(CROSS));
  readonly #note = h("div", { class: "note", part: "shipped", hidden: true });
  readonly #panel = h("div", {
    id: "panel",
    part: "panel",
    role: "dialog",
    popover: "auto",
    tabindex: -1,
    autofocus: true,
  });
  /** An element may come later, and at any depth. */
  readonly #content = new MutationObserver(() => this.#show());
  #labels: Partial<typeof LAUNCHER_LABELS> = {};
  #words = new Words(LAUNCHER_LABELS, {}, "en");
  #language: MutationObserver | undefined;
  #hasWords = false;
  #isTold = false;
  /** The element inside, and whom it shows itself to. */
  #inside: Inside | undefined;
  #connection: Connection | undefined;
  #shipped: Shipped | undefined;
  #shippedSeen = false;
  /** Ends when the panel is closed. */
  #opened: AbortController | undefined;
  #lifetime: AbortController | undefined;

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    const shadow = this.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [sheet];
    this.#button.append(icon(BUBBLE), this.#name, this.#badge);
    this.#panel.append(this.#close, h("div", { class: "content", tabindex: 0 }, h("slot")), this.#note);
    this.#root.append(this.#button, this.#panel);
    shadow.append(this.#root);
    this.#panel.addEventListener("toggle", ({ newState }) => {
      this.#opened?.abort();
      if (newState !== "open") return;
      // A token may have come since it could not be read.
      if (!this.#shipped) this.#connection = undefined;
      this.#shipped?.markSeen();
      this.#shippedSeen = true;
      this.#show();
      this.#opened = new AbortController();
      const { signal } = this.#opened;
      const place = () => this.#place();
      window.addEventListener("resize", place, { signal });
      window.addEventListener("scroll", place, { signal, capture: true, passive: true });
    });
    // Browsers return the focus only from elements in the panel's own tree, to which the page's element does not belong.
    this.#panel.addEventListener("beforetoggle", ({ newState }) => {
      const root = this.getRootNode();
      const focused = root instanceof Document || root instanceof ShadowRoot ? root.activeElement : null;
      if (newState === "closed" && this.contains(focused)) this.#button.focus();
      if (newState === "open") this.#place();
    });
    for (const type of ["changelog-count", "survey-count"]) this.addEventListener(type, () => this.#show());
  }

  /** Replaces some of the words, or all. */
  get labels(): Partial<typeof LAUNCHER_LABELS> {
    return this.#labels;
  }
  set labels(value: Partial<typeof LAUNCHER_LABELS>) {
    this.#labels = value;
    void this.#begin();
  }

  connectedCallback(): void {
    // Set before this script had loaded, it hides the accessor.
    if (Object.hasOwn(this, "labels")) {
      const { labels } = this;
      Reflect.deleteProperty(this, "labels");
      this.labels = labels;
    }
    this.#lifetime = new AbortController();
    followBackground(this.#root, this.#lifetime.signal);
    this.#content.observe(this, { childList: true, subtree: true });
    this.#language = observeLanguage(this, () => languageOf(this) !== this.#words.locale && void this.#begin());
    void this.#begin();
  }

  disconnectedCallback(): void {
    this.#language?.disconnect();
    this.#content.disconnect();
    this.#lifetime?.abort();
    this.#opened?.abort();
    this.#inside = undefined;
  }

  attributeChangedCallback(): void {
    this.#show();
  }

  /** Opens the panel, and passes the options to `open` of the element inside. */
  open(options?: object): void {
    if (!this.#panel.matches(":popover-open")) this.#panel.showPopover();
    const inside =
      this.querySelector<Opening>("idea-bank-board, idea-bank-roadmap") ??
      this.querySelector<Opening>("idea-bank-changelog");
    // Its script may run after this one.
    if (options && inside) customElements.whenDefined(inside.localName).then(() => inside.open(options));
  }

  close(): void {
    this.#panel.hidePopover();
  }

  /** Above or below the button, by where there is more room, and within the window. */
  #place(): void {
    const { top, bottom, left } = this.#button.getBoundingClientRect();
    const above = top > innerHeight - bottom;
    const em = Number.parseFloat(getComputedStyle(this.#panel).fontSize);
    const width = Math.min(PANEL_EM * em, innerWidth - 2 * GAP);
    const places = {
      "--top": above ? "auto" : `${bottom + GAP}px`,
      "--bottom": above ? `${innerHeight - top + GAP}px` : "auto",
      "--left": `${Math.max(GAP, Math.min(left, document.documentElement.clientWidth - width - GAP))}px`,
      "--room": `${(above ? top : innerHeight - bottom) - 2 * GAP}px`,
    };
    for (const [name, value] of Object.entries(places)) this.#panel.style.setProperty(name, value);
  }

  /** Nothing is shown before there are words for it. */
  async #begin(): Promise<void> {
    const words = new Words(LAUNCHER_LABELS, this.#labels, languageOf(this));
    this.#words = words;
    const { labels, direction = "" } = await loadTranslation(words.locale);
    words.translate(labels?.[this.localName]);
    if (words !== this.#words) return;
    this.#root.dir = direction;
    this.#hasWords = true;
    this.#show();
    // A link may have opened the panel before the button had a place.
    if (this.#panel.matches(":popover-open")) this.#place();
    if (!this.#root.hidden || this.#isTold) return;
    this.#isTold = true;
    console.error("<idea-bank-launcher> is empty. Put <idea-bank-changelog> or another element into it.");
  }

  /** When the element inside begins anew, it may be another person's. */
  async #watch(content: Inside): Promise<void> {
    this.#inside = content;
    await customElements.whenDefined(content.localName);
    if (content.shadowRoot) this.#content.observe(content.shadowRoot, { attributeFilter: BUSY, subtree: true });
    this.#show();
  }

  async #askShipped(connection: Connection): Promise<void> {
    this.#connection = connection;
    this.#shipped = undefined;
    this.#note.replaceChildren();
    this.#shippedSeen = this.#panel.matches(":popover-open");
    try {
      const shipped = await readShipped(connection);
      if (connection !== this.#connection) return;
      this.#shipped = shipped;
      this.#show();
    } catch {
      // It is no more than an addition.
    }
  }

  #show(): void {
    const words = this.#words;
    const surveys = [...this.querySelectorAll<Inside>("idea-bank-survey")];
    const content = this.querySelector<Inside>("idea-bank-changelog, idea-bank-board, idea-bank-roadmap") ?? surveys[0];
    // A button that opens nothing is none, and nor is one without a name.
    this.#root.hidden = !this.#hasWords || !(content ?? (this.hasAttribute("label") && this.firstElementChild));
    if (content && content !== this.#inside) void this.#watch(content);
    const hasIdeas = content !== surveys[0];
    if (hasIdeas && content?.connection && content.connection !== this.#connection)
      void this.#askShipped(content.connection);
    const name = this.getAttribute("label") || words.say(content?.localName ?? "");
    // Its script may have run long before this one.
    const count = (hasIdeas && content?.count) || 0;
    const surveyCount = surveys.reduce((sum, survey) => sum + (survey.count ?? 0), 0);
    const toAnswer = surveyCount > 0 && words.say("surveyCount", { count: surveyCount });
    const news = count > 0 && words.say("newCount", { count });
    const ideas = this.#shipped?.ideas ?? [];
    const shippedCount = ideas.length;
    const shipped = shippedCount > 0 && words.say("shipped", { count: shippedCount });
    const isShippedNew = shipped && !this.#shippedSeen;
    // An implemented idea is also an entry of the changelog, so it is not counted twice.
    const sum = Math.max(count, isShippedNew ? shippedCount : 0) + surveyCount;
    this.#name.textContent = name;
    this.#badge.textContent = words.number(sum);
    this.#badge.hidden = sum === 0;
    this.#note.hidden = !shipped;
    // What has the focus stays.
    if (shipped && this.#note.firstChild?.textContent !== shipped) {
      const names = ideas
        .slice(0, NAMED)
        .map((idea) => h("button", { type: "button", onclick: () => this.open(openingOf(idea)) }, idea.title));
      this.#note.replaceChildren(h("p", {}, shipped), ...names);
    }
    this.#button.setAttribute("aria-label", [name, news, toAnswer, isShippedNew && shipped].filter(Boolean).join(", "));
    this.#close.setAttribute("aria-label", words.say("close"));
    this.#panel.setAttribute("aria-label", name);
  }
}

if (!customElements.get("idea-bank-launcher")) customElements.define("idea-bank-launcher", IdeaBankLauncher);
