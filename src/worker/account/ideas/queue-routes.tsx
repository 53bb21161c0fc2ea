/** `/account/idea-banks/{id}`: the ideas of an idea bank, by status, tag and words, and decisions about several at once. */
import type { Context } from "hono";
import { changeProposalFrom, listProposals, loadProposals } from "../../database/proposals.ts";
import { listOwnTags } from "../../database/tags.ts";
import { invalid, parseOrThrow } from "../../http/invalid-request.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { readForm } from "../../http/read-body.ts";
import type { Routes } from "../../http/routes.ts";
import { isId } from "../../model/id.ts";
import { type Proposal, ProposalChanges, ProposalQuery } from "../../model/proposal.ts";
import { withoutTag } from "../../model/tag.ts";
import { Problem } from "../../problem.ts";
import { decideTogether, idsOf, noSuchContent, openOwn, orNotFound } from "../frame/decide.ts";
import { renderPage } from "../frame/render-page.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { ownPage, readVisit, withParameter } from "../frame/visit.ts";
import { IDEA_BANKS, loadOwnBank } from "../idea-banks/routes.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { IdeasPage } from "./queue-page.tsx";

const IDEAS = `${IDEA_BANKS}/:ideaBankId`;
/** The maximum of ideas on a page. */
const TOGETHER_AT_MOST = 100;

export function addIdeasPages(routes: Routes<OwnerEnv>): void {
  routes.get("/account/ideas", (c) => c.redirect(IDEA_BANKS, 303));

  routes.get(IDEAS, async (c) => {
    const visit = readVisit(c);
    const { query, page } = await readPage(c, ProposalQuery);
    const { session, accountId, ideaBank } = await loadOwnBank(c, c.req.param("ideaBankId"));
    const { items, next } = orNotFound(
      await listProposals(session, { accountId, ideaBankId: ideaBank.id, filter: query, request: page }),
    );
    const tags = await listOwnTags(session, accountId, ideaBank.id);
    const now = Date.now();
    const done = await loadJustDone({ session, accountId }, visit, now);
    const more = await nextCursor(c, next);
    const props = { ideaBank, ideas: items, tags, filter: query, here: visit.here, more, now, done };
    return renderPage(c, (frame) => <IdeasPage frame={frame} {...props} />);
  });

  routes.post(IDEAS, async (c) => {
    const fields = await readForm(c);
    const { ideaBankId } = idsOf(c.req.param());
    const back = ownPage(fields.get("back"), `${IDEA_BANKS}/${ideaBankId}`);
    const event = await decideAbout(c, ideaBankId, fields);
    return c.redirect(event === undefined ? back : withParameter(back, "undo", event), 303);
  });
}

/** Decides, and returns the event's id; undefined when nothing was changed. Throws `invalid-request`, `not-found`, and `conflict` when nothing was chosen. */
async function decideAbout(c: Context<OwnerEnv>, ideaBankId: string, fields: URLSearchParams) {
  const chosen = [...new Set(fields.getAll("ids"))].filter(isId).slice(0, TOGETHER_AT_MOST);
  if (chosen.length === 0)
    throw new Problem("conflict", { detail: "No idea was chosen: go back, and tick at least one." });
  const { session, accountId } = await openOwn(c);
  const own = { session, accountId, now: Date.now() };
  const ideas = await loadProposals(session, { accountId, ideaBankId, ids: chosen });
  if (ideas.length === 0) throw noSuchContent();
  return decideTogether(
    c,
    own,
    ideas.map(({ id, tags }) => ({
      subject: { id, ideaBankId },
      // Waiting ideas are left out, because they are approved on the page that shows their text.
      statement: changeProposalFrom(fields.get("do") === "public" ? { visibility: "hidden" } : {}, {
        accountId,
        path: { ideaBankId, proposalId: id },
        changes: toChanges(fields, tags),
        now: own.now,
      }),
    })),
  );
}

/** The changes that the pressed button makes to an idea with these tags. */
function toChanges(fields: URLSearchParams, tags: Proposal["tags"]): ProposalChanges {
  const what = fields.get("do");
  if (what === "status") return parseOrThrow(ProposalChanges, { status: fields.get("status") });
  if (what === "public" || what === "hidden") return { visibility: what };
  const [tag] = parseOrThrow(ProposalChanges, { tags: [fields.get("tag")] }).tags ?? [];
  if (tag === undefined) throw invalid([{ path: "tag", message: "is required" }]);
  return parseOrThrow(ProposalChanges, { tags: what === "untag" ? withoutTag(tags, tag) : [...tags, tag] });
}
