/** `/account/surveys/{id}`: a draft as it would be opened; then its results; and what is done to the whole survey. */
import type { Context } from "hono";
import { loadNames } from "../../database/activity/found-events.ts";
import { loadIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { loadQueued } from "../../database/proposals/queue.ts";
import { countAskable } from "../../database/surveys/asked-people.ts";
import {
  listKnownTexts,
  loadMatchingResults,
  loadResults,
  type ReadResults,
} from "../../database/surveys/survey-responses.ts";
import { SURVEYS as ROWS } from "../../database/surveys/surveys.ts";
import { invalid } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import type { Survey } from "../../model/survey.ts";
import { hasTexts, resultsOf } from "../../model/survey-answers.ts";
import type { SurveyText } from "../../model/survey-response.ts";
import { Problem } from "../../problem.ts";
import type { Session } from "../../store/session.ts";
import { createByRules, draftOf } from "../../surveys/survey-writes.ts";
import { openOwn } from "../account-databases.ts";
import { Confirm } from "../frame/confirm.tsx";
import { decide, orNotFound, requireDone } from "../frame/decide.ts";
import { Done } from "../frame/done.tsx";
import { Fact } from "../frame/fact.tsx";
import { formKey, Once } from "../frame/form-key.tsx";
import { useMay, useMayExport } from "../frame/frame.ts";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { Time, ZonedTime } from "../frame/times.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { readVisit, withParameter } from "../frame/visit.ts";
import { counted, number } from "../frame/words.ts";
import type { Own, OwnerEnv } from "../owner-env.ts";
import { type Filter, FilterForm, FilterShown, filterOf, withFilter } from "./asked-filter.tsx";
import type { AskableIdea } from "./builder.tsx";
import { changeSurvey } from "./change-survey.ts";
import { Opening, OpenState } from "./opening.tsx";
import { Preview, PreviewScript } from "./preview.tsx";
import { Results } from "./results.tsx";
import { loadOwnSurvey, SURVEY, SurveyNav, SurveyStatusPill, surveyIdOf } from "./survey-nav.tsx";
import { ideaOfOption, SURVEYS } from "./survey-words.ts";

/** Of a question, so many texts stand on the page; and so many questions have theirs there. With a filter each is searched for them. */
const FIRST_TEXTS = { limit: 5, after: undefined };
const WITH_TEXTS_AT_MOST = 20;
const SEARCHED_AT_MOST = 5;

type Found = {
  readonly filter: Filter | undefined;
  readonly read: ReadResults;
  readonly texts: ReadonlyMap<string, readonly SurveyText[]>;
};

export const SURVEY_PAGE = page({
  path: SURVEY,

  load: async (c) => {
    const visit = readVisit(c);
    const surveyId = surveyIdOf(c);
    const own = await openOwn(c);
    const { session, accountId } = own;
    const [survey, all, done] = await Promise.all([
      loadOwnSurvey(c),
      loadResults(session, { accountId, surveyId }),
      loadJustDone(own, visit, Date.now()),
    ]);
    const { ideaBankId, audience, status } = survey;
    const ideaIds = survey.questions.flatMap((question) =>
      "options" in question ? question.options.flatMap(({ id }) => ideaOfOption(id) ?? []) : [],
    );
    const [board, [idea], people, found, names] = await Promise.all([
      ideaBankId === null ? null : loadIdeaBank(session, accountId, ideaBankId),
      audience === null ? [] : loadQueued(session, { accountId, ids: [audience.votersOf] }),
      audience === null && ideaBankId !== null && status !== "CLOSED" ? countAskable(session, accountId) : undefined,
      findResults(own, survey, { all: orNotFound(all), only: c.req.query("only") }),
      loadNames(session, accountId, ideaIds),
    ]);
    return { survey, board: board ?? undefined, idea, people, ...found, names, done };
  },

  view: (props) => {
    const { survey, done } = props;
    const hasBeenOpen = survey.openedAt !== null;
    return (
      <Layout title={survey.title} part="Survey" current="surveys" aside={<SurveyStatusPill status={survey.status} />}>
        <SurveyNav survey={survey} current="" />
        <Done done={done} />
        {survey.ideaBankId === null && <Elsewhere survey={survey} />}
        {survey.ideaBankId !== null && survey.status !== "OPEN" && <Opening {...props} />}
        {survey.ideaBankId !== null && survey.status === "OPEN" && <OpenState {...props} />}
        {survey.ideaBankId !== null && hasBeenOpen && <Numbers {...props} />}
        {survey.ideaBankId !== null && !hasBeenOpen && <AsDraft survey={survey} />}
        <Actions survey={survey} />
      </Layout>
    );
  },

  act: async (c) => {
    const surveyId = surveyIdOf(c);
    const fields = await readForm(c);
    const what = fields.get("do");
    if (what === "copy") return copy(c, fields);
    if (what === "delete") {
      const { answer, eventId } = await decide(c, { kind: "survey", id: surveyId }, ({ session, accountId }) =>
        ROWS.delete(session, { accountId, id: surveyId, seen: undefined }),
      );
      requireDone(answer);
      return c.redirect(withParameter(SURVEYS, "undo", eventId), 303);
    }
    if (what !== "open" && what !== "close") throw invalid([{ path: "do", message: "is not known" }]);
    const status = what === "open" ? "OPEN" : "CLOSED";
    const event = await changeSurvey(c, surveyId, { status });
    return c.redirect(withParameter(`${SURVEYS}/${surveyId}`, "undo", event), 303);
  },
});

/** The results, or those of the filter, and the first texts of them. */
async function findResults(
  { session, accountId }: Own,
  survey: Survey,
  { all, only }: { readonly all: ReadResults; readonly only: string | undefined },
): Promise<Found> {
  const { id: surveyId, anonymous, status } = survey;
  const filter = anonymous && status !== "CLOSED" ? undefined : filterOf(only, survey.questions);
  const key = filter?.key;
  const [read, texts] = await Promise.all([
    key === undefined ? all : loadMatchingResults(session, { accountId, surveyId, key }),
    all.shown === 0 || (anonymous && key !== undefined) ? [] : firstTexts(session, { accountId, survey, key }),
  ]);
  return { filter, read: orNotFound(read), texts: new Map(texts) };
}

const firstTexts = (
  session: Session,
  { accountId, survey, key }: { readonly accountId: string; readonly survey: Survey; readonly key: string | undefined },
) =>
  Promise.all(
    survey.questions
      .filter(hasTexts)
      .slice(0, key === undefined ? WITH_TEXTS_AT_MOST : SEARCHED_AT_MOST)
      .map(async ({ id: question }) => {
        const asked = { accountId, surveyId: survey.id, question, q: undefined, anonymous: survey.anonymous };
        const { items } = await listKnownTexts(session, { ...asked, key, request: FIRST_TEXTS });
        return [question, items] as const;
      }),
  );

/** Makes a draft with the same questions, and leads to its form. */
async function copy(c: Context<OwnerEnv>, fields: URLSearchParams): Promise<Response> {
  const of = await loadOwnSurvey(c);
  const input = draftOf(of);
  const idempotencyKey = await formKey(c, fields);
  const { answer } = await decide(c, { kind: "survey" }, ({ session, accountId, id, now }) =>
    createByRules(session, { accountId, id, input, now, idempotencyKey }, of),
  );
  if (!("outcome" in answer)) throw new Problem("conflict", { detail: "This form was sent before." });
  return c.redirect(`${SURVEYS}/${answer.outcome.id}${input.ideaBankId === null ? "" : "/edit"}`, 303);
}

type SurveyProps = { readonly survey: Survey };

/** Its questions and answers are not here. */
const Elsewhere = ({ survey: { url, createdAt } }: SurveyProps) => (
  <>
    <p class="lead">This survey is answered elsewhere, so its questions and results aren’t here.</p>
    <dl>
      <Fact name="Answered at">
        {url === null ? (
          "No address"
        ) : (
          <a href={url} target="_blank" rel="noopener">
            {url}
          </a>
        )}
      </Fact>
      <Fact name="Created">
        <Time at={createdAt} />
      </Fact>
    </dl>
  </>
);

const AsDraft = ({ survey }: SurveyProps) => (
  <section aria-labelledby="preview">
    <h2 id="preview">Preview</h2>
    {survey.questions.length === 0 ? (
      <p class="hint">No questions yet.</p>
    ) : (
      <>
        <p class="hint">Try it: nothing you answer here is stored.</p>
        <Preview survey={survey} questions={survey.questions} />
        <PreviewScript />
      </>
    )}
  </section>
);

type NumbersProps = SurveyProps &
  Found & {
    readonly names: ReadonlyMap<string, string>;
    /** Its voters are asked. */
    readonly idea: AskableIdea | undefined;
  };

const Numbers = ({ survey, filter, read, texts, names, idea }: NumbersProps) => {
  const path = `${SURVEYS}/${survey.id}`;
  const { anonymous, status, questions, responses } = survey;
  const isFew = !read.tooFew && read.shown === 0;
  return (
    <>
      <dl class="numbers">
        <div>
          <dt>{filter ? "Responses in the filter" : "Responses"}</dt>
          <dd>
            <strong>{read.tooFew ? "–" : number(filter ? read.shown : responses)}</strong>
            {filter && <span class="hint">{`of ${number(responses)} in all`}</span>}
            {!filter && idea && <span class="hint">{`of ${counted(idea.votes, "vote")}`}</span>}
            {!filter && anonymous && !read.tooFew && read.shown !== responses && (
              <span class="hint">{`${number(read.shown)} of them are counted below`}</span>
            )}
          </dd>
        </div>
        <div>
          <dt>Opened</dt>
          <dd>{survey.openedAt && <Time at={survey.openedAt} />}</dd>
        </div>
        <div>
          <dt>Closes</dt>
          <dd>{survey.closesAt === null ? "When you close it" : <ZonedTime at={survey.closesAt} look="medium" />}</dd>
        </div>
      </dl>
      {anonymous && <p class="hint">{anonymousInWords(status)}</p>}
      {responses > 0 && (
        <div class="tools no-print">
          {(!anonymous || status === "CLOSED") && <FilterForm path={path} questions={questions} filter={filter} />}
          {!anonymous && useMayExport("responses") && (
            <a class="button" href={withFilter(`${path}/responses.csv`, filter?.key)}>
              Download CSV
            </a>
          )}
        </div>
      )}
      {filter && (
        <p class="notice">
          <FilterShown filter={filter} clear={path} />
          {!read.tooFew && !read.complete && <span class="hint"> Searched the newest 5,000 responses.</span>}
        </p>
      )}
      {read.tooFew ? (
        <p class="notice">
          {read.complete
            ? "Some answer to this question was given by fewer than five people, or not given by fewer than five. So few aren’t shown, because somebody could be told apart."
            : "An anonymous survey with more than 5,000 responses can’t be filtered: among the newest, somebody could be told apart."}
        </p>
      ) : isFew ? (
        <p class="notice">{anonymous && responses > 0 ? "Not enough responses to show yet." : "No responses yet."}</p>
      ) : (
        <Results
          {...{ path, questions, filter, texts, ideas: names, ideaBankId: survey.ideaBankId }}
          results={resultsOf(read.survey.questions, read.totals, read.shown)}
          canFilter={!anonymous || status === "CLOSED"}
          hidesTexts={anonymous && filter !== undefined}
        />
      )}
    </>
  );
};

const anonymousInWords = (status: Survey["status"]): string =>
  status === "CLOSED"
    ? "Anonymous: there’s no list of who answered what, and a filter needs five people inside and five outside."
    : "Anonymous: the numbers move in steps of five responses, so that nobody’s answer can be told from the difference. Filters come when the survey is closed.";

const Actions = ({ survey: { id, status, anonymous, ideaBankId, responses } }: SurveyProps) => {
  if (!useMay("member")) return null;
  const goes =
    responses === 0
      ? "Its questions go"
      : `Its questions and ${responses === 1 ? "1 response" : `${number(responses)} responses`} go`;
  return (
    <form method="post" action={`${SURVEYS}/${id}`} class="actions no-print">
      <Once />
      {status === "OPEN" && !anonymous && (
        <button type="submit" name="do" value="close">
          Close survey
        </button>
      )}
      {status === "OPEN" && anonymous && (
        <details>
          <summary>Close survey…</summary>
          <p>An anonymous survey can’t be opened again, because what ties answers to people is destroyed.</p>
          <button type="submit" name="do" value="close">
            Close for good
          </button>
        </details>
      )}
      {ideaBankId === null && status !== "OPEN" && (
        <button type="submit" name="do" value="open">
          Open survey
        </button>
      )}
      <button type="submit" name="do" value="copy">
        Copy to ask something else
      </button>
      <Confirm says={`${goes} with it. You can’t undo this.`} buttons={[["delete", "Delete this survey"]]} />
    </form>
  );
};
