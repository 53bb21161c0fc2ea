/** One question in the form of a survey: the fields of its kind, and the buttons that move it. */
import type { FieldError } from "../../http/invalid-request.ts";
import type { Question, Questions } from "../../model/survey-answers.ts";
import { OPTIONS } from "../../model/survey-question.ts";
import { described, Field, messageFor } from "../frame/field.tsx";
import { conditionInWords, KINDS } from "./survey-words.ts";

type Props = {
  readonly id: string;
  readonly index: number;
  readonly count: number;
  readonly fields: URLSearchParams;
  readonly errors: readonly FieldError[];
  readonly focus: string | undefined;
  /** The identifiers of the earlier questions. */
  readonly before: readonly string[];
  /** The questions that stay, because the survey has been open. */
  readonly fixed: Questions;
};

/** `stays`: the question has been asked already, so only its texts change. */
type PartProps = Props & { readonly stays: Question | undefined };

export const QuestionFields = (props: Props) => {
  const { id, index, fields, errors, focus } = props;
  const kind = (fields.get(`kind:${id}`) ?? "text") as Question["kind"];
  const stays = props.fixed.find((question) => question.id === id);
  const part = { ...props, stays };
  const title = messageFor(errors, `title:${id}`);
  return (
    <fieldset class="create question" data-question={stays ? undefined : id}>
      <legend>
        <span class="unseen">Question </span>
        <span class="place">{index + 1}</span>
        <span class="pill">{KINDS[kind]}</span>
      </legend>
      <input type="hidden" name="question" value={id} />
      <input type="hidden" name={`kind:${id}`} value={kind} />
      {stays === undefined && <Move {...props} />}
      <Field name={`title:${id}`} label="Question" message={title}>
        <input
          id={`title:${id}`}
          name={`title:${id}`}
          value={fields.get(`title:${id}`) ?? ""}
          maxlength={200}
          autocomplete="off"
          dir="auto"
          autofocus={focus === `title:${id}`}
          {...described(`title:${id}`, title)}
        />
      </Field>
      {(kind === "choice" || kind === "choices") && <Options {...part} kind={kind} />}
      {kind === "scale" && <Scale {...part} />}
      <div class="switches">
        {kind === "text" && <Switch fields={fields} name={`long:${id}`} label="Several lines" />}
        {stays === undefined ? (
          // A survey that has been open takes no new question that must be answered.
          props.fixed.length === 0 && <Switch fields={fields} name={`required:${id}`} label="Required" />
        ) : (
          <>
            {stays.required && <input type="hidden" name={`required:${id}`} value="on" />}
            <span class="hint">{stays.required ? "Required" : "Not required"}</span>
          </>
        )}
      </div>
      <details open={Boolean(fields.get(`help:${id}`) || fields.get(`showIf:${id}`) || focus === `showIf:${id}`)}>
        <summary>More</summary>
        <More {...part} />
      </details>
    </fieldset>
  );
};

type SwitchProps = { readonly fields: URLSearchParams; readonly name: string; readonly label: string };

const Switch = ({ fields, name, label }: SwitchProps) => (
  <label class="choice">
    <input type="checkbox" name={name} checked={fields.has(name)} />
    <span>{label}</span>
  </label>
);

type ActProps = {
  readonly act: string;
  readonly label: string;
  /** On the button, if not the label. */
  readonly sign?: string;
  readonly of: string;
  readonly isOff?: boolean;
};

/** A button that changes the form and saves nothing. */
const Act = ({ act, label, sign = label, of, isOff = false }: ActProps) => (
  <button
    type="submit"
    name="do"
    value={act}
    class="small"
    aria-label={`${label} ${of}`}
    formnovalidate
    data-in-place
    disabled={isOff}
  >
    {sign}
  </button>
);

const Move = ({ id, index, count, fixed }: Props) => (
  <div class="buttons move">
    <Act act={`up:${id}`} label="Up" of={`question ${index + 1}`} isOff={index <= fixed.length} />
    <Act act={`down:${id}`} label="Down" of={`question ${index + 1}`} isOff={index === count - 1} />
    <Act act={`remove:${id}`} label="Remove" of={`question ${index + 1}`} />
  </div>
);

