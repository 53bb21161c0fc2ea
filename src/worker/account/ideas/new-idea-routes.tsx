/** `/account/ideas/new`: adds an idea to a board. */
import type { Context } from "hono";
import { listIdeaBanks, loadIdeaBank } from "../../database/idea-banks.ts";
import { createProposal } from "../../database/new-proposals.ts";
import { BANKS_AT_MOST } from "../../database/queue.ts";
import { setVoteFor } from "../../database/voters.ts";
import { type FieldError, parseOrThrow } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import type { Routes } from "../../http/routes.ts";
import { NewProposal } from "../../model/proposal.ts";
import { Problem } from "../../problem.ts";
import { decide, idsOf, noSuchContent, openOwn, orNotFound } from "../frame/decide.ts";
import { formKey } from "../frame/form-key.tsx";
import { fieldErrorsOf, renderPage } from "../frame/render-page.tsx";
import { ownPage, withParameter } from "../frame/visit.ts";
import { IDEA_BANKS } from "../idea-banks/routes.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { readPerson, type UnknownPerson } from "./named-person.ts";
import { NewIdeaPage } from "./new-idea-page.tsx";
import { MAX_TEXT_FORM_BYTES } from "./text-fields.tsx";

const ALL = "/account/ideas";
const NEW = `${ALL}/new`;

export function addNewIdeaPage(routes: Routes<OwnerEnv>): void {
  routes.get(NEW, (c) => render(c, { fields: new URL(c.req.url).searchParams, errors: [] }));

  routes.post(NEW, async (c) => {
    const fields = await readForm(c, { maxBytes: MAX_TEXT_FORM_BYTES });
    try {
      const created = await create(c, fields);
      if ("unknown" in created) return render(c, { fields, errors: created.unknown.errors, unknown: created.unknown });
      const path = withParameter(created.path, "back", ownPage(fields.get("back"), ALL));
      return c.redirect(withParameter(path, "undo", created.event), 303);
    } catch (error) {
      return render(c, { fields, errors: fieldErrorsOf(error, fields) });
    }
  });
}

/**
 * Returns the path of the idea and the event, or the person who is unknown. A form that is sent twice adds one. Throws
 * `invalid-request`, `not-found` and `conflict`.
 */
async function create(
  c: Context<OwnerEnv>,
  fields: URLSearchParams,
): Promise<{ readonly path: string; readonly event: string } | { readonly unknown: UnknownPerson }> {
  const { ideaBankId } = idsOf({ ideaBankId: fields.get("board") ?? "" });
  const person = fields.get("panelistExternalId") ?? "";
  const input = parseOrThrow(NewProposal, {
    title: fields.get("title") ?? "",
    description: (fields.get("description") ?? "").replaceAll("\r\n", "\n"),
    status: fields.get("status") ?? undefined,
    ...(person && { panelistExternalId: person }),
  });
  const author = input.panelistExternalId === undefined ? undefined : await readAuthor(c, ideaBankId, fields);
  if (author && "unknown" in author) return author;
  const idempotencyKey = await formKey(c, fields);
  const { answer, eventId } = await decide(c, { kind: "proposal", ideaBankId }, ({ session, accountId, id, now }) =>
    createProposal(session, {
      accountId,
      path: { ideaBankId, proposalId: id },
      fields: { ...input, panelistExternalId: undefined, panelistId: author?.id },
      now,
      idempotencyKey,
    }),
  );
  if (answer.obstacle !== undefined) throw noSuchContent();
  if (!("outcome" in answer.result)) throw new Problem("conflict", { detail: "This form was sent before." });
  const { id } = answer.result.outcome;
  if (author && fields.has("vote")) {
    const path = { ideaBankId, proposalId: id };
    await decide(c, { kind: "proposal", id, ideaBankId, isOfVotes: true }, ({ session, accountId, now }) =>
      setVoteFor(session, { accountId, path, named: { panelistId: author.id }, voted: true, now }),
    );
  }
  return { path: `${IDEA_BANKS}/${ideaBankId}/ideas/${id}`, event: eventId };
}

/** Nobody is created for a board that does not exist. */
async function readAuthor(c: Context<OwnerEnv>, ideaBankId: string, fields: URLSearchParams) {
  const own = await openOwn(c);
  orNotFound(await loadIdeaBank(own.session, own.accountId, ideaBankId));
  return readPerson(c, own, fields);
}

type Shown = {
  readonly fields: URLSearchParams;
  readonly errors: readonly FieldError[];
  readonly unknown?: UnknownPerson;
};

async function render(c: Context<OwnerEnv>, { fields, errors, unknown }: Shown): Promise<Response> {
  const { session, accountId } = await openOwn(c);
  const { items } = await listIdeaBanks(session, { accountId, request: { limit: BANKS_AT_MOST, after: undefined } });
  const chosen = fields.get("board");
  const other =
    chosen && !items.some(({ id }) => id === chosen) ? await loadIdeaBank(session, accountId, chosen) : null;
  const boards = other ? [other, ...items] : items;
  if (boards.length === 0) return c.redirect(`${IDEA_BANKS}#create`, 303);
  const props = { boards, fields, errors, unknown, back: ownPage(fields.get("back"), ALL) };
  return renderPage(c, (frame) => <NewIdeaPage frame={frame} {...props} />, errors.length > 0 ? 400 : 200);
}
