/**
 * `<idea-bank-survey>`: the first open survey that this person has not answered, or the one that the attribute `survey` names. It never
 * asks the device's clock whether a survey is open, because the API knows.
 */

import { ConsistentConnection } from "../shared/consistent-connection.ts";
import controlStyles from "../shared/controls.css";
import { h } from "../shared/h.ts";
import { head, title as titleOf } from "../shared/head.ts";
import { IdeaBankElement, type State } from "../shared/idea-bank-element.ts";
import { message, skeleton } from "../shared/message.ts";
import { prose } from "../shared/prose.ts";
import { isRequestFailure } from "../shared/request-failure.ts";
import { isVisible } from "../shared/visible.ts";
import { Answering } from "./answering.ts";
import { button, quietButton } from "./button.ts";
import { Draft, forgetDrafts } from "./draft.ts";
import { staysInside } from "./keys.ts";
import { SURVEY_LABELS } from "./labels.ts";
import type { Listed, Response, Survey } from "./open-survey.ts";
import { type Preview, previewOf } from "./preview.ts";
import { questionList } from "./question-list.ts";
import type { Questionnaire } from "./questionnaire.ts";
import { Resting } from "./resting.ts";
import styles from "./survey.css";
import { Surveys } from "./surveys.ts";

/** Attribute `layout`: `all` shows all questions at once. */
class IdeaBankSurvey extends IdeaBankElement<typeof SURVEY_LABELS> {
  static override readonly observedAttributes = [...IdeaBankElement.observedAttributes, "survey", "layout", "preview"];

  protected override readonly Connection = ConsistentConnection;
  #count: number | undefined;
  #preview: Preview | undefined;
  /** What is answered in the preview, while its survey changes. */
  readonly #previewed = new Draft(undefined, "");
  /** What was sent last, so that the thanks are still there when the page has moved the element. */
  #thanked: { readonly who: string; readonly survey: Survey; readonly response: Response } | undefined;

  constructor() {
    super(SURVEY_LABELS, controlStyles + styles);
    for (const type of ["keydown", "keypress", "keyup"])
      this.root.addEventListener(type, (event) => {
        if (event instanceof KeyboardEvent && staysInside(event)) event.stopPropagation();
      });
  }

  /** The number of surveys that are left to answer. One that rests is not among them. */
  get count(): number {
    return this.#count ?? 0;
  }