const Options = ({
  id,
  index,
  fields,
  errors,
  focus,
  stays,
  kind,
}: PartProps & { readonly kind: "choice" | "choices" }) => {
  const options = fields.getAll(`option:${id}`);
  const fixed = stays !== undefined && "options" in stays ? stays.options : [];
  return (
    <>
      <fieldset class="options">
        <legend>Options</legend>
        <ol>
          {options.map((option, place) => {
            const [name, alone] = [`label:${id}:${option}`, `alone:${id}:${option}`];
            const message = messageFor(errors, name);
            const isFixed = place < fixed.length;
            const of = `option ${place + 1} of question ${index + 1}`;
            return (
              <li>
                <input type="hidden" name={`option:${id}`} value={option} />
                <input
                  id={name}
                  name={name}
                  value={fields.get(name) ?? ""}
                  aria-label={`Option ${place + 1}`}
                  maxlength={200}
                  autocomplete="off"
                  dir="auto"
                  autofocus={focus === name}
                  {...described(name, message)}
                />
                {isFixed && <input type="hidden" name={`kept:${id}`} value={option} />}
                {isFixed && fields.has(alone) && <input type="hidden" name={alone} value="on" />}
                {kind === "choices" && !isFixed && (
                  <label class="choice">
                    <input type="checkbox" name={alone} checked={fields.has(alone)} />
                    <span>Excludes the others</span>
                  </label>
                )}
                {!isFixed && (
                  <Act act={`upOption:${id}:${option}`} label="Up" sign="↑" of={of} isOff={place <= fixed.length} />
                )}
                {!isFixed && <Act act={`removeOption:${id}:${option}`} label="Remove" sign="✕" of={of} />}
                {message && (
                  <p id={`${name}-hint`} class="error">
                    {message}
                  </p>
                )}
              </li>
            );
          })}
        </ol>
        {options.length < OPTIONS.max && (
          <Act act={`addOption:${id}`} label="Add option" of={`to question ${index + 1}`} />
        )}
      </fieldset>
      <div class="switches">
        {stays !== undefined && "other" in stays && stays.other ? (
          <>
            <input type="hidden" name={`other:${id}`} value="on" />
            <span class="hint">With “Something else”</span>
          </>
        ) : (
          <Switch fields={fields} name={`other:${id}`} label="Add “Something else” with a field" />
        )}
      </div>
      {kind === "choices" && <Bounds {...{ id, fields, errors, stays }} />}
    </>
  );
};

const Bounds = ({ id, fields, errors, stays }: Pick<PartProps, "id" | "fields" | "errors" | "stays">) => (
  <div class="columns">
    {(["atLeast", "atMost"] as const).map((bound) => {
      const name = `${bound}:${id}`;
      const message = messageFor(errors, name);
      return (
        <Field name={name} label={bound === "atLeast" ? "At least" : "At most"} message={message}>
          <input
            id={name}
            name={name}
            type="number"
            min={bound === "atLeast" ? 0 : 1}
            max={31}
            value={fields.get(name) ?? ""}
            readonly={stays !== undefined}
            {...described(name, message)}
          />
        </Field>
      );
    })}
  </div>
);

const LOOKS = { points: "Points", stars: "Stars", nps: "Net Promoter Score (0 to 10)" };

const Scale = ({ id, fields, errors, stays }: PartProps) => {
  const look = fields.get(`look:${id}`) ?? "points";
  const [from, to] = [`from:${id}`, `to:${id}`];
  const message = messageFor(errors, to) ?? messageFor(errors, from);
  const choose = (name: string, values: readonly number[], other: string) => (
    <select name={name} id={name} aria-label={other} {...described(to, message)}>
      {values.map((value) => (
        <option value={value} selected={String(value) === fields.get(name)}>
          {value}
        </option>
      ))}
    </select>
  );
  return (
    <>
      <div class="columns scale-of">
        {stays?.kind === "scale" ? (
          <p class="hint">
            {[["look", look] as const, ["from", String(stays.from)] as const, ["to", String(stays.to)] as const].map(
              ([name, value]) => (
                <input type="hidden" name={`${name}:${id}`} value={value} />
              ),
            )}
            {`${LOOKS[look as keyof typeof LOOKS]}, ${stays.from} to ${stays.to}`}
          </p>
        ) : (
          <>
            <Field name={`look:${id}`} label="Shown as" message={undefined}>
              <select id={`look:${id}`} name={`look:${id}`}>
                {Object.entries(LOOKS).map(([value, name]) => (
                  <option value={value} selected={value === look}>
                    {name}
                  </option>
                ))}
              </select>
            </Field>
            <div class="field range">
              <span class="label">From, to</span>
              <div class="buttons">
                {choose(from, [0, 1], "First point")}
                {choose(to, [2, 3, 4, 5, 6, 7, 8, 9, 10], "Last point")}
              </div>
              {message && (
                <p id={`${to}-hint`} class="error">
                  {message}
                </p>
              )}
            </div>
          </>
        )}
      </div>
      <div class="columns">
        {(["lowLabel", "highLabel"] as const).map((end) => {
          const name = `${end}:${id}`;
          const wrong = messageFor(errors, name);
          return (
            <Field name={name} label={end === "lowLabel" ? "First point means" : "Last point means"} message={wrong}>
              <input
                id={name}
                name={name}
                value={fields.get(name) ?? ""}
                maxlength={100}
                autocomplete="off"
                dir="auto"
                {...described(name, wrong)}
              />
            </Field>
          );
        })}
      </div>
    </>
  );
};

