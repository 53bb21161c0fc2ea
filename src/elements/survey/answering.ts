/** One survey and one person: the form, what comes of sending it, and the answers that were sent. */
import { type Answers, isAnswered, type Questions } from "../../worker/model/survey-answers.ts";
import { h } from "../shared/h.ts";
import type { State } from "../shared/idea-bank-element.ts";
import { prose } from "../shared/prose.ts";
import { isRequestFailure } from "../shared/request-failure.ts";
import { sendable } from "./answers.ts";
import { button } from "./button.ts";
import { deletion } from "./deletion.ts";
import type { Draft } from "./draft.ts";
import type { SurveyWords } from "./labels.ts";
import type { Response, Survey } from "./open-survey.ts";
import { type Layout, type Questionnaire, questionnaire } from "./questionnaire.ts";
import { summary, summaryText } from "./summary.ts";
import type { Surveys } from "./surveys.ts";

/** The element around it. */
type Host = {
  /** Undefined in a preview: nothing is sent. */
  readonly surveys: Surveys | undefined;
  readonly words: SurveyWords;
  readonly layout: Layout;
  readonly signal: AbortSignal;
  readonly show: (title: string, state: State, ...content: readonly Node[]) => void;
  readonly announce: (text: string) => void;
  /** Shows and announces an error in the form. */
  readonly report: (error: unknown, form: Questionnaire) => void;
  /** Answers were sent, or deleted. */
  readonly changed: (response: Response | null) => void;
  readonly rest: () => void;
  /** Opens another survey; undefined where none is left. */
  readonly next: () => (() => void) | undefined;
};

const codeOf = (error: unknown) => (isRequestFailure(error) ? error.code : "");
const isGone = (error: unknown) => /^(survey|idea-bank)-not-found$/.test(codeOf(error));

export class Answering {
  readonly #host: Host;
  readonly #draft: Draft;
  #survey: Survey;

  constructor(survey: Survey, draft: Draft, host: Host) {
    this.#survey = survey;
    this.#draft = draft;
    this.#host = host;
    draft.fit(survey.questions);
  }

  /** Shows the form, or what was sent already. `hasAsked`: the person opened it, so the form gets the focus. */
  open(hasAsked = false): void {
    const { response, editable } = this.#survey;
    const draft = this.#draft;
    if (response === null) draft.seen = null;
    if (response === null || (draft.isKept && editable && draft.seen === response.revision)) this.#ask(hasAsked);
    else if (draft.isKept && editable && this.#differing(response).length > 0) this.#askWhich(response);
    else this.showAnswered(response, false);
  }

  /** Thanks, if they were sent just now. */
  showAnswered(response: Response, isSentNow: boolean): void {
    const { title, thanks, editable, anonymous } = this.#survey;
    const { words, next, show } = this.#host;
    // The day of an anonymous response is one in UTC.
    const when = new Date(response.updatedAt);
    const date = () => words.date(when, { dateStyle: "medium", ...(anonymous && { timeZone: "UTC" }) });
    const text = isSentNow ? words.say("thanks") : words.say("answeredOn", { date: date() });
    const goOn = next();
    const buttons = h(
      "div",
      { class: "buttons" },
      goOn && button(words.say("nextSurvey"), goOn, "primary"),
      editable && button(words.say("change"), () => this.#change(response)),
      deletion(words, () => void this.#delete()),
    );
    const said = isSentNow && thanks !== "" ? prose(thanks) : h("p", {}, text);
    show(title, "ready", h("div", { class: "survey", part: "thanks" }, said, buttons));
    this.#host.announce(said.textContent ?? "");
  }

  #ask(hasAsked: boolean, isChange = this.#survey.response !== null): Questionnaire {
    const { title, description, anonymous, closesAt, questions } = this.#survey;
    const { words, layout, announce, rest, show } = this.#host;
    const date = () => words.date(new Date(closesAt ?? ""), { dateStyle: "medium", timeStyle: "short" });
    const intro = h(
      "div",
      { class: "intro" },
      description && prose(description, { part: "description" }),
      anonymous && h("p", { class: "muted small" }, words.say("anonymousSurvey")),
      closesAt && h("p", { class: "muted small" }, words.say("closes", { date: date() })),
    );
    const form: Questionnaire = questionnaire({
      ...{ questions, draft: this.#draft, layout, intro, words, announce, rest },
      send: () => this.#send(form),
      cancel: isChange ? () => this.#keep() : undefined,
    });
    show(title, "ready", form.element);
    if (hasAsked) form.focus();
    return form;
  }

  #change(response: Response): void {
    this.#draft.begin(response.answers, response.revision);
    this.#ask(true, true);
  }

  async #send(form: Questionnaire): Promise<void> {
    const { surveys, words, signal, report } = this.#host;
    const { id } = this.#survey;
    const answers = this.#own();
    try {
      const unsent: Response = { answers, updatedAt: "", revision: "" };
      this.#sent((await surveys?.answer(id, answers, this.#draft.seen)) ?? unsent);
    } catch (error) {
      if (signal.aborted) return;
      if (isGone(error)) this.#showUnsent(words.say("survey-not-found"));
      else await this.#recover(error, form).catch((failure) => signal.aborted || report(failure, form));
    }
  }

  #sent(response: Response): void {
    this.#draft.forget();
    this.#survey = { ...this.#survey, response };
    this.#host.changed(response);
    this.showAnswered(response, true);
  }

