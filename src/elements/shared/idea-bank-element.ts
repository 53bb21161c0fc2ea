/**
 * The base of the elements: the API's address, the token, the labels, and a shadow root. Its styles are adopted, so that a strict
 * Content-Security-Policy has nothing to refuse; foreign styles do not reach into it.
 */
import { followBackground } from "./background.ts";
import baseStyles from "./base.css";
import type { COMMON_LABELS } from "./common-labels.ts";
import { h } from "./h.ts";
import { type Labels, Words } from "./labels.ts";
import { languageOf, observeLanguage } from "./language.ts";
import { message } from "./message.ts";
import { Connection } from "./request.ts";
import { isRequestFailure, requestFailure } from "./request-failure.ts";
import { forgetToken, mistakenFor, providerOf, type TokenProvider, tell } from "./tokens.ts";
import { loadTranslation, type Translation } from "./translation.ts";

/** It is also a custom state: a page can style `idea-bank-changelog:state(closed)`. */
export type State = "loading" | "ready" | "empty" | "resting" | "closed" | "signed-out" | "error";

/** Of what the page's server has rendered: its markup, and what that was made of, as JSON. */
const SERVED = ":scope > [data-server]";
const GIVEN = ":scope > .initial";
/** The server's markup stays while nothing can be shown in its place. */
const STAYS: readonly State[] = ["loading", "error", "signed-out"];
const ONLINE_AGAIN_MS = 3_000;
/** A page whose script sets the token has done so by then. */
const TOKEN_SET_MS = 3_000;

const failureOf = (error: unknown) => (isRequestFailure(error) ? error : requestFailure("failed"));

export abstract class IdeaBankElement<Known extends Labels & typeof COMMON_LABELS> extends HTMLElement {
  static readonly observedAttributes: readonly string[] = ["src", "token", "token-url", "sign-in-url", "heading-level"];

  /** Everything that is shown. */
  protected readonly root: HTMLElement;
  readonly #defaults: Known;
  readonly #status = h("p", { role: "status" });
  readonly #internals = this.attachInternals();
  #token: string | undefined;
  #provider: TokenProvider | undefined;
  #labels: Partial<Known> = {};
  #lifetime: AbortController | undefined;
  /** Shows the page's own markup of the same content, from its server, until this element has taken it over. */
  readonly #slot = h("slot");
  /** The page's server had rendered the content. */
  protected isServed = false;
  protected words: Words<Known>;
  /** When the words are those of the page's language. */
  protected translated: Promise<void> = Promise.resolve();
  #language: MutationObserver | undefined;

