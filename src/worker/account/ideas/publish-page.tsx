/** `…/ideas/{id}/publish`: what the changelog will say of a finished idea, in the team's words, before anybody reads it. */
import type { Submitted } from "../../database/proposals.ts";
import type { FieldError } from "../../http/invalid-request.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import type { Proposal } from "../../model/proposal.ts";
import { ErrorSummary } from "../frame/field.tsx";
import { FORMATS, Formatted } from "../frame/formatted.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { OpenedWith } from "../frame/opened-form.tsx";
import { dayOf } from "../frame/times.tsx";
import { AsSubmitted } from "./as-submitted.tsx";
import { TEXT_LABELS, TextFields } from "./text-fields.tsx";

type Props = {
  readonly frame: Frame;
  readonly ideaBank: IdeaBank;
  readonly idea: Proposal;
  readonly submitted: Submitted | null;
  /** As they stand in the form. */
  readonly fields: URLSearchParams;
  readonly errors: readonly FieldError[];
  readonly now: number;
  /** The page from which it was opened, the idea's or a list. */
  readonly back: string | undefined;
};

export const PublishPage = ({ frame, ideaBank, idea, submitted, fields, errors, now, back }: Props) => {
  const path = `/account/idea-banks/${ideaBank.id}/ideas/${idea.id}`;
  const query = back ? `?back=${encodeURIComponent(back)}` : "";
  const isFromIdea = back === undefined || back === path || back.startsWith(`${path}?`);
  const isPublished = idea.status === "implemented";
  const opened = new URLSearchParams({ title: idea.title, description: idea.description });
  const isCorrection = isPublished && (fields.has("minor") || !fields.has("do"));
  const isPreview = fields.get("do") === "preview";
  return (
    <Layout title={isPublished ? "Edit the changelog entry" : "Publish to the changelog"} current="ideas" {...frame}>
      <p>
        <a href={back ?? path}>{isFromIdea ? "Back to the idea" : "Back to the list"}</a>
      </p>
      {errors.length > 0 && <ErrorSummary title="Nothing was published." errors={errors} labels={TEXT_LABELS} />}
      {!ideaBank.changelogEnabled && (
        <p class="notice">
          The changelog of this board is off, so people won’t see the entry.{" "}
          <a href={`/account/idea-banks/${ideaBank.id}/settings`}>Turn it on</a>
        </p>
      )}
      {idea.visibility !== "public" && (
        <p class="notice">Only public ideas appear in the changelog. This one is not public.</p>
      )}
      <p class="lead">Say what changed, in your words. The title and text of the idea change with it.</p>
      <div class="idea">
        <form method="post" action={`${path}/publish${query}`}>
          <OpenedWith fields={fields.has("was") ? fields : opened} />
          <div class="text">
            <TextFields fields={fields} errors={errors} rows={8} hint={FORMATS} />
            {isPublished && (
              <label class="choice">
                <input type="checkbox" name="minor" checked={isCorrection} />
                Correction: keep its date and place in the changelog
              </label>
            )}
            <div class="buttons">
              <button type="submit" name="do" value="publish" class="primary">
                {isPublished ? "Save entry" : "Publish"}
              </button>
              <button type="submit" name="do" value="preview">
                Preview
              </button>
              <a href={back ?? path}>Cancel</a>
            </div>
          </div>
          <aside aria-label="Preview">
            <p class="hint">{isPreview ? "Preview of your text" : "In the changelog"}</p>
            <article class="entry">
              <h2 dir="auto">{fields.get("title")}</h2>
              <p class="hint">{dayOf(isCorrection ? Date.parse(idea.lastActivityAt) : now)}</p>
              <Formatted text={fields.get("description") ?? ""} />
            </article>
          </aside>
        </form>
      </div>
      {(submitted || !isPublished) && <AsSubmitted submitted={submitted ?? idea} />}
    </Layout>
  );
};
