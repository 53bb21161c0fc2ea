/** `…/ideas/{id}/publish`: what the changelog will say of a finished idea, in the team's words, before anybody reads it. */
import type { Context } from "hono";
import type { Submitted } from "../../database/proposals/proposals.ts";
import type { FieldError } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import type { Proposal } from "../../model/proposal.ts";
import { changesInWords } from "../frame/changes-in-words.ts";
import { inWords } from "../frame/errors-in-words.ts";
import { ErrorSummary } from "../frame/field.tsx";
import { FORMATS, Formatted } from "../frame/formatted.tsx";
import { useFrame } from "../frame/frame.ts";
import { Layout } from "../frame/layout.tsx";
import { OpenedWith } from "../frame/opened-form.tsx";
import { page, type SentForm } from "../frame/page.tsx";
import { renderPage } from "../frame/render-page.tsx";
import { dayOf } from "../frame/times.tsx";
import { ownPage, readVisit, withParameter } from "../frame/visit.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { AsSubmitted } from "./as-submitted.tsx";
import { changeIdea, DECISION_LABELS, type IdeaPath } from "./decide.ts";
import {
  addressOf,
  CARRIED,
  DECIDED_LABELS,
  IDEA,
  isCarried,
  loadIdea,
  pathOfIdea,
  requireUnmerged,
  saveIdea,
  waitedIn,
  withTexts,
} from "./opened-idea.ts";
import { countToldOf, TellBox, tellsIn, tellsStatus } from "./tell-people.tsx";
import { MAX_TEXT_FORM_BYTES, TEXT_LABELS, TextFields } from "./text-fields.tsx";

export const PUBLISH_PAGE = page({
  path: `${IDEA}/publish`,
  needs: "member",
  load: (c) => load(c, undefined, readVisit(c).back),
  view: (props) => <PublishPage {...props} />,

  act: async (c) => {
    const path = pathOfIdea(c);
    const fields = await readForm(c, { maxBytes: MAX_TEXT_FORM_BYTES });
    const { back } = readVisit(c);
    // A page of 1.1.0 has a Cancel that asks here.
    if (fields.get("do") === "cancel") return c.redirect(toOpener(addressOf(path), back), 307);
    if (fields.get("do") === "preview") return load(c, { fields, errors: [] }, back);
    const event = await publish(c, path, fields);
    return c.redirect(withParameter(back ?? addressOf(path), "undo", event), 303);
  },

  refused: (c, sent) => load(c, inWords(sent), readVisit(c).back),
});

/** What the form of an idea's page, or of its row in a list, was about to publish. */
export const renderPublish = async (c: Context<OwnerEnv>, fields: URLSearchParams, opener: string) =>
  renderPage(c, <PublishPage {...(await load(c, { fields, errors: [] }, opener))} />);

/** Publishes the entry, or changes it, and returns the event's id. Throws `invalid-request`, and `not-found`. */
async function publish(c: Context<OwnerEnv>, path: IdeaPath, fields: URLSearchParams): Promise<string> {
  const published = new URLSearchParams(fields);
  published.set("status", "implemented");
  const load = () => requireUnmerged(c);
  return saveIdea(path, { fields: published, load }, (changes, opened) =>
    changeIdea(c, path, changes, {
      // Approving is part of it only where the form does that.
      waited: changes.visibility === "public" ? waitedIn(fields) : undefined,
      ...{ opened, keepsSubmitted: true, tells: tellsIn(fields) },
    }),
  );
}

async function load(c: Context<OwnerEnv>, sent: SentForm | undefined, back: string | undefined): Promise<Props> {
  const { proposalId } = pathOfIdea(c);
  const [{ idea, submitted, ideaBank }, toldCount] = await Promise.all([loadIdea(c), countToldOf(c, [proposalId])]);
  const opened = openedWithOf(idea);
  const fields = sent === undefined ? opened : isCarried(sent.fields) ? withTexts(sent.fields, idea) : sent.fields;
  const isTold = tellsStatus(c, fields);
  return { ideaBank, idea, submitted, toldCount, isTold, fields, errors: sent?.errors ?? [], back };
}

const openedWithOf = ({ title, description, status }: Proposal) => new URLSearchParams({ title, description, status });

const LABELS = { ...DECISION_LABELS, ...TEXT_LABELS, ...DECIDED_LABELS };

