/** `/b/{id}/{name}/surveys`: those that are open; `/surveys/{surveyId}`: one of them. */

import type { Context } from "hono";
import { surveyMarkup } from "#markup";
import type { AppEnv } from "../http/app-env.ts";
import { firstLine } from "../model/light-formatting.ts";
import { partPathOf } from "../model/page-path.ts";
import { Element } from "./element.tsx";
import { type Frame, linkTo, partPath } from "./frame.ts";
import { Layout } from "./layout.tsx";
import type { OpenPage } from "./open-page.ts";
import type { PageSurvey } from "./read-contents.ts";
import { respondPage } from "./respond.tsx";

export const surveyPath = ({ id, board }: Frame, surveyId: string): string =>
  partPathOf({ id, name: board.name }, `surveys/${surveyId}`);

export function surveysPage(c: Context<AppEnv>, { ideaBank }: OpenPage, frame: Frame, surveys: readonly PageSurvey[]) {
  const title = frame.say("surveys");
  const shown = {
    title,
    description: ideaBank.description,
    path: partPath(frame, "surveys"),
    current: "surveys",
  } as const;
  return respondPage(
    c,
    frame,
    <Layout frame={frame} {...shown}>
      <h1 class="page-unseen">{title}</h1>
      <ul class="page-surveys">
        {surveys.map(({ id, title, description }) => (
          <li>
            <a href={linkTo(frame, surveyPath(frame, id))}>
              <strong dir="auto">{title}</strong>
              {description && <span dir="auto">{firstLine(description)}</span>}
            </a>
          </li>
        ))}
      </ul>
    </Layout>,
  );
}

export function surveyPage(c: Context<AppEnv>, around: Frame, survey: PageSurvey) {
  const frame = { ...around, element: "survey" as const };
  const markup = surveyMarkup({ lang: frame.language, headingLevel: 1, survey });
  const { title } = survey;
  const shown = {
    title,
    description: firstLine(survey.description),
    path: surveyPath(frame, survey.id),
    current: "surveys",
  } as const;
  return respondPage(
    c,
    frame,
    <Layout frame={frame} {...shown}>
      <Element
        frame={frame}
        name="survey"
        markup={markup}
        initial={{ survey }}
        attributes={{ survey: survey.id, layout: "all" }}
      />
    </Layout>,
  );
}
