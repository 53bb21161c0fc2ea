/** The results of a survey's questions, each with its chart. Shares are of those who answered the question. */
import type { Child } from "hono/jsx";
import type { NpsResult, Question, QuestionResult, Questions, Scale } from "../../model/survey-answers.ts";
import { hasTexts, otherKey, valueKey } from "../../model/survey-answers.ts";
import type { SurveyText } from "../../model/survey-response.ts";
import { Time } from "../frame/times.tsx";
import { number } from "../frame/words.ts";
import { type Filter, FilterShown, withFilter } from "./asked-filter.tsx";
import { ideaOfOption, OTHER, ofThem, share } from "./survey-words.ts";

type ResultsProps = {
  /** The page. */
  readonly path: string;
  readonly questions: Questions;
  readonly results: readonly QuestionResult[];
  readonly filter: Filter | undefined;
  /** An answer can be chosen as the filter. */
  readonly canFilter: boolean;
  /** The first texts of each question. */
  readonly texts: ReadonlyMap<string, readonly SurveyText[]>;
  /** The texts are not those of the filter, because a text tells who wrote it. */
  readonly hidesTexts: boolean;
  /** The ideas that options lead to, and the board that they are on. */
  readonly ideas: ReadonlyMap<string, string>;
  readonly ideaBankId: string | null;
};

export const Results = (props: ResultsProps) => (
  <>
    {props.questions.map((question, index) => {
      const result = props.results.find(({ id }) => id === question.id);
      return result && <Result {...props} question={question} result={result} place={index + 1} />;
    })}
    <p class="hint">
      Percentages are of those who answered the question. They’re rounded, so they may not add up to 100.
    </p>
  </>
);

type ResultProps = ResultsProps & {
  readonly question: Question;
  readonly result: QuestionResult;
  readonly place: number;
};

const Result = (props: ResultProps) => {
  const { question, result, place, filter, path } = props;
  const heading = `result-${question.id}`;
  return (
    <section class="result" aria-labelledby={heading}>
      <h2 id={heading} dir="auto">
        {`${place}. ${question.title}`}
      </h2>
      <p class="hint">
        {countsInWords(result)}
        {question.kind === "choices" && ". People could choose several"}
        {filter && (
          <>
            {" · "}
            <FilterShown filter={filter} clear={path} />
          </>
        )}
      </p>
      {question.kind === "scale" && <ScaleChart {...props} question={question} />}
      {"options" in question && <OptionChart {...props} question={question} />}
      {hasTexts(question) && <Texts {...props} />}
    </section>
  );
};

/** "120 answered, 3 skipped it, 17 didn’t see it". */
const countsInWords = ({ answered, skipped, notShown }: QuestionResult): string =>
  [
    `${number(answered)} answered`,
    skipped > 0 && `${number(skipped)} skipped it`,
    notShown > 0 && `${number(notShown)} didn’t see it`,
  ]
    .filter(Boolean)
    .join(", ");

type BarProps = { readonly count: number; readonly of: number; readonly children?: Child; readonly isChosen: boolean };

const Row = ({ count, of, isChosen, children }: BarProps) => (
  <tr class={isChosen ? "chosen" : undefined}>
    <th scope="row">{children}</th>
    <td class="bar">
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="admitted" width={of === 0 ? 0 : (100 * count) / of} height={10} />
      </svg>
    </td>
    <td class="number">{ofThem(count, of)}</td>
    <td class="number">
      <strong>{share(count, of)}</strong>
    </td>
  </tr>
);

const Chart = ({ look = "", children }: { readonly look?: "points" | ""; readonly children?: Child }) => (
  <table class={`chart ${look}`}>
    <thead class="unseen">
      <tr>
        <th scope="col">Answer</th>
        <th scope="col">Bar</th>
        <th scope="col">Number</th>
        <th scope="col">Share</th>
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);

/** `of`: the key of the totals. */
type AnswerProps = Pick<ResultProps, "path" | "filter" | "canFilter"> & { readonly of: string; readonly label: string };

/** An answer, which is also the way to only those who gave it. */
const Answer = ({ path, filter, canFilter, of, label }: AnswerProps) =>
  canFilter && filter?.key !== of ? (
    <a href={withFilter(path, of)} title={`Only those who chose “${label}”`}>
      <bdi>{label}</bdi>
    </a>
  ) : (
    <bdi>{label}</bdi>
  );

