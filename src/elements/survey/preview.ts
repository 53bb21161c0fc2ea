/** A survey that its author is still writing (pure): what is not there yet has its default. */
import type { Question } from "../../worker/model/survey-answers.ts";
import type { Survey } from "./open-survey.ts";

type Draftlike<Whole> = Readonly<Partial<Record<keyof Whole, unknown>>>;
/** As `POST /tenant/surveys` takes it. */
export type Preview = Draftlike<Survey>;

const DEFAULTS = {
  ...{ title: "", help: "", required: false, showIf: null, options: [], other: false, atLeast: 0, atMost: null },
  ...{ from: 1, to: 5, nps: false, stars: false, lowLabel: "", highLabel: "", long: false },
};

export function previewOf(preview: Preview): Survey {
  const questions = [preview.questions ?? []].flat().map((each, at) => {
    const question = { ...DEFAULTS, ...Object(each) };
    const options = question.options.map((option: object, place: number) => ({
      exclusive: false,
      label: "",
      ...option,
      id: Object(option).id || `o${place + 1}`,
    }));
    return { ...question, options, id: question.id || `q${at + 1}` } as Question;
  });
  return {
    ...{ id: "", title: "", description: "", thanks: "", anonymous: false, editable: true, closesAt: null },
    ...(preview as Partial<Survey>),
    questions,
    response: null,
  };
}