  /** A survey as `POST /tenant/surveys` takes it, to try it: nothing is sent or kept. As an attribute it is JSON. */
  get preview(): Preview | undefined {
    const text = this.getAttribute("preview");
    return this.#preview ?? (text ? JSON.parse(text) : undefined);
  }
  set preview(value: Preview | undefined) {
    if (JSON.stringify(value) === JSON.stringify(this.#preview)) return;
    this.#preview = value;
    this.restart();
  }

  protected override answersIn({ survey }: { readonly survey?: Survey }): Readonly<Record<string, unknown>> {
    return { [`/surveys/${survey?.id}`]: survey };
  }

  protected override start(connection: ConsistentConnection, signal: AbortSignal): void {
    const { preview } = this;
    this.enter("loading");
    this.show(head(h("div", { class: "bones title line" })), skeleton(1, "survey", "line"));
    if (preview) void this.translated.then(() => signal.aborted || this.#showPreview(previewOf(preview), signal));
    else this.#showSurveys(connection, signal);
  }

  #showPreview(survey: Survey, signal: AbortSignal): void {
    const open = (hasAsked: boolean) => answering.open(hasAsked);
    const answering = new Answering(survey, this.#previewed, {
      ...this.#hostOf(signal),
      surveys: undefined,
      changed: () => {},
      rest: () => this.#showResting([survey], () => open(true)),
      next: () => undefined,
    });
    open(false);
  }

  #showSurveys(connection: ConsistentConnection, signal: AbortSignal): void {
    connection.ownerChanged = () => this.restart();
    const surveys = new Surveys(connection);
    const named = this.getAttribute("survey");
    let listed: readonly Listed[] = [];
    const resting = () => new Resting(connection.who);
    const left = () => {
      const { has } = resting();
      return listed.filter(({ id, answered }) => !answered && !has(id));
    };
    const note = (id: string, answered: boolean) => {
      listed = listed.map((each) => (each.id === id ? { ...each, answered } : each));
      this.#setCount(left().length);
    };

    const open = (survey: Survey, hasAsked = false): void => {
      const { id } = survey;
      const { isVisitor, who, bank } = connection;
      if (named) listed = [{ ...survey, answered: survey.response !== null }];
      this.#setCount(left().length);
      const rest = () => {
        resting().set(id, true);
        choose();
      };
      if (isVisitor) {
        this.#askToSignIn(survey, rest);
        return;
      }
      const answering = new Answering(survey, new Draft({ bank, who }, id), {
        ...this.#hostOf(signal),
        surveys,
        changed: (response) => {
          note(id, response !== null);
          this.#thanked = response ? { who, survey: { ...survey, response }, response } : undefined;
          if (response) this.dispatch("survey-answered", { surveyId: id });
        },
        rest,
        next: () => {
          const [next] = left();
          return next && !named ? () => void read(next.id, true) : undefined;
        },
      });
      const thanked = this.#thanked;
      if (!hasAsked && thanked?.who === who && thanked.survey.id === id) answering.showAnswered(thanked.response, true);
      else answering.open(hasAsked);
    };
    const read = async (id: string, hasAsked = false): Promise<void> => {
      this.#thanked = hasAsked ? undefined : this.#thanked;
      if (resting().has(id)) resting().set(id, false);
      try {
        open(await surveys.read(id), hasAsked);
      } catch (error) {
        fail(error);
      }
    };
    /** Shows what there is to answer. */
    const choose = (): void => {
      const unanswered = listed.filter(({ answered }) => !answered);
      const [next] = left();
      this.#setCount(left().length);
      const { who } = connection;
      if (this.#thanked?.who === who && !named) open(this.#thanked.survey);
      else if (next) void this.#displayed(signal).then(() => read(next.id));
      else if (unanswered.length > 0) this.#showResting(unanswered, (id) => void read(id, true));
      else this.#showNone(listed, (id) => void read(id, true));
    };
    const load = async (): Promise<void> => {
      try {
        if (named) {
          const survey = await surveys.read(named);
          this.#forgetOthers(connection);
          listed = [{ ...survey, answered: survey.response !== null }];
          // It may rest, like any other.
          if (survey.response === null && resting().has(named)) choose();
          else open(survey);
        } else {
          listed = await surveys.list();
          this.#forgetOthers(connection);
          choose();
        }
      } catch (error) {
        fail(error);
      }
    };
    const fail = (error: unknown): void => {
      if (signal.aborted) return;
      // Nobody is signed in on this page by now.
      if (isRequestFailure(error) && error.code === "not-signed-in" && this.#hasSource) forgetDrafts();
      this.#setCount(0);
      this.show(
        head(titleOf(this.headingLevel, this.words.say("title"))),
        this.failure(error, () => void load()),
      );
    };
    const again = () => {
      if (isVisible() && this.matches(":state(signed-out), :state(error), :state(empty), :state(resting)")) void load();
    };
    window.addEventListener("visibilitychange", again, { signal });
    this.whenOnline(() => this.matches(":state(error)") && void load(), signal);
    void load();
  }

  protected override stateAfter(error: unknown): State {
    return isRequestFailure(error) && error.code === "survey-not-found" ? "closed" : super.stateAfter(error);
  }

  #hostOf(signal: AbortSignal) {
    const { words } = this;
    return {
      words,
      signal,
      layout: this.getAttribute("layout") === "all" ? ("all" as const) : ("steps" as const),
      show: (title: string, state: State, ...content: readonly Node[]) => this.#present(title, state, ...content),
      announce: (text: string) => this.announce(text),
      report: (error: unknown, form: Questionnaire) => {
        const isSignedOut = this.stateAfter(error) === "signed-out";
        const { signInUrl } = this;
        const link =
          isSignedOut && signInUrl ? h("a", { href: signInUrl, class: "button" }, words.say("signIn")) : undefined;
        const text = form.notify(this.explain(error), link);
        this.countDown(error, text, () => form.notify(""));
        this.tellSignedOut(error);
      },
    };
  }

  /** With a static token only another panelist shows that somebody has signed out: a visitor's may be in any page of a site. */
  #forgetOthers({ bank, who, isVisitor }: ConsistentConnection): void {
    if (!isVisitor || this.#hasSource) forgetDrafts({ bank, who });
  }

  get #hasSource(): boolean {
    return this.tokenProvider !== undefined || this.hasAttribute("token-url");
  }

