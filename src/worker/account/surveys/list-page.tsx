/** `/account/surveys`: every survey, with its board, status, responses and end. */
import { listIdeaBanks } from "../../database/idea-banks/idea-banks.ts";
import { BANKS_AT_MOST } from "../../database/proposals/queue.ts";
import { SURVEYS as ROWS } from "../../database/surveys/surveys.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { SURVEY_STATUSES, type Survey, SurveyQuery } from "../../model/survey.ts";
import { openOwn } from "../account-databases.ts";
import { Done } from "../frame/done.tsx";
import { useMay } from "../frame/frame.ts";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { Pager } from "../frame/pager.tsx";
import { Table } from "../frame/table.tsx";
import { ZonedTime } from "../frame/times.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { readVisit } from "../frame/visit.ts";
import { BANK_STATUSES, number } from "../frame/words.ts";
import { SurveyStatusPill } from "./survey-nav.tsx";
import { SURVEYS } from "./survey-words.ts";

export const SURVEYS_PAGE = page({
  path: SURVEYS,

  load: async (c) => {
    const visit = readVisit(c);
    const { query, page: request } = await readPage(c, SurveyQuery);
    const own = await openOwn(c);
    const { session, accountId } = own;
    const { limit: _, cursor: __, ...filters } = query;
    const [{ items, next }, boards, done] = await Promise.all([
      ROWS.list(session, { ...filters, accountId, request }),
      listIdeaBanks(session, { accountId, request: { limit: BANKS_AT_MOST, after: undefined } }),
      loadJustDone(own, visit, Date.now()),
    ]);
    return { surveys: items, boards: boards.items, filters, next: await nextCursor(c, next), done };
  },

  view: ({ surveys, boards, filters, next, done }) => {
    const isFiltered = Object.values(filters).some((value) => value !== undefined);
    const names = new Map(boards.map(({ id, name }) => [id, name]));
    return (
      <Layout
        title="Surveys"
        current="surveys"
        aside={
          useMay("member") && (
            <a class="button primary" href={`${SURVEYS}/new`}>
              New survey
            </a>
          )
        }
      >
        <Done done={done} />
        {(surveys.length > 0 || isFiltered) && (
          <search>
            <form method="get" action={SURVEYS} class="filters">
              <label>
                Board
                <select name="ideaBankId">
                  <option value="">All boards</option>
                  {boards.map(({ id, name }) => (
                    <option value={id} selected={id === filters.ideaBankId}>
                      {name}
                    </option>
                  ))}
                </select>
              </label>
              <label>
                Status
                <select name="status">
                  <option value="">Any</option>
                  {SURVEY_STATUSES.map((status) => (
                    <option value={status} selected={status === filters.status}>
                      {BANK_STATUSES[status][0]}
                    </option>
                  ))}
                </select>
              </label>
              <button type="submit">Filter</button>
              {isFiltered && <a href={SURVEYS}>Clear filters</a>}
            </form>
          </search>
        )}
        {surveys.length === 0 ? (
          <p class="notice">
            {isFiltered ? "No surveys match." : "Ask the people on your boards, or only the voters of an idea."}
          </p>
        ) : (
          <Table columns={["Survey", "Board", "Status", { number: "Responses" }, "Closes"]}>
            {surveys.map((survey) => (
              <Row survey={survey} board={names.get(survey.ideaBankId ?? "")} />
            ))}
          </Table>
        )}
        <Pager next={next && `${SURVEYS}?${pageOf(filters, next)}`} />
      </Layout>
    );
  },
});

function pageOf(filters: object, next: string): URLSearchParams {
  const given = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return new URLSearchParams([["cursor", next], ...given]);
}

const Row = ({ survey, board }: { readonly survey: Survey; readonly board: string | undefined }) => (
  <tr>
    <th scope="row">
      <a href={`${SURVEYS}/${survey.id}`}>
        <bdi>{survey.title}</bdi>
      </a>
    </th>
    <td>
      {survey.ideaBankId === null ? (
        <span class="hint">Answered elsewhere</span>
      ) : (
        <bdi>{board ?? survey.ideaBankId}</bdi>
      )}
    </td>
    <td>
      <SurveyStatusPill status={survey.status} />
    </td>
    <td class="number" data-of={survey.responses === 1 ? "response" : "responses"}>
      {survey.ideaBankId === null ? "" : number(survey.responses)}
    </td>
    <td>{survey.closesAt !== null && <ZonedTime at={survey.closesAt} look="medium" />}</td>
  </tr>
);