  /** `defaults` are its words in English, `styles` come after those of all elements. */
  constructor(defaults: Known, styles: string) {
    super();
    this.#defaults = defaults;
    this.words = new Words(defaults, {}, "en");
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(baseStyles + styles);
    const shadow = this.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [sheet];
    this.root = h("section", { class: "root", part: "root", tabindex: -1 });
    shadow.append(this.root, this.#status);
  }

  /** The API's address. By default the origin of this script. */
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

  /** Begins anew with another token, after a sign-in or a sign-out that did not leave the page. */
  restart(): void {
    const provider = this.#source();
    if (provider) forgetToken(provider);
    this.#restartSoon();
  }

  /** Replaces some of the words, or all. */
  get labels(): Partial<Known> {
    return this.#labels;
  }
  set labels(value: Partial<Known>) {
    if (JSON.stringify(value) === JSON.stringify(this.#labels)) return;
    this.#labels = value;
    for (const name in value) {
      // With a hyphen it is an error of the API, which need not be one that has a label by itself.
      if (!Object.hasOwn(this.#defaults, name) && !name.includes("-")) {
        console.warn(`<${this.localName}> has no label "${name}".`);
      }
    }
    this.#restartSoon();
  }

  connectedCallback(): void {
    // A property that was set before this script had loaded hides the accessor of the same name. Any other stays as it is.
    for (const [name, value] of Object.entries(this)) {
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
    if (this.querySelector(SERVED)) {
      this.isServed = true;
      this.root.before(this.#slot);
    }
    this.#language = observeLanguage(this, () => languageOf(this) !== this.words.locale && this.#restartSoon());
    this.#restartSoon();
  }

  disconnectedCallback(): void {
    this.#language?.disconnect();
    this.#lifetime?.abort();
  }

  attributeChangedCallback(_name: string, before: string | null, after: string | null): void {
    if (before !== after) this.#restartSoon();
  }

  protected readonly Connection: typeof Connection = Connection;
  /** For the launcher around it. */
  connection: Connection | undefined;

  /** The level of the element's own heading in the page's outline. Headings below it have the next level. */
  protected get headingLevel(): number {
    return Number(this.getAttribute("heading-level")) || 2;
  }

  /** Loads and shows everything, until the signal. Before the first answer, or failure, of the connection there are no words. */
  protected abstract start(connection: Connection, signal: AbortSignal): void;

  protected enter(state: State): void {
    this.#internals.states.clear();
    this.#internals.states.add(state);
    this.root.setAttribute("aria-busy", String(state === "loading"));
    if (!this.#slot.isConnected) return;
    this.root.classList.toggle("waiting", state === "loading");
    this.root.classList.toggle("beside", state !== "loading" && STAYS.includes(state));
    // Once what follows in the same task has made the content.
    if (!STAYS.includes(state)) queueMicrotask(() => this.#takeOver());
  }

  /** Whether the page's server has rendered what is to be shown, and it still stands there. */
  protected get isWaiting(): boolean {
    return this.#slot.isConnected;
  }

  /** Shows its own content in place of the server's. A link that has the focus keeps it. */
  #takeOver(): void {
    const focused = this.querySelector<HTMLAnchorElement>(`${SERVED} :focus`);
    this.#slot.remove();
    for (const part of this.querySelectorAll(`${SERVED}, ${GIVEN}`)) part.remove();
    if (this.connection) this.connection.given = {};
    if (focused)
      (Array.from(this.root.querySelectorAll("a")).find(({ href }) => href === focused.href) ?? this.root).focus({
        preventScroll: true,
      });
  }

  /** The answers in what the page was made of, by their paths. */
  protected answersIn(_given: object): Readonly<Record<string, unknown>> {
    return {};
  }

  /** Shows this in place of everything. What has the focus goes away: it waits on the whole. */
  protected show(...content: readonly Node[]): void {
    if (this.shadowRoot?.activeElement) this.root.focus();
    this.root.replaceChildren(...content);
  }

  /** Announces a text to screen readers; it is not visible. */
  protected announce(text: string): void {
    this.#status.textContent = text;
  }

  /** An error in words. */
  protected explain(error: unknown): string {
    const { code, seconds } = failureOf(error);
    return this.words.say(code, { count: seconds }) || this.words.say("failed");
  }

  /** The address where the page signs visitors in; `{page}` is the page to return to. */
  protected get signInUrl(): string | undefined {
    return this.getAttribute("sign-in-url")?.replace("{page}", encodeURIComponent(location.href));
  }

  /** The state that a failure leads to when there is nothing else to show. */
  protected stateAfter(error: unknown): State {
    const { code } = failureOf(error);
    if (code === "idea-bank-not-found") return "closed";
    return code === "unauthorized" || code === "not-signed-in" ? "signed-out" : "error";
  }

  /** Enters the state that a failure leads to, and says it: in words, with a way on. */
  protected failure(error: unknown, retry: () => void): HTMLElement {
    const state = this.stateAfter(error);
    const words = this.explain(error);
    const text = h("p", {}, words);
    this.enter(state);
    this.announce(words);
    this.countDown(error, text, retry);
    this.tellSignedOut(error);
    const { signInUrl } = this;
    return message(
      state,
      text,
      state === "error" &&
        h("button", { type: "button", class: "button", part: "button retry", onclick: retry }, this.words.say("retry")),
      // A place for the page's own link.
      state === "signed-out" &&
        h(
          "slot",
          { name: "sign-in" },
          signInUrl && h("a", { href: signInUrl, class: "button" }, this.words.say("signIn")),
        ),
    );
  }

  /**
   * Reads again when the browser says that there is a network, and once more if that fails: the browser may say so before a
   * connection can be made.
   */
  protected whenOnline(read: () => void, signal: AbortSignal): void {
    const online = () => {
      read();
      setTimeout(() => signal.aborted || (this.matches(":state(error)") && read()), ONLINE_AGAIN_MS);
    };
    window.addEventListener("online", online, { signal });
  }

  /** After `too-many-requests`: shows the seconds that are left, and then goes on. Ends when the text is no longer shown. */
  protected countDown(error: unknown, text: HTMLElement, then: () => void): void {
    const { code, seconds } = failureOf(error);
    if (!seconds) return;
    const end = Date.now() + seconds * 1000;
    const timer = setInterval(() => {
      const left = Math.ceil((end - Date.now()) / 1000);
      if (left > 0 && text.isConnected) {
        text.textContent = this.explain(requestFailure(code, left));
        return;
      }
      clearInterval(timer);
      if (text.isConnected) then();
    }, 1000);
  }

  /** An event for the page. False when the page has called `preventDefault()`. */
  protected dispatch(name: string, detail: object): boolean {
    return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }));
  }

  /** For the page, which may know how to sign the visitor in. */
  protected tellSignedOut(error: unknown): void {
    if (this.stateAfter(error) !== "signed-out") return;
    const { code } = failureOf(error);
    // Of what is shown. A page's own source may have none, because nobody is signed in; a script may still set the token.
    if (code !== "unauthorized")
      setTimeout(() => {
        const isNamed = this.#source() ?? mistakenFor(this.token ?? "", "token");
        if (this.offsetHeight && this.matches(":state(signed-out)") && !isNamed)
          tell(`<${this.localName}> has no valid token. Copy new code from Embed.`);
      }, TOKEN_SET_MS);
    this.dispatch("signed-out", { error: code });
  }

  /** Several changes in a row are one new start. */
  #restartSoon(): void {
    this.#lifetime?.abort();
    if (!this.isConnected) return;
    const lifetime = new AbortController();
    this.#lifetime = lifetime;
    queueMicrotask(() => {
      if (lifetime.signal.aborted) return;
      const words = new Words(this.#defaults, this.#labels, languageOf(this));
      words.dated = this.isServed;
      this.words = words;
      // The page's server has the words of its own language.
      const given = this.isWaiting ? JSON.parse(this.querySelector(GIVEN)?.textContent || "{}") : {};
      const translation = given.translation ?? loadTranslation(words.locale);
      this.translated = Promise.resolve<Translation>(translation).then(({ labels, direction = "" }) => {
        words.translate(labels?.[this.localName]);
        if (lifetime.signal.aborted) return;
        this.root.dir = direction;
        this.root.setAttribute("aria-label", words.say("title"));
        this.announce(words.say("loading"));
      });
      const { signal } = lifetime;
      followBackground(this.root, signal);
      const provider = () => this.#source();
      this.connection = new this.Connection(this.src, { token: this.token, provider, words: this.translated, signal });
      this.connection.given = { ...this.answersIn(given) };
      this.start(this.connection, signal);
    });
  }

  #source(): TokenProvider | undefined {
    const address = this.getAttribute("token-url");
    return this.#provider ?? (address ? providerOf(address) : undefined);
  }
}
