/** `/account/surveys/{id}/texts`: what people wrote in answer to a question, newest first, with search. */
import * as z from "zod/mini";
import { listKnownTexts } from "../../database/surveys/survey-responses.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { PAGE_PARAMETERS } from "../../model/pagination.ts";
import { hasTexts } from "../../model/survey-answers.ts";
import { Search } from "../../model/text.ts";
import { openOwn } from "../account-databases.ts";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { Pager } from "../frame/pager.tsx";
import { readVisit } from "../frame/visit.ts";
import { FilterShown, filterOf, withFilter } from "./asked-filter.tsx";
import { TextList } from "./results.tsx";
import { loadOwnSurvey, SURVEY, SurveyNav } from "./survey-nav.tsx";
import { SURVEYS } from "./survey-words.ts";

const Query = z.strictObject({
  ...PAGE_PARAMETERS,
  question: z.optional(z.string()),
  q: z.optional(Search),
  only: z.optional(z.string()),
});

export const SURVEY_TEXTS_PAGE = page({
  path: `${SURVEY}/texts`,

  load: async (c) => {
    readVisit(c);
    const { query, page: request } = await readPage(c, Query);
    const survey = await loadOwnSurvey(c);
    const { session, accountId } = await openOwn(c);
    const asking = survey.questions.filter(hasTexts);
    const question = asking.find(({ id }) => id === query.question) ?? asking[0];
    const { anonymous } = survey;
    // Which texts belong together could tell who wrote them.
    const filter = anonymous ? undefined : filterOf(query.only, survey.questions);
    const asked = { accountId, surveyId: survey.id, question: question?.id ?? "", q: query.q, anonymous };
    const { items, next } =
      question === undefined
        ? { items: [], next: undefined }
        : await listKnownTexts(session, { ...asked, key: filter?.key, request });
    return { survey, asking, question, q: query.q, filter, items, next: await nextCursor(c, next) };
  },

  view: ({ survey, asking, question, q, filter, items, next }) => {
    const results = `${SURVEYS}/${survey.id}`;
    const path = `${results}/texts`;
    const chosen = { ...(question && { question: question.id }), ...(q && { q }) };
    return (
      <Layout title={survey.title} part="Texts" current="surveys">
        <SurveyNav survey={survey} current="texts" />
        <p>
          <a href={withFilter(results, filter?.key)}>Back to the results</a>
        </p>
        {question === undefined ? (
          <p class="notice">No question of this survey is answered in words.</p>
        ) : (
          <search>
            <form method="get" action={path} class="filters">
              <label>
                Question
                <select name="question">
                  {asking.map(({ id, title }) => (
                    <option value={id} selected={id === question.id}>
                      {title}
                    </option>
                  ))}
                </select>
              </label>
              <label>
                Search
                <input type="search" name="q" value={q ?? ""} maxlength={200} />
              </label>
              {filter && <input type="hidden" name="only" value={filter.key} />}
              <button type="submit">Search</button>
              {q && <a href={withFilter(path, filter?.key, { question: question.id })}>Clear search</a>}
            </form>
          </search>
        )}
        {filter && (
          <p class="notice">
            <FilterShown filter={filter} clear={withFilter(path, undefined, chosen)} />
          </p>
        )}
        {question !== undefined && items.length === 0 && (
          <p class="notice">
            {next
              ? "Nothing matches among the newest. Look further back."
              : q || filter
                ? "No texts match."
                : "No texts yet."}
          </p>
        )}
        <TextList texts={items} />
        <Pager next={next && withFilter(path, filter?.key, { ...chosen, cursor: next })} />
      </Layout>
    );
  },
});
