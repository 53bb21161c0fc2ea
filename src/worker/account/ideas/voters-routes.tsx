/** `…/ideas/{id}/voters`: lists who votes for an idea, adds votes for people who asked elsewhere, and removes votes. */
import type { Context } from "hono";
import { loadPanelist } from "../../database/panelists.ts";
import { loadProposal } from "../../database/proposals.ts";
import { listVoters, setVoteFor } from "../../database/voters.ts";
import { type FieldError, invalid, parseOrThrow } from "../../http/invalid-request.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { readForm } from "../../http/read-body.ts";
import type { Routes } from "../../http/routes.ts";
import { isId } from "../../model/id.ts";
import { PageQuery } from "../../model/pagination.ts";
import { NewVote } from "../../model/voter.ts";
import { Problem } from "../../problem.ts";
import { decide, idsOf, noSuchContent, openOwn, orNotFound } from "../frame/decide.ts";
import { fieldErrorsOf, renderPage } from "../frame/render-page.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { readVisit, withParameter } from "../frame/visit.ts";
import { IDEA_BANKS } from "../idea-banks/routes.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { readPerson, type UnknownPerson } from "./named-person.ts";
import { VotersPage } from "./voters-page.tsx";

const VOTERS = `${IDEA_BANKS}/:ideaBankId/ideas/:proposalId/voters`;
const PERSON = "panelistExternalId";

export function addVotersPage(routes: Routes<OwnerEnv>): void {
  routes.get(VOTERS, (c) => render(c, { fields: new URLSearchParams(), errors: [] }));

  routes.post(VOTERS, async (c) => {
    const fields = await readForm(c);
    const { here } = readVisit(c);
    try {
      const written = await change(c, fields);
      if ("unknown" in written) return render(c, { fields, errors: written.unknown.errors, unknown: written.unknown });
      return c.redirect(withParameter(withParameter(here, "person", written.person), "undo", written.eventId), 303);
    } catch (error) {
      return render(c, { fields, errors: fieldErrorsOf(error, fields) });
    }
  });
}

type Changed = { readonly eventId: string; readonly person: string } | { readonly unknown: UnknownPerson };

/** Adds or removes a vote, and returns the event's id and the person's, or who is unknown. Throws `invalid-request`, and `not-found`. */
async function change(c: Context<OwnerEnv>, fields: URLSearchParams): Promise<Changed> {
  const { path, ...own } = await loadVoted(c);
  const voted = fields.get("do") !== "remove";
  if (voted) parseOrThrow(NewVote, { panelistExternalId: fields.get(PERSON) ?? "" });
  const person = voted ? await readPerson(c, own, fields) : idsOf({ id: fields.get("panelistId") ?? "" });
  if (person === undefined) throw noSuchContent();
  if ("unknown" in person) return person;
  const subject = { kind: "proposal" as const, id: path.proposalId, ideaBankId: path.ideaBankId, isOfVotes: true };
  const { answer, eventId } = await decide(c, subject, ({ session, accountId, now }) =>
    setVoteFor(session, { accountId, path, named: { panelistId: person.id }, voted, now }),
  );
  if (answer === null || answer === "no-panelist") throw noSuchContent();
  if ("duplicateOf" in answer) throw new Problem("conflict", { detail: "This idea was merged into another one." });
  if (voted && !answer.isChanged) throw invalid([{ path: PERSON, message: "has voted for this idea already" }]);
  return { eventId, person: person.id };
}

/** The idea that the path names. Throws `not-found`. */
async function loadVoted(c: Context<OwnerEnv>) {
  const path = idsOf({ ideaBankId: c.req.param("ideaBankId") ?? "", proposalId: c.req.param("proposalId") ?? "" });
  const own = await openOwn(c);
  return { ...own, path, idea: orNotFound(await loadProposal(own.session, own.accountId, path)) };
}

type Shown = {
  readonly fields: URLSearchParams;
  readonly errors: readonly FieldError[];
  readonly unknown?: UnknownPerson;
};

async function render(c: Context<OwnerEnv>, { fields, errors, unknown }: Shown): Promise<Response> {
  const visit = readVisit(c);
  const { page } = await readPage(c, PageQuery);
  const { session, accountId, path, idea } = await loadVoted(c);
  const { items, next } = orNotFound(await listVoters(session, { accountId, path, request: page }));
  const now = Date.now();
  const props = {
    path: `${IDEA_BANKS}/${path.ideaBankId}/ideas/${path.proposalId}`,
    ...{ idea, voters: items, fields, errors, unknown, here: visit.here, now },
    person: isId(visit.person ?? "") ? await loadPanelist(session, accountId, visit.person ?? "") : null,
    done: await loadJustDone({ session, accountId }, visit, now),
    more: await nextCursor(c, next),
  };
  return renderPage(c, (frame) => <VotersPage frame={frame} {...props} />, errors.length > 0 ? 400 : 200);
}
