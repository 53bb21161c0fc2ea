/**
 * `<idea-bank-launcher>`: a button that opens the element inside it in a panel, with the number of entries since the visitor's
 * last look. It floats in the corner of the window; with `inline` it stays in its place in the page.
 */
import { h, icon } from "../shared/h.ts";
import { Words } from "../shared/labels.ts";
import { languageOf } from "../shared/language.ts";
import { LAUNCHER_LABELS } from "./labels.ts";
import styles from "./launcher.css";

const BUBBLE = "M2.5 3.5h11v7.5H7.5L4.5 13.5V11h-2z";
const CROSS = "m4 4 8 8m0-8-8 8";
/** The distance between the panel and its surroundings, in pixels. */
const GAP = 8;
/** The same width as in launcher.css. */
const PANEL_EM = 28;

type Opening = HTMLElement & { open(options: object): void };

class IdeaBankLauncher extends HTMLElement {
  static readonly observedAttributes = ["label", "lang"];

  readonly #name = h("span", { class: "name" });
  readonly #badge = h("span", { class: "badge", part: "badge", hidden: true });
  readonly #button = h("button", { type: "button", class: "launch", part: "launcher", popovertarget: "panel" });
  readonly #close = h("button", { type: "button", class: "close", part: "close", popovertarget: "panel" }, icon(CROSS));
  readonly #panel = h("div", {
    id: "panel",
    part: "panel",
    role: "dialog",
    popover: "auto",
    tabindex: -1,
    autofocus: true,
  });
  #labels: Partial<typeof LAUNCHER_LABELS> = {};
  /** Ends when the panel is closed. */
  #opened: AbortController | undefined;

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    const shadow = this.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [sheet];
    const content = h("slot");
    this.#button.append(icon(BUBBLE), this.#name, this.#badge);
    this.#panel.append(this.#close, h("div", { class: "content", tabindex: 0 }, content));
    shadow.append(h("div", { class: "root", part: "root" }, this.#button, this.#panel));
    content.addEventListener("slotchange", () => this.#show());
    this.#panel.addEventListener("toggle", ({ newState }) => {
      this.#opened?.abort();
      if (newState !== "open") return;
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
    this.addEventListener("changelog-count", () => this.#show());
  }

  /** Replaces some of the words, or all. */
  get labels(): Partial<typeof LAUNCHER_LABELS> {
    return this.#labels;
  }
  set labels(value: Partial<typeof LAUNCHER_LABELS>) {
    this.#labels = value;
    this.#show();
  }

  connectedCallback(): void {
    // Set before this script had loaded, it hides the accessor.
    if (Object.hasOwn(this, "labels")) {
      const { labels } = this;
      Reflect.deleteProperty(this, "labels");
      this.labels = labels;
    }
    this.#show();
  }

  attributeChangedCallback(): void {
    this.#show();
  }

  /** Opens the panel, and passes the options to `open` of the element inside. */
  open(options?: object): void {
    if (!this.#panel.matches(":popover-open")) this.#panel.showPopover();
    const board = this.querySelector<Opening>("idea-bank-board");
    // Its script may run after this one.
    if (options && board) customElements.whenDefined(board.localName).then(() => board.open(options));
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

  #show(): void {
    const words = new Words(LAUNCHER_LABELS, this.#labels, languageOf(this));
    const content = this.querySelector("idea-bank-changelog, idea-bank-board");
    const name = this.getAttribute("label") || words.say(content?.localName ?? "");
    // Its script may have run long before this one.
    const count = Number(content && Reflect.get(content, "count")) || 0;
    const news = count > 0 && words.say("newCount", { count });
    this.#name.textContent = name;
    this.#badge.textContent = words.number(count);
    this.#badge.hidden = !news;
    this.#button.setAttribute("aria-label", news ? `${name}, ${news}` : name);
    this.#close.setAttribute("aria-label", words.say("close"));
    this.#panel.setAttribute("aria-label", name);
  }
}

if (!customElements.get("idea-bank-launcher")) customElements.define("idea-bank-launcher", IdeaBankLauncher);
