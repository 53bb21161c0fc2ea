/** `…/ideas/{id}/publish`: what the changelog will say of a finished idea, in the team's words, before anybody reads it. */
import type { Submitted } from "../../database/proposals.ts";
import type { FieldError } from "../../http/invalid-request.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import type { Proposal } from "../../model/proposal.ts";
import { changesInWords } from "../frame/changes-in-words.ts";
import { ErrorSummary } from "../frame/field.tsx";
import { FORMATS, Formatted } from "../frame/formatted.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { OpenedWith } from "../frame/opened-form.tsx";
import { dayOf } from "../frame/times.tsx";
import { AsSubmitted } from "./as-submitted.tsx";
import { DECIDED_LABELS } from "./idea-page.tsx";
import { TEXT_LABELS, TextFields } from "./text-fields.tsx";

const LABELS = { ...TEXT_LABELS, ...DECIDED_LABELS };

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
  /** Null unless more was decided than the status. Then Cancel leads back, with what was written. */
  const response = fields.get("response");
  const query = back ? `?back=${encodeURIComponent(back)}` : "";
  const isFromIdea = back === undefined || back === path || back.startsWith(`${path}?`);
  const isPublished = idea.status === "implemented";
  const opened = new URLSearchParams({ title: idea.title, description: idea.description });
  const isCorrection = isPublished && (fields.has("minor") || !fields.has("do"));
  const isPreview = fields.get("do") === "preview";
  return (
    <Layout title={isPublished ? "Edit the changelog entry" : "Publish to the changelog"} current="ideas" {...frame}>
      {response === null && (
        <p>
          <a href={back ?? path}>{isFromIdea ? "Back to the idea" : "Back to the list"}</a>
        </p>
      )}
      {errors.length > 0 && <ErrorSummary title="Nothing was published." errors={errors} labels={LABELS} />}
      {!ideaBank.changelogEnabled && (
        <p class="notice">
          The changelog of this board is off, so people won’t see the entry.{" "}
          <a href={`/account/idea-banks/${ideaBank.id}/settings`}>Turn it on</a>
        </p>
      )}
      {(fields.get("visibility") ?? idea.visibility) !== "public" && (
        <p class="notice">Only public ideas appear in the changelog. This one is not public.</p>
      )}
      <p class="lead">Say what changed, in your words. The title and text of the idea change with it.</p>
      <div class="idea">
        <form method="post" action={`${path}/publish${query}`}>
          <OpenedWith fields={fields.has("was") ? fields : opened} />
          <div class="text">
            <TextFields fields={fields} errors={errors} rows={8} hint={FORMATS} />
            {response !== null && <Carried idea={idea} fields={fields} response={response} />}
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
              {response === null ? (
                <a href={back ?? path}>Cancel</a>
              ) : (
                <button type="submit" name="do" value="cancel" formnovalidate class="link">
                  Cancel
                </button>
              )}
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

type CarriedProps = Pick<Props, "idea" | "fields"> & { readonly response: string };

/** What else was decided about the idea. It is saved with the entry, so nothing of it is public before. */
const Carried = ({ idea, fields, response }: CarriedProps) => {
  const before = { visibility: idea.visibility, tags: idea.tags.join(", ") };
  const after = { visibility: fields.get("visibility") ?? "", tags: fields.get("tags") ?? "" };
  const was = idea.response?.text ?? "";
  const isNew = response !== was;
  return (
    <section id="response" aria-labelledby="carried">
      <h2 id="carried">Saved with it</h2>
      {["response", "visibility", "tags"].map((name) => (
        <input type="hidden" name={name} value={fields.get(name) ?? ""} />
      ))}
      {isNew && response !== "" && (
        <blockquote class="response">
          <strong>{DECIDED_LABELS.response}</strong>
          <Formatted text={response} />
        </blockquote>
      )}
      {isNew && was !== "" && (
        <>
          <p class="hint">{response === "" ? "Removes this response:" : "Replaces this response:"}</p>
          <blockquote class="response">
            <Formatted text={was} />
          </blockquote>
        </>
      )}
      {(["visibility", "tags"] as const)
        .filter((name) => before[name] !== after[name])
        .map((name) => (
          <p>{changesInWords({ before: { [name]: before[name] }, after: { [name]: after[name] } })}</p>
        ))}
    </section>
  );
};