const OptionChart = (props: ResultProps & { readonly question: Extract<Question, { options: unknown }> }) => {
  const { question, result, filter, ideas, ideaBankId } = props;
  const { id } = question;
  const countOf = (option: string) => result.options?.find((each) => each.id === option)?.count ?? 0;
  const other = otherKey(id);
  return (
    <Chart>
      {question.options.map((option) => {
        const key = valueKey(id, option.id);
        const idea = ideaOfOption(option.id);
        return (
          <Row count={countOf(option.id)} of={result.answered} isChosen={filter?.key === key}>
            <Answer {...props} of={key} label={option.label} />
            {idea !== undefined && ideas.has(idea) && (
              <>
                {" "}
                <a
                  class="hint"
                  href={`/account/idea-banks/${ideaBankId}/ideas/${idea}`}
                  aria-label={`Open the idea “${option.label}”`}
                >
                  Idea
                </a>
              </>
            )}
          </Row>
        );
      })}
      {question.other && (
        <Row count={result.other ?? 0} of={result.answered} isChosen={filter?.key === other}>
          <Answer {...props} of={other} label={OTHER} />
        </Row>
      )}
    </Chart>
  );
};

const ScaleChart = (props: ResultProps & { readonly question: Scale }) => {
  const { question, result, filter } = props;
  return (
    <>
      {result.nps ? (
        <Nps nps={result.nps} answered={result.answered} />
      ) : (
        result.mean != null && (
          <p class="mean">
            <strong>{result.mean.toLocaleString("en", { maximumFractionDigits: 1 })}</strong>
            {` on average, from ${question.from} to ${question.to}`}
          </p>
        )
      )}
      <Chart look="points">
        {result.points?.map(({ value, count }) => {
          const key = valueKey(question.id, value);
          return (
            <Row count={count} of={result.answered} isChosen={filter?.key === key}>
              <Answer {...props} of={key} label={String(value)} />
            </Row>
          );
        })}
      </Chart>
      <Ends question={question} />
      {result.nps && result.mean != null && (
        <p class="hint">{`${result.mean.toLocaleString("en", { maximumFractionDigits: 1 })} on average`}</p>
      )}
    </>
  );
};

/** "0: Not at all · 10: Very likely". */
const Ends = ({ question: { from, to, lowLabel, highLabel } }: { readonly question: Scale }) => {
  const ends = [lowLabel && `${from}: ${lowLabel}`, highLabel && `${to}: ${highLabel}`].filter(Boolean);
  return ends.length === 0 ? null : (
    <p class="hint" dir="auto">
      {ends.join(" · ")}
    </p>
  );
};

/** "+30". */
const signed = (score: number): string => (score > 0 ? `+${score}` : String(score).replace("-", "−"));

const Nps = ({ nps, answered }: { readonly nps: NpsResult; readonly answered: number }) => {
  if (nps.score === null) return null;
  const parts = [
    ["detractors", "Detractors (0 to 6)", nps.detractors],
    ["passives", "Passives (7 and 8)", nps.passives],
    ["promoters", "Promoters (9 and 10)", nps.promoters],
  ] as const;
  let from = 0;
  return (
    <div class="nps">
      <p class="mean">
        <strong>{signed(nps.score)}</strong> Net Promoter Score, from −100 to 100
      </p>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        {parts.map(([name, , count]) => {
          const [x, width] = [from, (100 * count) / answered];
          from += width;
          return <rect class={name} x={x} width={width} height={10} />;
        })}
      </svg>
      <ul>
        {parts.map(([name, words, count]) => (
          <li class={name}>{`${words}: ${ofThem(count, answered)}, ${share(count, answered)}`}</li>
        ))}
      </ul>
    </div>
  );
};

const Texts = ({ question, result, texts, hidesTexts, path, filter }: ResultProps) => {
  const shown = texts.get(question.id) ?? [];
  const count = question.kind === "text" ? result.answered : (result.other ?? 0);
  if (count === 0) return null;
  if (hidesTexts)
    return <p class="hint">Texts aren’t shown with a filter, because together they could tell who wrote them.</p>;
  return (
    <>
      {question.kind !== "text" && <h3>{OTHER}</h3>}
      <TextList texts={shown} />
      <p class="no-print">
        <a href={withFilter(`${path}/texts`, filter?.key, { question: question.id })}>Search all texts</a>
      </p>
    </>
  );
};

export const TextList = ({ texts }: { readonly texts: readonly SurveyText[] }) => (
  <ol class="events texts">
    {texts.map(({ text, panelistId, createdAt }) => (
      <li>
        <p dir="auto" class="pending-text">
          {text}
        </p>
        {panelistId !== undefined && createdAt !== undefined && (
          <p class="hint">
            <Time at={createdAt} />
            <span class="no-print"> · </span>
            <a class="no-print" href={`/account/people/${panelistId}`}>
              See who wrote it
            </a>
          </p>
        )}
      </li>
    ))}
  </ol>
);