  /** What the survey is by now says what to do about these two errors. Any other is thrown. */
  async #recover(error: unknown, form: Questionnaire): Promise<void> {
    const { surveys, words } = this.#host;
    const code = codeOf(error);
    if (code !== "precondition-failed" && code !== "invalid-request") throw error;
    const now = await surveys?.read(this.#survey.id);
    if (!now || !isRequestFailure(error)) throw error;
    if (code === "precondition-failed") {
      this.#survey = now;
      this.#draft.seen = null;
      // Deleted meanwhile: then it is the first again.
      if (now.response === null) await this.#send(form);
      else this.#askWhich(now.response);
      return;
    }
    const isSame = JSON.stringify(now.questions) === JSON.stringify(this.#survey.questions);
    this.#survey = { ...now, response: this.#survey.response };
    this.#draft.fit(now.questions);
    const paths = error.errors.map(({ path }) => path);
    const shown = isSame ? form : this.#ask(true);
    // Without a question it is all of them together.
    if (!shown.refuse(paths.map((path) => path.split(".")[1] ?? "")))
      shown.notify(words.say(paths.includes("answers") ? "tooMuch" : "check"));
  }

  /** What would be sent now. */
  #own(): Answers {
    return sendable(this.#survey.questions, this.#draft.answers);
  }

  /** The questions that were answered in another way than here. */
  #differing({ answers }: Response): Questions {
    const own = this.#own();
    return this.#survey.questions.filter(({ id }) => JSON.stringify(own[id]) !== JSON.stringify(answers[id]));
  }

  /** Another tab, or another device, has sent answers: the person sees both and decides. */
  #askWhich(response: Response): void {
    const { words, show, announce } = this.#host;
    const { title, editable } = this.#survey;
    const text = words.say(editable ? "answeredMeanwhile" : "conflict");
    const sets = [
      { name: words.say("sentBefore"), answers: response.answers },
      { name: words.say("here"), answers: this.#own() },
    ];
    const sendThese = () => {
      this.#draft.seen = response.revision;
      this.#draft.save();
      void this.#send(this.#ask(true, true));
    };
    show(
      title,
      "ready",
      h(
        "div",
        { class: "survey", part: "conflict" },
        h("p", {}, text),
        summary(this.#differing(response), sets, words),
        h(
          "div",
          { class: "buttons" },
          button(words.say("keepSent"), () => this.#keep(), "primary"),
          editable && button(words.say("sendHere"), sendThese),
        ),
      ),
    );
    announce(text);
  }

  /** What was sent stays, and what was changed since goes. */
  #keep(): void {
    const { response } = this.#survey;
    this.#begin();
    if (response) this.showAnswered(response, false);
  }

  /** It cannot be sent any more. The texts are still the person's. */
  #showUnsent(text: string): void {
    const { words, show, announce } = this.#host;
    const { title, questions } = this.#survey;
    const { answers } = this.#draft;
    const answered = questions.filter(({ id }) => isAnswered(answers[id]));
    const copy = button(words.say("copy"), () => {
      const write = navigator.clipboard?.writeText(summaryText(answered, answers, words));
      write?.then(
        () => announce(words.say("copied")),
        () => {},
      );
    });
    const hasAnswers = answered.length > 0;
    show(
      title,
      "closed",
      h(
        "div",
        { class: "survey", part: "unsent" },
        h("p", {}, text),
        hasAnswers && h("p", { class: "muted" }, words.say("yourAnswers")),
        hasAnswers && summary(answered, [{ answers }], words),
        hasAnswers && h("div", { class: "buttons" }, copy),
      ),
    );
    announce(text);
  }

  async #delete(): Promise<void> {
    const { words, surveys, changed, signal, announce, report } = this.#host;
    try {
      await surveys?.delete(this.#survey.id);
      if (signal.aborted) return;
      this.#begin();
      this.#survey = { ...this.#survey, response: null };
      changed(null);
      this.open(true);
      announce(words.say("deleted"));
    } catch (error) {
      if (!signal.aborted) report(error, this.#ask(true, true));
    }
  }

  /** Nothing is left of what was not sent. */
  #begin(): void {
    this.#draft.forget();
    this.#draft.answers = Object.create(null);
  }
}
