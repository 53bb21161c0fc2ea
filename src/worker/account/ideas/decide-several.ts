/** Decisions about ideas that were chosen in a list: several at once, or one in its row. */
import type { Context } from "hono";
import { listIdeaBanks, loadIdeaBank } from "../../database/idea-banks.ts";
import { changeProposalFrom } from "../../database/proposals.ts";
import { BANKS_AT_MOST, loadQueued, type QueuedIdea } from "../../database/queue.ts";
import { invalid, parseOrThrow } from "../../http/invalid-request.ts";
import { isId } from "../../model/id.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { ProposalChanges } from "../../model/proposal.ts";
import { withoutTag } from "../../model/tag.ts";
import { decideTogether, noSuchContent, openOwn } from "../frame/decide.ts";
import type { OwnerEnv } from "../owner-env.ts";

/** The maximum of ideas on a page. */
const TOGETHER_AT_MOST = 100;

export type Chosen = { readonly ideaBankId: string; readonly id: string };

/** An idea in a form is `<board>-<idea>`; in the form of a board, the idea alone. */
function toChosen(text: string, ideaBankId: string | undefined): Chosen[] {
  const [first = "", second] = text.split("-");
  const chosen = second === undefined ? { ideaBankId: ideaBankId ?? "", id: first } : { ideaBankId: first, id: second };
  return isId(chosen.ideaBankId) && isId(chosen.id) ? [chosen] : [];
}

/** The chosen ideas of a form or of an address, each once. */
export const chosenIn = (fields: URLSearchParams, ideaBankId: string | undefined): readonly Chosen[] =>
  [...new Set(fields.getAll("ids"))].flatMap((each) => toChosen(each, ideaBankId)).slice(0, TOGETHER_AT_MOST);

/**
 * Decides, and returns the event's id; undefined when nothing was changed. `leavesOut`: ideas that wait for approval are not made
 * public here. Throws `invalid-request` and `not-found`.
 */
export async function decideAboutSeveral(
  c: Context<OwnerEnv>,
  chosen: readonly Chosen[],
  fields: URLSearchParams,
): Promise<{ readonly event: string | undefined; readonly leavesOut: boolean }> {
  const { session, accountId } = await openOwn(c);
  const ideas = new Map(
    (await loadQueued(session, { accountId, ids: chosen.map(({ id }) => id) })).map((idea) => [idea.id, idea]),
  );
  if (ideas.size === 0) throw noSuchContent();
  const now = Date.now();
  const publishes = fields.get("do") === "public";
  const event = await decideTogether(
    c,
    { session, accountId, now },
    chosen.flatMap(({ ideaBankId, id }) => {
      const idea = ideas.get(id);
      if (idea === undefined) return [];
      // Waiting ideas are left out, because they are approved on the page that shows their text.
      const state = publishes ? ({ visibility: "hidden" } as const) : {};
      const change = { accountId, path: { ideaBankId, proposalId: id }, changes: toChanges(fields, idea.tags), now };
      return [{ subject: { id, ideaBankId }, statement: changeProposalFrom(state, change) }];
    }),
  );
  return { event, leavesOut: publishes && [...ideas.values()].some(({ visibility }) => visibility === "pending") };
}

/** A board, and the ideas whose entries appear in its changelog when they become Done. */
export type Publication = { readonly board: IdeaBank; readonly ideas: readonly QueuedIdea[] };

/** What setting the status Done publishes, board by board; `others` become Done without an entry. */
export async function loadPublications(
  c: Context<OwnerEnv>,
  chosen: readonly Chosen[],
): Promise<{ readonly publications: readonly Publication[]; readonly others: readonly QueuedIdea[] }> {
  const { session, accountId } = await openOwn(c);
  const ideas = (await loadQueued(session, { accountId, ids: chosen.map(({ id }) => id) })).filter(
    ({ status }) => status !== "implemented",
  );
  const ideaBankIds = [...new Set(ideas.map(({ ideaBankId }) => ideaBankId))];
  const newest = await listIdeaBanks(session, { accountId, request: { limit: BANKS_AT_MOST, after: undefined } });
  // A board that is not among the newest is read by itself.
  const boards = await Promise.all(
    ideaBankIds.map((one) => newest.items.find(({ id }) => id === one) ?? loadIdeaBank(session, accountId, one)),
  );
  const publications = boards
    .filter((board) => board !== null)
    .filter(({ changelogEnabled }) => changelogEnabled)
    .map((board) => ({
      board,
      ideas: ideas.filter(({ ideaBankId, visibility }) => ideaBankId === board.id && visibility === "public"),
    }))
    .filter((publication) => publication.ideas.length > 0);
  const published = new Set(publications.flatMap((each) => each.ideas));
  return { publications, others: ideas.filter((idea) => !published.has(idea)) };
}

/** Sets the status that was chosen in the row of an idea. Throws `invalid-request` and `not-found`. */
export async function decideAboutOne(
  c: Context<OwnerEnv>,
  text: string,
  fields: URLSearchParams,
): Promise<string | undefined> {
  const [one] = toChosen(text, undefined);
  if (one === undefined) throw noSuchContent();
  const row = new URLSearchParams({ do: "status", status: fields.get(`status-${one.id}`) ?? "" });
  return (await decideAboutSeveral(c, [one], row)).event;
}

/** The changes that the pressed button makes to an idea with these tags. */
function toChanges(fields: URLSearchParams, tags: readonly string[]): ProposalChanges {
  const what = fields.get("do");
  if (what === "status") return parseOrThrow(ProposalChanges, { status: fields.get("status") });
  if (what === "public" || what === "hidden") return { visibility: what };
  const [tag] = parseOrThrow(ProposalChanges, { tags: [fields.get("tag")] }).tags ?? [];
  if (tag === undefined) throw invalid([{ path: "tag", message: "is required" }]);
  return parseOrThrow(ProposalChanges, { tags: what === "untag" ? withoutTag(tags, tag) : [...tags, tag] });
}
