/** What a new survey begins with. */
import type { Questions } from "../../model/survey-answers.ts";
import { optionOfIdea } from "./survey-words.ts";

type Idea = { readonly id: string; readonly title: string };
type Template = {
  readonly name: string;
  readonly hint: string;
  readonly title: string;
  readonly questions: (ideas: readonly Idea[]) => Questions;
};

const ASKED = { help: "", required: false, showIf: null };
const DETRACTORS = [0, 1, 2, 3, 4, 5, 6];
/** Whoever wants none of the options has answered, too. */
const NONE = { id: "none", label: "None of these", exclusive: true };
export const MOST_VOTED = 5;
const CHOSEN_AT_MOST = 3;

export const TEMPLATES = {
  recommend: {
    name: "Would you recommend us? (NPS)",
    hint: "A scale from 0 to 10, and what is missing for those who choose 6 or less.",
    title: "Would you recommend us?",
    questions: () => [
      {
        ...{ ...ASKED, id: "recommend", kind: "scale", title: "How likely are you to recommend us?", required: true },
        ...{ from: 0, to: 10, nps: true, stars: false, lowLabel: "Not at all", highLabel: "Very likely" },
      },
      {
        ...{ ...ASKED, id: "why", kind: "text", title: "What is missing?", long: true },
        showIf: { question: "recommend", anyOf: DETRACTORS },
      },
    ],
  },
  satisfaction: {
    name: "Satisfaction",
    hint: "One to five stars, and room for a reason.",
    title: "How satisfied are you?",
    questions: () => [
      {
        ...{ ...ASKED, id: "satisfied", kind: "scale", title: "How satisfied are you?", required: true },
        ...{ from: 1, to: 5, nps: false, stars: true, lowLabel: "Not at all", highLabel: "Very" },
      },
      { ...ASKED, id: "why", kind: "text", title: "Why?", long: true },
    ],
  },
  ideas: {
    name: "Which of these?",
    hint: "The five most voted open ideas of the board. In the results each leads to its idea.",
    title: "Which of these comes first?",
    questions: (ideas) => [
      {
        ...{ ...ASKED, id: "which", kind: "choices", title: "Which of these would help you most?", required: true },
        options: [...ideas.map(({ id, title }) => ({ id: optionOfIdea(id), label: title, exclusive: false })), NONE],
        ...{ other: true, atLeast: 0, atMost: CHOSEN_AT_MOST },
      },
    ],
  },
  open: {
    name: "An open question",
    hint: "One question, answered in people’s own words.",
    title: "What would you change?",
    questions: () => [
      { ...ASKED, id: "change", kind: "text", title: "What would you change?", required: true, long: true },
    ],
  },
  empty: { name: "Empty", hint: "Begin with nothing.", title: "", questions: () => [] },
} as const satisfies Record<string, Template>;

export type TemplateName = keyof typeof TEMPLATES;
export const isTemplate = (name: string | undefined): name is TemplateName =>
  name !== undefined && Object.hasOwn(TEMPLATES, name);
