/** The form of a survey: its questions, whom it asks, and when it ends. Its own buttons change what is typed, and save nothing. */
import type { FieldError } from "../../http/invalid-request.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import type { Survey } from "../../model/survey.ts";
import { QUESTION_KINDS, type Questions } from "../../model/survey-answers.ts";
import { MAX_QUESTIONS } from "../../model/survey-question.ts";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { counted } from "../frame/words.ts";
import { Preview, type Previewed } from "./preview.tsx";
import { QuestionFields } from "./question-fields.tsx";
import { zoneOf } from "./survey-fields.ts";
import { ANONYMOUS, KINDS } from "./survey-words.ts";

/** An idea whose voters can be asked. */
export type AskableIdea = { readonly id: string; readonly title: string; readonly votes: number };

export type BuilderProps = {
  readonly fields: URLSearchParams;
  readonly errors: readonly FieldError[];
  /** The element that has the focus; the summary of errors has it first. */
  readonly focus: string | undefined;
  readonly boards: readonly IdeaBank[];
  readonly ideas: readonly AskableIdea[];
  /** The survey that is edited; undefined for a new one. */
  readonly survey: Survey | undefined;
  /** The values with which the form was opened, and those of the questions. */
  readonly was: string;
  readonly opened: string;
  /** The survey as it is typed, if its preview is shown. Those of its questions that are whole can be read without JavaScript. */
  readonly preview?: Previewed | undefined;
  readonly readable?: Questions;
};

type Props = BuilderProps & { readonly action: string; readonly label: string; readonly once?: string };

export const Builder = (props: Props) => {
  const { fields, errors, focus, survey, was, opened, action, label, once, preview, readable = [] } = props;
  const questions = fields.getAll("question");
  const fixed = survey?.openedAt != null ? survey.questions : [];
  const [title, description] = [messageFor(errors, "title"), messageFor(errors, "description")];
  return (
    <form method="post" action={action} class="builder" data-builder>
      {/* What Enter in a field presses. */}
      <button type="submit" name="do" value="save" hidden />
      {once && <input type="hidden" name="once" value={once} />}
      <input type="hidden" name="was" value={was} />
      <input type="hidden" name="opened" value={opened} />
      {errors.length > 0 && (
        <ErrorSummary
          title="Nothing was saved."
          errors={errors}
          labels={Object.fromEntries(errors.map(({ path }) => [path, ""]))}
        />
      )}
      <div class="create">
        <Field name="title" label="Title" message={title}>
          <input
            id="title"
            name="title"
            value={fields.get("title") ?? ""}
            required
            maxlength={200}
            autocomplete="off"
            dir="auto"
            autofocus={focus === "title"}
            {...described("title", title)}
          />
        </Field>
        <Field name="description" label="Introduction" message={description}>
          <textarea id="description" name="description" rows={2} dir="auto" {...described("description", description)}>
            {fields.get("description")}
          </textarea>
        </Field>
      </div>
      <section aria-labelledby="questions">
        <h2 id="questions" tabindex={-1}>
          Questions
        </h2>
        {fixed.length > 0 && (
          <p class="hint">
            This survey has been open, so what an answer means stays as it is: you can correct texts, and add options
            and questions at the end.{" "}
            <button type="submit" name="do" value="copy" form="copy" class="link">
              Copy to ask something else
            </button>
          </p>
        )}
        <div data-questions>
          {questions.map((id, index) => (
            <QuestionFields
              {...{ id, index, fields, errors, focus }}
              before={questions.slice(0, index)}
              count={questions.length}
              fixed={fixed}
            />
          ))}
        </div>
        {questions.length < MAX_QUESTIONS && (
          <fieldset class="add">
            <legend>Add a question</legend>
            <div class="buttons">
              {QUESTION_KINDS.map((kind) => (
                <button
                  type="submit"
                  name="do"
                  value={`add:${kind}`}
                  formnovalidate
                  data-in-place
                  autofocus={focus === "add" && kind === QUESTION_KINDS[0]}
                >
                  {KINDS[kind]}
                </button>
              ))}
            </div>
          </fieldset>
        )}
      </section>
      <Settings {...props} />
      <section aria-labelledby="preview">
        <h2 id="preview" tabindex={-1} autofocus={focus === "preview"}>
          Preview
        </h2>
        {preview && (
          <>
            <p class="hint">Try it: nothing you answer here is stored.</p>
            <input type="hidden" name="previewed" value="on" />
            <Preview survey={preview} questions={readable} />
          </>
        )}
        <button type="submit" name="do" value="preview" formnovalidate data-in-place>
          {preview ? "Update preview" : "Show preview"}
        </button>
      </section>
      <p class="buttons">
        <button type="submit" name="do" value="save" class="primary">
          {label}
        </button>
        <a href={survey === undefined ? "/account/surveys" : `/account/surveys/${survey.id}`}>Cancel</a>
      </p>
    </form>
  );
};