  #askToSignIn(survey: Survey, rest: () => void): void {
    const { words } = this;
    const { id, title, description, questions } = survey;
    const ask = h("p", {}, words.say("sign-in-required"));
    const signIn = button(
      words.say("signIn"),
      () => {
        if (!this.dispatch("sign-in", { proposal: null, survey: id })) return;
        const { signInUrl } = this;
        if (signInUrl) {
          location.assign(signInUrl);
          return;
        }
        // The page has no way to sign in.
        this.root.focus({ preventScroll: true });
        signIn.remove();
        ask.textContent = words.say("signInHere");
        this.announce(words.say("signInHere"));
      },
      "primary",
    );
    const later = quietButton(words.say("notNow"), rest);
    // A page whose server shows the questions goes on showing them.
    const asked = this.isServed
      ? questionList(questions, words)
      : h("p", { class: "muted small" }, words.say("questions", { count: questions.length }));
    this.#present(
      title,
      "ready",
      h(
        "div",
        { class: "survey", part: "sign-in" },
        description && prose(description, { part: "description" }),
        asked,
        ask,
        h("div", { class: "buttons" }, signIn, later),
      ),
    );
  }

  #showResting(
    surveys: readonly { readonly id: string; readonly title: string }[],
    answer: (id: string) => void,
  ): void {
    const { words } = this;
    const rows = surveys.map(({ id, title }) => {
      const open = button(words.say("answer"), () => answer(id));
      open.setAttribute("aria-label", `${words.say("answer")}: ${title}`);
      return h("li", { class: "resting", part: "resting" }, h("span", { dir: "auto" }, title), open);
    });
    this.enter("resting");
    this.show(h("ul", { class: "survey" }, ...rows));
  }

  /** Nothing is left to answer; what was answered can be looked at. */
  #showNone(answered: readonly Listed[], open: (id: string) => void): void {
    const text = this.words.say("empty");
    const rows = answered.map(({ id, title }) =>
      h("button", { type: "button", class: "link", dir: "auto", onclick: () => open(id) }, title),
    );
    const label = rows.length > 0 && h("p", { class: "muted small" }, this.words.say("answered"));
    this.#present(this.words.say("title"), "empty", message("empty", h("p", {}, text), label, ...rows));
    this.announce(text);
  }

  /** While the panel around it is closed, only the number of surveys is read. */
  async #displayed(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const observer = new ResizeObserver(() => {
        if (this.root.offsetWidth === 0) return;
        observer.disconnect();
        resolve();
      });
      observer.observe(this.root);
      signal.addEventListener("abort", () => observer.disconnect());
    });
  }

  #setCount(count: number): void {
    if (count === this.#count) return;
    this.#count = count;
    this.dispatch("survey-count", { count });
  }

  #present(title: string, state: State, ...content: readonly Node[]): void {
    this.root.setAttribute("aria-label", title);
    this.enter(state);
    this.show(head(titleOf(this.headingLevel, title)), ...content);
  }
}

if (!customElements.get("idea-bank-survey")) customElements.define("idea-bank-survey", IdeaBankSurvey);
