/** Private tags: a box on an idea's page, and fields for several ideas at once. Public tags have fields of their own, with other names. */
import type { Context } from "hono";
import * as z from "zod/mini";
import { loadTeamFields, type Retagging, setPrivateTags } from "../../database/proposals/assignment.ts";
import { loadQueued } from "../../database/proposals/queue.ts";
import { type FieldError, invalid, parseOrThrow } from "../../http/invalid-request.ts";
import { NewPrivateTags, type PrivateTagCount } from "../../model/private-tag.ts";
import { withoutTag } from "../../model/tag.ts";
import { openOwn } from "../account-databases.ts";
import { decide, noSuchContent, orNotFound } from "../frame/decide.ts";
import { described, Field, messageFor } from "../frame/field.tsx";
import { OpenedWith } from "../frame/opened-form.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import type { Chosen } from "./chosen.ts";
import { type IdeaPath, pathOf } from "./decide.ts";
import { textOf, toTags } from "./opened-idea.ts";

export const PRIVATE_TAGS_LABEL = "Private tags: only your team";
const HINT = "Up to 20, separated by commas";

const Sent = z.strictObject({ privateTags: NewPrivateTags });

/** What they are after some were taken away and others added. Throws `invalid-request`. */
function retagged(
  path: IdeaPath,
  was: readonly string[],
  { removed, added }: Readonly<Record<"removed" | "added", readonly string[]>>,
) {
  const left = removed.reduce<readonly string[]>(withoutTag, was);
  const { privateTags: tags } = parseOrThrow(Sent, { privateTags: [...left, ...added] });
  return JSON.stringify(tags) === JSON.stringify(was) ? [] : [{ path, was, tags }];
}

/** Writes the tags that have changed. Throws `invalid-request` for those that somebody else has changed in the meantime. */
async function write(c: Context<OwnerEnv>, changes: readonly Retagging[]): Promise<void> {
  const [first] = changes;
  if (first === undefined) return;
  const subject = { kind: "proposal", id: first.path.proposalId, ideaBankId: first.path.ideaBankId } as const;
  const { answer } = await decide(c, subject, ({ session, accountId }) => setPrivateTags(session, accountId, changes));
  if (answer.length < changes.length)
    throw invalid([{ path: "privateTags", message: "were changed in the meantime. Save again." }]);
}

/** Sets what the form's user has changed; what others have set since stays. Throws `invalid-request` and `not-found`. */
export async function savePrivateTags(c: Context<OwnerEnv>, path: IdeaPath, fields: URLSearchParams): Promise<void> {
  const { session, accountId } = await openOwn(c);
  const { privateTags: present } = orNotFound(await loadTeamFields(session, { accountId, path }));
  const [was, is] = [new URLSearchParams(fields.get("was") ?? ""), fields].map((each) =>
    toTags(textOf(each, "privateTags")),
  ) as [string[], string[]];
  const removed = was.filter((tag) => !is.includes(tag));
  const added = is.filter((tag) => !was.includes(tag));
  await write(c, retagged(path, present, { removed, added }));
}

/** The tag, as it is spelled, and the ideas that have got it or lost it. */
type Tagged = { readonly tag: string; readonly changed: readonly IdeaPath[] };

/** Adds the tag of the bar to the chosen ideas, or takes it away. Throws `invalid-request` and `not-found`. */
export async function tagPrivately(
  c: Context<OwnerEnv>,
  chosen: readonly Chosen[],
  { tag, removes }: { readonly tag: string; readonly removes: boolean },
): Promise<Tagged> {
  const { session, accountId } = await openOwn(c);
  const { privateTags: given } = parseOrThrow(Sent, { privateTags: [tag] });
  const ideas = await loadQueued(session, { accountId, ids: chosen.map(({ id }) => id) });
  if (ideas.length === 0) throw noSuchContent();
  const change = removes ? { removed: given, added: [] } : { removed: [], added: given };
  const changes = ideas.flatMap((idea) => retagged(pathOf(idea), idea.privateTags, change));
  await write(c, changes);
  const lost = changes.flatMap(({ was, tags }) => was.filter((each) => !tags.includes(each)));
  return { tag: (removes ? lost : given)[0] ?? tag, changed: changes.map(({ path }) => path) };
}

type KnownProps = { readonly known: readonly PrivateTagCount[] };

const Known = ({ id, known }: KnownProps & { readonly id: string }) => (
  <datalist id={id}>
    {known.map(({ tag }) => (
      <option value={tag}>{tag}</option>
    ))}
  </datalist>
);

type BoxProps = KnownProps & {
  readonly privateTags: readonly string[];
  /** The idea's page. */
  readonly action: string;
  /** The refused form; empty when the page opens. */
  readonly sent: URLSearchParams;
  readonly errors: readonly FieldError[];
};

const shown = (tags: readonly string[]): string => tags.join(", ");

/** What the form was opened with. */
const OpenedPrivateTags = ({ privateTags, sent }: Pick<BoxProps, "privateTags" | "sent">) => (
  <OpenedWith
    fields={sent.get("do") === "private-tags" ? sent : new URLSearchParams({ privateTags: shown(privateTags) })}
  />
);

export const PrivateTagsBox = ({ privateTags, known, action, sent, errors }: BoxProps) => {
  const message = messageFor(errors, "privateTags");
  return (
    <form method="post" action={action} class="own-box">
      <OpenedPrivateTags privateTags={privateTags} sent={sent} />
      <Field name="privateTags" label={PRIVATE_TAGS_LABEL} hint={HINT} message={message}>
        <input
          id="privateTags"
          name="privateTags"
          value={sent.get("do") === "private-tags" ? (sent.get("privateTags") ?? "") : shown(privateTags)}
          list="known-private-tags"
          autocomplete="off"
          dir="auto"
          {...described("privateTags", message, HINT)}
        />
        <Known id="known-private-tags" known={known} />
      </Field>
      <button type="submit" name="do" value="private-tags">
        Save private tags
      </button>
    </form>
  );
};

/** In a row: not to be mistaken for a public tag. */
export const PrivateTags = ({ tags }: { readonly tags: readonly string[] }) =>
  tags.map((tag) => (
    <span class="tag private" title="Private tag: only your team sees it">
      <span class="unseen">Private tag: </span>
      <bdi>{tag}</bdi>
    </span>
  ));

/** In the bar of selected ideas. */
export const TagPrivately = ({ known }: KnownProps) => (
  <span class="buttons">
    <input
      name="privateTag"
      list="private-tags"
      maxlength={50}
      aria-label="Private tag"
      placeholder="Private tag"
      autocomplete="off"
    />
    <Known id="private-tags" known={known} />
    <button type="submit" name="do" value="private-tag" formnovalidate>
      Add<span class="unseen"> private tag</span>
    </button>
    <button type="submit" name="do" value="private-untag" formnovalidate>
      Remove<span class="unseen"> private tag</span>
    </button>
  </span>
);
