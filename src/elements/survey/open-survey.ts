/** The answers of the API, as far as the element reads them. */
import type { Answers, Questions } from "../../worker/model/survey-answers.ts";

export type Listed = {
  readonly id: string;
  readonly title: string;
  readonly answered: boolean;
};
export type Response = { readonly answers: Answers; readonly updatedAt: string; readonly revision: string };
export type Survey = {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly thanks: string;
  readonly anonymous: boolean;
  readonly editable: boolean;
  readonly closesAt: string | null;
  readonly questions: Questions;
  readonly response: Response | null;
};
