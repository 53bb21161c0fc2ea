/** `/account/surveys/new`: first what the survey begins with, then its form. Nothing is stored before it is saved. */
import type { Context } from "hono";
import { readForm } from "../../http/read-body.ts";
import { isId } from "../../model/id.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { Problem } from "../../problem.ts";
import { createByRules } from "../../surveys/survey-writes.ts";
import { decide } from "../frame/decide.ts";
import { Field } from "../frame/field.tsx";
import { formKey } from "../frame/form-key.tsx";
import { Layout } from "../frame/layout.tsx";
import { filledIn } from "../frame/own-link.ts";
import { page } from "../frame/page.tsx";
import { withParameter } from "../frame/visit.ts";
import { counted } from "../frame/words.ts";
import { IDEA_BANKS } from "../idea-banks/own-bank.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { type AskableIdea, Builder, type BuilderProps } from "./builder.tsx";
import { loadBuilder, loadChoices, parseSurvey } from "./builder-page.tsx";
import { PreviewScript } from "./preview.tsx";
import { surveyErrors } from "./survey-errors.ts";
import { editForm, MAX_SURVEY_FORM_BYTES, toFields } from "./survey-fields.ts";
import { SURVEYS } from "./survey-words.ts";
import { isTemplate, MOST_VOTED, TEMPLATES, type TemplateName } from "./templates.ts";

const NEW = `${SURVEYS}/new`;

type Chooser = {
  readonly boards: readonly IdeaBank[];
  readonly board: IdeaBank | undefined;
  /** Its voters are asked. */
  readonly idea: AskableIdea | undefined;
};
type Props = { readonly chooser: Chooser } | { readonly builder: BuilderProps; readonly once: string };

export const NEW_SURVEY_PAGE = page({
  path: NEW,
  needs: "member",

  allows: "requests",

  load: async (c): Promise<Props | Response> => {
    const link = filledIn(c);
    const asked = (name: string) => {
      const id = link.get(name) ?? "";
      return isId(id) ? id : null;
    };
    const voters = asked("voters");
    const { boards, board, ideas } = await loadChoices(c, { board: asked("board"), idea: voters });
    if (board === undefined) return c.redirect(`${IDEA_BANKS}#create`, 303);
    const idea = ideas.find(({ id }) => id === voters);
    const name = link.get("template") ?? undefined;
    if (!isTemplate(name)) return { chooser: { boards, board, idea } };
    const fields = begin(name, {
      board,
      idea,
      ideas: voters === null ? ideas : ideas.filter(({ id }) => id !== voters),
    });
    const builder = { fields, errors: [], focus: "title", boards, ideas, survey: undefined, was: "", opened: "" };
    return { builder, once: crypto.randomUUID() };
  },

  view: (props) => ("chooser" in props ? <ChooserPage {...props.chooser} /> : <BuilderPage {...props} />),

  act: async (c): Promise<Props | Response> => {
    const sent = await readForm(c, { maxBytes: MAX_SURVEY_FORM_BYTES });
    const edited = editForm(sent);
    if (edited !== undefined) return show(c, edited.fields, edited.focus);
    const input = parseSurvey(sent);
    const idempotencyKey = await formKey(c, sent);
    const { answer, eventId } = await decide(c, { kind: "survey" }, ({ session, accountId, id, now }) =>
      createByRules(session, { accountId, id, input, now, idempotencyKey }),
    );
    if (!("outcome" in answer)) throw new Problem("conflict", { detail: "This form was sent before." });
    return c.redirect(withParameter(`${SURVEYS}/${answer.outcome.id}`, "undo", eventId), 303);
  },

  refused: async (c, sent): Promise<Props> => {
    const { fields, errors } = surveyErrors(sent);
    return { builder: await loadBuilder(c, { fields, errors }, NOTHING), once: fields.get("once") ?? "" };
  },
});

const NOTHING = { survey: undefined, focus: undefined };

const show = async (c: Context<OwnerEnv>, fields: URLSearchParams, focus: string): Promise<Props> => ({
  builder: await loadBuilder(c, { fields, errors: [] }, { survey: undefined, focus }),
  once: fields.get("once") ?? "",
});

type Begun = {
  readonly board: IdeaBank;
  readonly idea: AskableIdea | undefined;
  readonly ideas: readonly AskableIdea[];
};

/** The fields of a survey that begins with the template. */
function begin(name: TemplateName, { board, idea, ideas }: Begun): URLSearchParams {
  const { title, questions } = TEMPLATES[name];
  return toFields({
    title: idea === undefined || name !== "empty" ? title : idea.title,
    ...{ description: "", thanks: "", questions: [...questions(ideas.slice(0, MOST_VOTED))] },
    ideaBankId: board.id,
    audience: idea === undefined ? null : { votersOf: idea.id },
    ...{ anonymous: false, editable: true, closesAt: null, maxResponses: null },
  });
}

const ChooserPage = ({ boards, board, idea }: Chooser) => (
  <Layout title="New survey" current="surveys">
    {idea && (
      <p class="lead">
        {`It asks the ${counted(idea.votes, "person").replace(/persons$/, "people")} who voted for “`}
        <bdi>{idea.title}</bdi>”.
      </p>
    )}
    <form method="get" action={NEW} class="narrow">
      {idea ? (
        <>
          <input type="hidden" name="board" value={board?.id} />
          <input type="hidden" name="voters" value={idea.id} />
        </>
      ) : (
        <Field name="board" label="Board" message={undefined}>
          <select id="board" name="board">
            {boards.map(({ id, name }) => (
              <option value={id} selected={id === board?.id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      )}
      <fieldset>
        <legend>Begin with</legend>
        {Object.entries(TEMPLATES).map(([name, template], index) => (
          <label class="choice">
            <input type="radio" name="template" value={name} checked={index === 0} />
            <span>
              {template.name}
              <span class="hint">{template.hint}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <button type="submit" class="primary">
        Continue
      </button>
    </form>
  </Layout>
);

const BuilderPage = ({ builder, once }: { readonly builder: BuilderProps; readonly once: string }) => (
  <Layout title="New survey" current="surveys" scripts={["survey.js"]}>
    <PreviewScript />
    <Builder {...builder} action={NEW} label="Save draft" once={once} />
  </Layout>
);
