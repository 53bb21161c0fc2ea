/** `/account/surveys/{id}/edit`: the questions and settings of a survey. */
import type { Context } from "hono";
import { parseOrThrow } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import { type Survey, SurveyChanges } from "../../model/survey.ts";
import type { Questions } from "../../model/survey-answers.ts";
import { Once } from "../frame/form-key.tsx";
import { Layout } from "../frame/layout.tsx";
import { ChangedMeanwhile, changedSettings, saveOpened } from "../frame/opened-form.tsx";
import { page, type SentForm } from "../frame/page.tsx";
import { withParameter } from "../frame/visit.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { Builder, type BuilderProps } from "./builder.tsx";
import { hashOfQuestions, loadBuilder, parseSurvey } from "./builder-page.tsx";
import { changeSurvey } from "./change-survey.ts";
import { PreviewScript } from "./preview.tsx";
import { surveyErrors } from "./survey-errors.ts";
import { editForm, MAX_SURVEY_FORM_BYTES, toFields, toSettings } from "./survey-fields.ts";
import { loadOwnSurvey, SURVEY, SurveyNav, surveyIdOf } from "./survey-nav.tsx";
import { SURVEYS } from "./survey-words.ts";

type Props = BuilderProps & { readonly survey: Survey };

export const EDIT_SURVEY_PAGE = page({
  path: `${SURVEY}/edit`,
  needs: "member",

  allows: "requests",

  load: async (c): Promise<Props | Response> => {
    const survey = await loadOwnSurvey(c);
    // Its questions are where it is answered.
    if (survey.url !== null) return c.redirect(`${SURVEYS}/${survey.id}`, 303);
    return load(c, { fields: toFields(survey), errors: [] }, survey);
  },

  view: (props) => {
    const { survey } = props;
    return (
      <Layout title={survey.title} part="Questions" current="surveys" scripts={["survey.js"]}>
        <SurveyNav survey={survey} current="edit" />
        <PreviewScript />
        <Builder
          {...props}
          action={`${SURVEYS}/${survey.id}/edit`}
          label={survey.openedAt === null ? "Save draft" : "Save"}
        />
        {survey.openedAt !== null && (
          <form id="copy" method="post" action={`${SURVEYS}/${survey.id}`}>
            <Once />
          </form>
        )}
      </Layout>
    );
  },

  act: async (c): Promise<Props | Response> => {
    const surveyId = surveyIdOf(c);
    const sent = await readForm(c, { maxBytes: MAX_SURVEY_FORM_BYTES });
    const edited = editForm(sent);
    if (edited !== undefined)
      return load(c, { fields: edited.fields, errors: [] }, await loadOwnSurvey(c), edited.focus);
    const { questions } = parseSurvey(sent);
    const opened = sent.get("opened");
    // Questions are compared as one, because each may depend on those before it.
    const asksElse = opened !== (await hashOfQuestions(questions));
    const settings = parseOrThrow(SurveyChanges, changedSettings(sent, toSettings));
    const changes: SurveyChanges = asksElse ? { ...settings, questions: [...questions] } : settings;
    const path = `${SURVEYS}/${surveyId}`;
    if (Object.keys(changes).length === 0) return c.redirect(path, 303);
    const form = { id: surveyId, fields: sent, toSettings, toFields, load: () => loadOwnSurvey(c) };
    const judge = async (was: Survey) => {
      const present = await hashOfQuestions(was.questions);
      if (asksElse && opened !== null && opened !== present) throw otherQuestions(was, { sent, questions, present });
    };
    const event = await saveOpened(form, (_, opened) => changeSurvey(c, surveyId, changes, { judge, opened }));
    return c.redirect(withParameter(path, "undo", event), 303);
  },

  refused: async (c, sent) => {
    const survey = await loadOwnSurvey(c);
    return load(c, surveyErrors(sent), survey);
  },
});

type Replaced = { readonly sent: URLSearchParams; readonly questions: Questions; readonly present: string };

/** Whoever has read what they are now may replace them. */
function otherQuestions({ id, ...was }: Survey, { sent, questions, present }: Replaced): ChangedMeanwhile {
  const inLines = (some: Questions) => some.map(({ title }) => title).join("\n");
  const again = new URLSearchParams(sent);
  again.set("opened", present);
  return new ChangedMeanwhile({
    id,
    subject: was.title,
    differences: [{ name: "questions", now: inLines(was.questions), mine: inLines(questions) }],
    again,
  });
}

const load = async (c: Context<OwnerEnv>, sent: SentForm, survey: Survey, focus?: string): Promise<Props> => ({
  ...(await loadBuilder(c, sent, { survey, focus })),
  survey,
});
