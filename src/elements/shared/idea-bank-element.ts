/**
 * What both elements share: where the API is, whose token is sent, which words are used, and a shadow root whose styles are
 * adopted (a strict Content-Security-Policy has nothing to refuse) and which foreign styles do not reach.
 */
import { h } from "./h.ts";
import { type Labels, Words } from "./labels.ts";
import { Connection, RequestFailure, type TokenProvider } from "./request.ts";

/** Also a custom state: a page can style `idea-bank-changelog:state(closed)`. */
export type State = "loading" | "ready" | "empty" | "closed" | "signed-out" | "error";

const PROPERTIES = ["src", "token", "tokenProvider", "labels"] as const;

/** The words that every element has. */
export const COMMON_LABELS = {
  loading: "Loading…",
  retry: "Try again",
  // The others are by the `error` of the API's answer.
  unauthorized: "Your session has ended. Sign in again.",
  offline: "No connection. Check your network and try again.",
  "too-many-requests": {
    one: "Too many requests. Try again in {count} second.",
    other: "Too many requests. Try again in {count} seconds.",
  },
  failed: "Something went wrong. Try again in a moment.",
} satisfies Labels;

export abstract class IdeaBankElement<Known extends Labels & typeof COMMON_LABELS> extends HTMLElement {
  static readonly observedAttributes = ["src", "token", "lang", "heading-level", "proposal"];

  /** Everything that is shown. */
  protected readonly root: HTMLElement;
  readonly #defaults: Known;
  readonly #status = h("p", { role: "status" });
  readonly #internals = this.attachInternals();
  #token: string | undefined;
  #provider: TokenProvider | undefined;
  #labels: Partial<Known> = {};
  #lifetime: AbortController | undefined;
  #words: Words<Known> | undefined;

  constructor(name: string, defaults: Known, styles: string) {
    super();
    this.#defaults = defaults;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    const shadow = this.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [sheet];
    this.root = h("section", { class: "root", part: "root", "aria-label": name, tabindex: -1 });
    shadow.append(this.root, this.#status);
  }

  /** Where the API is. The origin that this script came from, unless the page says otherwise. */
  get src(): string {
    return this.getAttribute("src") || new URL(import.meta.url).origin;
  }
  set src(value: string) {
    this.setAttribute("src", value);
  }

  /** A token given as a property stays out of the page's markup. */
  get token(): string | undefined {
    return this.#token || this.getAttribute("token") || undefined;
  }
  set token(value: string | undefined) {
    if (value === this.#token) return;
    this.#token = value;
    this.#restartSoon();
  }

  get tokenProvider(): TokenProvider | undefined {
    return this.#provider;
  }
  set tokenProvider(value: TokenProvider | undefined) {
    // A framework may hand over a new function with each of its renders.
    const isFirst = !this.#provider;
    this.#provider = value;
    if (isFirst) this.#restartSoon();
  }

  /** Replaces some of the words, or all. */
  get labels(): Partial<Known> {
    return this.#labels;
  }
  set labels(value: Partial<Known>) {
    const isSame = JSON.stringify(value) === JSON.stringify(this.#labels);
    this.#labels = value;
    if (!isSame) this.#restartSoon();
  }

  connectedCallback(): void {
    // A property that was set before this script had loaded hides the accessor of the same name.
    for (const name of PROPERTIES) {
      if (!Object.hasOwn(this, name)) continue;
      const value = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
    this.#restartSoon();
  }

  disconnectedCallback(): void {
    this.#lifetime?.abort();
    this.#lifetime = undefined;
  }

  attributeChangedCallback(_name: string, before: string | null, after: string | null): void {
    if (before !== after) this.#restartSoon();
  }

  protected get words(): Words<Known> {
    // Dates and numbers are in the visitor's language, unless the page names one.
    this.#words ??= new Words(this.#defaults, this.#labels, this.lang || navigator.language);
    return this.#words;
  }

  /** Of the element's own heading in the page's outline; what is below it has the next. */
  protected get headingLevel(): number {
    return Number(this.getAttribute("heading-level")) || 2;
  }

  /** Loads and shows everything, until the signal. */
  protected abstract start(connection: Connection, signal: AbortSignal): void;

  protected enter(state: State): void {
    this.#internals.states.clear();
    this.#internals.states.add(state);
    this.root.setAttribute("aria-busy", String(state === "loading"));
  }

  /** Told to screen readers, shown to nobody. */
  protected announce(text: string): void {
    this.#status.textContent = text;
  }

  /** What went wrong, in words. */
  protected explain(error: unknown): string {
    const { code, seconds } = error instanceof RequestFailure ? error : new RequestFailure("failed");
    return this.words.say(code, { count: seconds }) || this.words.say("failed");
  }

  /** The state that a failure leads to when there is nothing else to show. */
  protected stateAfter(error: unknown): State {
    const code = error instanceof RequestFailure && error.code;
    return code === "unauthorized" ? "signed-out" : code === "idea-bank-not-found" ? "closed" : "error";
  }

  /** Several changes in a row are one new start. */
  #restartSoon(): void {
    this.#lifetime?.abort();
    if (!this.isConnected) return;
    const lifetime = new AbortController();
    this.#lifetime = lifetime;
    queueMicrotask(() => {
      if (lifetime.signal.aborted) return;
      this.#words = undefined;
      this.start(new Connection(this.src, this.token, () => this.#provider?.(), lifetime.signal), lifetime.signal);
    });
  }
}