type Props = {
  readonly ideaBank: IdeaBank;
  readonly idea: Proposal;
  readonly submitted: Submitted | null;
  /** How many people are told by e-mail, and whether they are to be told of the new status. */
  readonly toldCount: number;
  readonly isTold: boolean;
  /** As they stand in the form. */
  readonly fields: URLSearchParams;
  readonly errors: readonly FieldError[];
  /** The page from which it was opened, the idea's or a list. */
  readonly back: string | undefined;
};

const PublishPage = ({ ideaBank, idea, submitted, toldCount, isTold, fields, errors, back }: Props) => {
  const path = addressOf({ ideaBankId: ideaBank.id, proposalId: idea.id });
  /** More was decided than the status. Then Cancel leads back, with what was written. */
  const carries = isCarried(fields);
  const query = back ? `?back=${encodeURIComponent(back)}` : "";
  const isFromIdea = back === undefined || back === path || back.startsWith(`${path}?`);
  const isPublished = idea.status === "implemented";
  const opened = openedWithOf(idea);
  const isCorrection = isPublished && (fields.has("minor") || !fields.has("do"));
  const isPreview = fields.get("do") === "preview";
  return (
    <Layout title={isPublished ? "Edit the changelog entry" : "Publish to the changelog"} current="ideas">
      {!carries && (
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
      <div class="idea" id="idea">
        <form method="post" action={`${path}/publish${query}`}>
          <OpenedWith fields={fields.has("was") ? fields : opened} />
          <div class="text">
            <TextFields fields={fields} errors={errors} rows={8} hint={FORMATS} />
            {carries && <Carried idea={idea} toldCount={toldCount} fields={fields} />}
            {isPublished && (
              <label class="choice">
                <input type="checkbox" name="minor" checked={isCorrection} />
                Correction: keep its date and place in the changelog
              </label>
            )}
            {!isPublished && (
              <TellBox name="tellStatus" count={toldCount} isTicked={isTold} about="the published idea" />
            )}
            <div class="buttons">
              <button type="submit" name="do" value="publish" class="primary">
                {isPublished ? "Save entry" : "Publish"}
              </button>
              <button type="submit" name="do" value="preview">
                Preview
              </button>
              {!carries ? (
                <a href={back ?? path}>Cancel</a>
              ) : (
                <button
                  type="submit"
                  name="do"
                  value="cancel"
                  formaction={toOpener(path, back)}
                  formnovalidate
                  class="link"
                >
                  Cancel
                </button>
              )}
            </div>
          </div>
          <aside aria-label="Preview">
            <p class="hint">{isPreview ? "Preview of your text" : "In the changelog"}</p>
            <article class="entry">
              <h2 dir="auto">{fields.get("title")}</h2>
              <p class="hint">{dayOf(isCorrection ? Date.parse(idea.lastActivityAt) : useFrame().now)}</p>
              <Formatted text={fields.get("description") ?? ""} />
            </article>
          </aside>
        </form>
      </div>
      {(submitted || !isPublished) && <AsSubmitted submitted={submitted ?? idea} />}
    </Layout>
  );
};

/** Leads back to what was written on the idea's page, or in its row, before it was published. */
function toOpener(path: string, back: string | undefined): string {
  const opener = new URL(back ?? "/", "https://own.invalid");
  const list = opener.pathname === path ? ownPage(opener.searchParams.get("back"), "") : back;
  return list ? withParameter(path, "back", list) : path;
}

type CarriedProps = Pick<Props, "idea" | "toldCount" | "fields">;

/** What else was decided about the idea. It is saved with the entry, so nothing of it is public before. */
const Carried = ({ idea, toldCount, fields }: CarriedProps) => {
  const before = { visibility: idea.visibility, tags: idea.tags.join(", ") };
  const after = { visibility: fields.get("visibility") ?? before.visibility, tags: fields.get("tags") ?? before.tags };
  const was = idea.response?.text ?? "";
  const response = fields.get("response") ?? was;
  const isNew = response !== was;
  return (
    <section id="response" aria-labelledby="carried">
      <h2 id="carried">Saved with it</h2>
      {[...CARRIED, "edits"]
        .filter((name) => fields.has(name))
        .map((name) => (
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
      {isNew && response !== "" && (
        <TellBox
          name="tellResponse"
          count={toldCount}
          isTicked={tellsIn(fields).response ?? was === ""}
          about="the response"
        />
      )}
      {(["visibility", "tags"] as const)
        .filter((name) => before[name] !== after[name])
        .map((name) => (
          <p>{changesInWords({ before: { [name]: before[name] }, after: { [name]: after[name] } })}</p>
        ))}
    </section>
  );
};
