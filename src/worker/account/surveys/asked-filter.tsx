/** "Only those who chose …": the filter that the results, the texts and the file of responses share, as it stands in their addresses. */
import { otherKey, type Question, type Questions, valueKey } from "../../model/survey-answers.ts";
import { choicesOf, OTHER } from "./survey-words.ts";

/** `key`: that of the totals, such as `next=dark`. */
export type Filter = { readonly key: string; readonly words: string };

/** Undefined without a filter, and for one that the survey does not have. */
export function filterOf(only: string | undefined, questions: Questions): Filter | undefined {
  const [key, words] = questions.flatMap(keysOf).find(([each]) => each === only) ?? [];
  return key === undefined || words === undefined ? undefined : { key, words };
}

/** The address, with the filter and whatever else is chosen. */
export function withFilter(
  path: string,
  key: string | undefined,
  others: Readonly<Record<string, string>> = {},
): string {
  const parameters = new URLSearchParams({ ...(key !== undefined && { only: key }), ...others });
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

export const FilterShown = ({ filter, clear }: { readonly filter: Filter; readonly clear: string }) => (
  <span class="only">
    Only “<bdi>{filter.words}</bdi>” <a href={clear}>Clear</a>
  </span>
);

type FormProps = { readonly path: string; readonly questions: Questions; readonly filter: Filter | undefined };

/** By an answer of any question that has answers to choose. */
export const FilterForm = ({ path, questions, filter }: FormProps) => {
  const choosable = questions.filter(({ kind }) => kind !== "text");
  return choosable.length === 0 ? null : (
    <search>
      <form method="get" action={path} class="filters">
        <label>
          Only those who chose
          <select name="only">
            <option value="">Everybody</option>
            {choosable.map((question) => (
              <optgroup label={question.title}>
                {keysOf(question).map(([key, label]) => (
                  <option value={key} selected={key === filter?.key}>
                    {label}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        </label>
        <button type="submit">Filter</button>
      </form>
    </search>
  );
};

const keysOf = (question: Question): readonly (readonly [key: string, label: string])[] => [
  ...choicesOf(question).map(([value, label]) => [valueKey(question.id, value), label] as const),
  ...("other" in question && question.other ? [[otherKey(question.id), OTHER] as const] : []),
];