const More = (props: PartProps) => {
  const { id, fields, errors, before, stays } = props;
  const help = `help:${id}`;
  const message = messageFor(errors, help);
  const sources = before.filter((each) => fields.get(`kind:${each}`) !== "text");
  return (
    <div class="more">
      <Field name={help} label="Help below the question" message={message}>
        <textarea id={help} name={help} rows={1} maxlength={500} dir="auto" {...described(help, message)}>
          {fields.get(help)}
        </textarea>
      </Field>
      {stays !== undefined ? (
        <StaysShown {...props} stays={stays} />
      ) : (
        sources.length > 0 && <ShowIf {...props} sources={sources} />
      )}
    </div>
  );
};

/** Whom the question is shown to stays, too. */
const StaysShown = ({ id, fields, stays, fixed }: PartProps & { readonly stays: Question }) => (
  <>
    <input type="hidden" name={`showIf:${id}`} value={fields.get(`showIf:${id}`) ?? ""} />
    {fields.getAll(`anyOf:${id}`).map((value) => (
      <input type="hidden" name={`anyOf:${id}`} value={value} />
    ))}
    <p class="hint" dir="auto">
      {conditionInWords(stays, fixed) ?? "Shown to everybody"}
    </p>
  </>
);

const ShowIf = ({
  id,
  index,
  fields,
  errors,
  before,
  focus,
  sources,
}: PartProps & { readonly sources: readonly string[] }) => {
  const name = `showIf:${id}`;
  const source = fields.get(name) ?? "";
  const message = messageFor(errors, name);
  const chosen = fields.getAll(`anyOf:${id}`);
  return (
    <>
      <Field name={name} label="Show" message={message}>
        <select id={name} name={name} data-refresh={name} autofocus={focus === name} {...described(name, message)}>
          <option value="">To everybody</option>
          {sources.map((each) => (
            <option value={each} selected={each === source}>
              {`Only after answers to question ${before.indexOf(each) + 1}${titleOf(fields, each)}`}
            </option>
          ))}
        </select>
      </Field>
      <button
        type="submit"
        name="do"
        value={`refresh:${name}`}
        class="link refresh"
        aria-label={`Choose the answers that show question ${index + 1}`}
        formnovalidate
        data-in-place
      >
        Choose the answers
      </button>
      {sources.includes(source) && (
        <fieldset class="switches">
          <legend>{`Shown after any of these answers to question ${before.indexOf(source) + 1}`}</legend>
          {answersOf(fields, source).length === 0 && <p class="hint">Write its options first.</p>}
          {answersOf(fields, source).map(([value, label]) => (
            <label class="choice">
              <input type="checkbox" name={`anyOf:${id}`} value={value} checked={chosen.includes(value)} />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
      )}
    </>
  );
};

const titleOf = (fields: URLSearchParams, id: string): string => {
  const title = fields.get(`title:${id}`)?.trim();
  return title ? `: ${title.length > 60 ? `${title.slice(0, 59)}…` : title}` : "";
};

/** The answers that the question has as it is in the form. */
function answersOf(fields: URLSearchParams, id: string): readonly (readonly [value: string, label: string])[] {
  if (fields.get(`kind:${id}`) === "scale") {
    const look = fields.get(`look:${id}`);
    const from = look === "nps" ? 0 : look === "stars" ? 1 : Number(fields.get(`from:${id}`));
    const to = look === "nps" ? 10 : Number(fields.get(`to:${id}`));
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => [
      String(from + index),
      String(from + index),
    ]);
  }
  return fields
    .getAll(`option:${id}`)
    .map((option) => [option, fields.get(`label:${id}:${option}`)?.trim() ?? ""] as const)
    .filter(([, label]) => label !== "");
}
