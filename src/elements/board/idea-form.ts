/** The form of a new proposal, or of changes to one's own. */
import type { SubmissionChanges } from "../../worker/model/panelist-proposal.ts";
import type { BoardContext } from "./board-context.ts";
import { form } from "./form.ts";
import type { Idea } from "./idea-bank.ts";
import { type SimilarOptions, similarIdeas } from "./similar.ts";

/** The name of the form for a new idea, where an open idea has its identifier. */
export const FORM = "";

type IdeaFormOptions = {
  /** The one that is edited. */
  readonly idea?: Idea;
  /** Reads it again, and shows it. */
  readonly update?: () => Promise<void>;
  /** For a new idea: finds similar ones. */
  readonly similar?: SimilarOptions;
  /** For a draft without one. It is none of the draft's own until something is typed. */
  readonly title?: string | undefined;
  /** An edited idea has only the fields that were changed. */
  readonly send: (idea: SubmissionChanges, idempotencyKey: string) => Promise<void>;
  readonly cancel: () => void;
};

export function ideaForm(
  context: BoardContext,
  { idea, update, similar, title: begun, send, cancel }: IdeaFormOptions,
): HTMLFormElement {
  const { words } = context;
  const title = { name: "title", label: words.say("ideaTitle"), hint: words.say("ideaTitleHint"), maxLength: 200 };
  const description = {
    name: "description",
    label: words.say("ideaDescription"),
    hint: words.say("ideaDescriptionHint"),
    maxLength: 10_000,
    rows: 5,
    optional: true as const,
  };
  const element = form(
    {
      fields: idea
        ? [
            { ...title, value: idea.title },
            { ...description, value: idea.description },
          ]
        : [title, description],
      submit: words.say(idea ? "save" : "submit"),
      draft: idea ? `edit:${idea.id}` : "idea",
      begun: { view: FORM, title: begun },
      ...(idea && {
        reread: async () => {
          await update?.();
          const { title, description } = idea;
          return { title, description };
        },
      }),
      send: ({ title, description }, key) => send({ title, description }, key),
      cancel,
    },
    context,
  );
  element.ariaLabel = words.say(idea ? "editTitle" : "suggestTitle");
  const input = element.querySelector("input");
  if (begun && input) input.value ||= begun;
  if (similar && input) input.parentElement?.after(similarIdeas(input, context, similar));
  return element;
}