const Settings = ({ fields, errors, focus, boards, ideas, survey }: Props) => {
  const asked = fields.get("audience") ?? "";
  const [board, audience, closesAt, maxResponses, thanks] = [
    "ideaBankId",
    "audience",
    "closesAt",
    "maxResponses",
    "thanks",
  ].map((name) => messageFor(errors, name));
  const hasBeenOpen = survey?.openedAt != null;
  const closesHint = `${zoneOf(fields)}. Leave empty to close it yourself.`;
  const [maxHint, thanksHint] = ["It closes with this response.", "Shown after the last answer"];
  const chosenBoard = boards.find(({ id }) => id === fields.get("ideaBankId"));
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <div class="create">
        <div class="columns">
          {hasBeenOpen ? (
            <div class="field">
              <span class="label">Board</span>
              <p>
                <bdi>{chosenBoard?.name}</bdi>
              </p>
              <input type="hidden" name="ideaBankId" value={fields.get("ideaBankId") ?? ""} />
            </div>
          ) : (
            <Field name="ideaBankId" label="Board" message={board}>
              <select id="ideaBankId" name="ideaBankId" data-refresh="audience" {...described("ideaBankId", board)}>
                {boards.map(({ id, name }) => (
                  <option value={id} selected={id === fields.get("ideaBankId")}>
                    {name}
                  </option>
                ))}
              </select>
            </Field>
          )}
          <Field name="audience" label="Who is asked" message={audience}>
            <select id="audience" name="audience" autofocus={focus === "audience"} {...described("audience", audience)}>
              <option value="">Everybody on the board</option>
              {asked !== "" && !ideas.some(({ id }) => id === asked) && (
                <option value={asked} selected>
                  Voters of an idea that was deleted
                </option>
              )}
              <optgroup label="Voters of an idea">
                {ideas.map(({ id, title, votes }) => (
                  <option value={id} selected={id === fields.get("audience")}>
                    {`${title} (${counted(votes, "vote")})`}
                  </option>
                ))}
              </optgroup>
            </select>
          </Field>
        </div>
        {!hasBeenOpen && (
          <button type="submit" name="do" value="refresh:audience" class="link refresh" formnovalidate data-in-place>
            Show the ideas of this board
          </button>
        )}
        <div class="columns">
          <Field name="closesAt" label="Closes" hint={closesHint} message={closesAt}>
            <input
              id="closesAt"
              name="closesAt"
              type="datetime-local"
              value={fields.get("closesAt") ?? ""}
              data-zone="zone"
              {...described("closesAt", closesAt, closesHint)}
            />
            <input type="hidden" id="zone" name="zone" value={fields.get("zone") ?? ""} />
          </Field>
          <Field name="maxResponses" label="Maximum responses" hint={maxHint} message={maxResponses}>
            <input
              id="maxResponses"
              name="maxResponses"
              type="number"
              min={1}
              max={1_000_000}
              value={fields.get("maxResponses") ?? ""}
              {...described("maxResponses", maxResponses, maxHint)}
            />
          </Field>
        </div>
        {hasBeenOpen ? (
          <>
            {fields.has("anonymous") && <input type="hidden" name="anonymous" value="on" />}
            <p class="hint">
              {fields.has("anonymous") ? `Anonymous: ${ANONYMOUS}` : "Named: your team sees who answered what."}
            </p>
          </>
        ) : (
          <label class="choice">
            <input type="checkbox" name="anonymous" checked={fields.has("anonymous")} />
            <span>
              Anonymous
              <span class="hint">{ANONYMOUS}</span>
            </span>
          </label>
        )}
        <label class="choice">
          <input type="checkbox" name="editable" checked={fields.has("editable")} />
          <span>People can change their answers until it closes</span>
        </label>
        <Field name="thanks" label="Thanks" hint={thanksHint} message={thanks}>
          <textarea id="thanks" name="thanks" rows={2} dir="auto" {...described("thanks", thanks, thanksHint)}>
            {fields.get("thanks")}
          </textarea>
        </Field>
      </div>
    </section>
  );
};
