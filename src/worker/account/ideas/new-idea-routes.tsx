/** `/account/ideas/new`: adds an idea to a board. */
import type { Context } from "hono";
import { listIdeaBanks, loadIdeaBank } from "../../database/idea-banks.ts";
import { createProposal } from "../../database/new-proposals.ts";
import { createPanelist } from "../../database/panelists.ts";
import { BANKS_AT_MOST } from "../../database/queue.ts";
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
import { NewIdeaPage } from "./new-idea-page.tsx";
import { MAX_TEXT_FORM_BYTES } from "./text-fields.tsx";

const ALL = "/account/ideas";
const NEW = `${ALL}/new`;

export function addNewIdeaPage(routes: Routes<OwnerEnv>): void {
  routes.get(NEW, (c) => render(c, new URL(c.req.url).searchParams, []));

  routes.post(NEW, async (c) => {
    const fields = await readForm(c, { maxBytes: MAX_TEXT_FORM_BYTES });
    try {
      const path = await create(c, fields);
      return c.redirect(withParameter(path, "back", ownPage(fields.get("back"), ALL)), 303);
    } catch (error) {
      return render(c, fields, fieldErrorsOf(error));
    }
  });
}

/** Returns the path of the idea. A form that is sent twice adds one. Throws `invalid-request`, `not-found` and `conflict`. */
async function create(c: Context<OwnerEnv>, fields: URLSearchParams): Promise<string> {
  const { ideaBankId } = idsOf({ ideaBankId: fields.get("board") ?? "" });
  const person = fields.get("panelistExternalId") ?? "";
  const input = parseOrThrow(NewProposal, {
    title: fields.get("title") ?? "",
    description: (fields.get("description") ?? "").replaceAll("\r\n", "\n"),
    status: fields.get("status") ?? undefined,
    ...(person && { panelistExternalId: person }),
  });
  if (input.panelistExternalId !== undefined) await ensurePerson(c, ideaBankId, input.panelistExternalId);
  const idempotencyKey = await formKey(c, fields);
  const { answer } = await decide(c, { kind: "proposal", ideaBankId }, ({ session, accountId, id, now }) =>
    createProposal(session, {
      accountId,
      path: { ideaBankId, proposalId: id },
      fields: input,
      now,
      idempotencyKey,
    }),
  );
  if (answer.obstacle !== undefined) throw noSuchContent();
  if (!("outcome" in answer.result)) throw new Problem("conflict", { detail: "This form was sent before." });
  return `${IDEA_BANKS}/${ideaBankId}/ideas/${answer.result.outcome.id}`;
}

/** Somebody who wrote an e-mail has not taken part yet. */
async function ensurePerson(c: Context<OwnerEnv>, ideaBankId: string, externalId: string): Promise<void> {
  const { session, accountId } = await openOwn(c);
  orNotFound(await loadIdeaBank(session, accountId, ideaBankId));
  const id = await c.var.views.panelistIds.of({ accountId, externalId }, session);
  const input = { externalId, displayName: null, active: true };
  await createPanelist(session, { accountId, id, input, now: Date.now(), idempotencyKey: undefined });
}

async function render(c: Context<OwnerEnv>, fields: URLSearchParams, errors: readonly FieldError[]): Promise<Response> {
  const { session, accountId } = await openOwn(c);
  const { items } = await listIdeaBanks(session, { accountId, request: { limit: BANKS_AT_MOST, after: undefined } });
  const chosen = fields.get("board");
  const other =
    chosen && !items.some(({ id }) => id === chosen) ? await loadIdeaBank(session, accountId, chosen) : null;
  const boards = other ? [other, ...items] : items;
  if (boards.length === 0) return c.redirect(`${IDEA_BANKS}#create`, 303);
  const props = { boards, fields, errors, back: ownPage(fields.get("back"), ALL) };
  return renderPage(c, (frame) => <NewIdeaPage frame={frame} {...props} />, errors.length > 0 ? 400 : 200);
}
