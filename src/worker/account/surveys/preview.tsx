/** A survey as people will see it: the element itself, which stores nothing. Without JavaScript, its questions to read. */
import type { Survey } from "../../model/survey.ts";
import type { Questions } from "../../model/survey-answers.ts";
import { useFrame } from "../frame/frame.ts";
import { ReadingView } from "./reading-view.tsx";

/** What the element needs of a survey that is still being written: what is missing or wrong has its default there. */
export type Previewed = Readonly<Partial<Record<keyof Survey, unknown>>>;

type Props = {
  readonly survey: Previewed;
  /** Those that can be read without JavaScript. */
  readonly questions: Questions;
};

export const Preview = ({ survey, questions }: Props) => {
  const { title, description, thanks, anonymous, editable } = survey;
  const shown = { title, description, thanks, anonymous, editable, questions: survey.questions };
  return (
    <div class="previewed">
      <idea-bank-survey preview={JSON.stringify(shown)}>
        <ReadingView questions={questions} />
      </idea-bank-survey>
    </div>
  );
};

/** Once in a page, apart from the preview: a script that is put into a page later does not run. */
export const PreviewScript = () => <script type="module" src="/embed/survey.js" nonce={useFrame().nonce} />;
