/** `/account/ideas/new`: an idea that reached the team in another way, as the team's own or for a person. */
import type { Context } from "hono";
import { listIdeaBanks, loadIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { createProposal } from "../../database/proposals/new-proposals.ts";
import { BANKS_AT_MOST } from "../../database/proposals/queue.ts";
import { setVoteFor } from "../../database/votes/voters.ts";
import { parseOrThrow } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { NewProposal, PROPOSAL_STATUSES } from "../../model/proposal.ts";
import { Problem } from "../../problem.ts";
import { openOwn } from "../account-databases.ts";
import { decide, idsOf, noSuchContent, orNotFound } from "../frame/decide.ts";
import { inWords } from "../frame/errors-in-words.ts";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { formKey, Once } from "../frame/form-key.tsx";
import { ImportLink } from "../frame/import-link.tsx";
import { Layout } from "../frame/layout.tsx";
import { filledIn } from "../frame/own-link.ts";
import { page, type SentForm } from "../frame/page.tsx";
import { ownPage, withParameter } from "../frame/visit.ts";
import { IDEA_STATUSES } from "../frame/words.ts";
import { IDEA_BANKS } from "../idea-banks/own-bank.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { readPerson, type UnknownPerson, unknownOf } from "./named-person.ts";
import { IDEAS } from "./opened-idea.ts";
import { PERSON_LABELS, PersonField } from "./person-field.tsx";
import { SUGGESTED_IDEAS_PATH } from "./suggested-ideas.ts";
import { MAX_TEXT_FORM_BYTES, TEXT_LABELS, TextFields } from "./text-fields.tsx";

const NEW = `${IDEAS}/new`;

export const NEW_IDEA_PAGE = page({
  path: NEW,
  needs: "member",
  load: (c) => load(c, { fields: filledIn(c), errors: [] }),
  view: (props) => <NewIdeaPage {...props} />,
  allows: "requests",

  act: async (c) => {
    const fields = await readForm(c, { maxBytes: MAX_TEXT_FORM_BYTES });
    const created = await create(c, fields);
    const path = withParameter(created.path, "back", ownPage(fields.get("back"), IDEAS));
    return c.redirect(withParameter(path, "undo", created.event), 303);
  },

  refused: (c, sent, error) => load(c, inWords(sent), unknownOf(error)),
});

/**
 * Returns the path of the idea and the event. A form that is sent twice adds one. Throws
 * `invalid-request`, `not-found` and `conflict`.
 */
async function create(
  c: Context<OwnerEnv>,
  fields: URLSearchParams,
): Promise<{ readonly path: string; readonly event: string }> {
  const { ideaBankId } = idsOf({ ideaBankId: fields.get("board") ?? "" });
  const person = fields.get("panelistExternalId") ?? "";
  const input = parseOrThrow(NewProposal, {
    title: fields.get("title") ?? "",
    description: (fields.get("description") ?? "").replaceAll("\r\n", "\n"),
    status: fields.get("status") ?? undefined,
    ...(person && { panelistExternalId: person }),
  });
  const author = input.panelistExternalId === undefined ? undefined : await readAuthor(c, ideaBankId, fields);
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

const readAuthor = (c: Context<OwnerEnv>, ideaBankId: string, fields: URLSearchParams) =>
  readPerson(c, {
    fields,
    requireSubject: async ({ session, accountId }) => orNotFound(await loadIdeaBank(session, accountId, ideaBankId)),
  });

async function load(c: Context<OwnerEnv>, sent: SentForm, unknown?: UnknownPerson): Promise<Props | Response> {
  const { fields } = sent;
  const { session, accountId } = await openOwn(c);
  const { items } = await listIdeaBanks(session, { accountId, request: { limit: BANKS_AT_MOST, after: undefined } });
  const chosen = fields.get("board");
  const other =
    chosen && !items.some(({ id }) => id === chosen) ? await loadIdeaBank(session, accountId, chosen) : null;
  const boards = other ? [other, ...items] : items;
  if (boards.length === 0) return c.redirect(`${IDEA_BANKS}#create`, 303);
  return { ...sent, boards, unknown, back: ownPage(fields.get("back"), IDEAS) };
}

type Props = SentForm & {
  readonly boards: readonly IdeaBank[];
  readonly unknown: UnknownPerson | undefined;
  readonly back: string;
};

const LABELS = { board: "Board", ...TEXT_LABELS, ...PERSON_LABELS };
const PERSON_HINT = "Who asked? Name or ID. Leave empty to add the idea as your team.";

const NewIdeaPage = ({ boards, fields, errors, unknown, back }: Props) => {
  const board = messageFor(errors, "board");
  return (
    <Layout title="New idea" current="ideas" scripts={["suggest.js"]}>
      <p>
        <a href={back}>Back to the list</a>
      </p>
      <p class="hint">
        {"Do you have them in a file? "}
        <ImportLink board={boards.find(({ id }) => id === fields.get("board"))?.id} back={back} />
      </p>
      {errors.length > 0 && <ErrorSummary title="The idea wasn’t added." errors={errors} labels={LABELS} />}
      <form method="post" action="/account/ideas/new" class="create">
        <Once />
        <input type="hidden" name="back" value={back} />
        <Field name="board" label={LABELS.board} message={board}>
          <select id="board" name="board" required {...described("board", board)}>
            {boards.map(({ id, name }) => (
              <option value={id} selected={id === fields.get("board")}>
                {name}
              </option>
            ))}
          </select>
        </Field>
        <TextFields fields={fields} errors={errors} rows={6} />
        <div class="written" data-similar data-from={SUGGESTED_IDEAS_PATH} role="status" hidden>
          <p class="hint">Already suggested?</p>
          <ul />
        </div>
        <PersonField fields={fields} hint={PERSON_HINT} errors={errors} unknown={unknown} />
        <label class="choice">
          <input type="checkbox" name="vote" checked={fields.has("vote") || !fields.has("once")} />
          They also vote for it
        </label>
        <Field name="status" label="Status" message={undefined}>
          <select id="status" name="status">
            {PROPOSAL_STATUSES.map((each) => (
              <option value={each} selected={each === fields.get("status")}>
                {IDEA_STATUSES[each]}
              </option>
            ))}
          </select>
        </Field>
        <button type="submit" class="primary">
          Add idea
        </button>
      </form>
    </Layout>
  );
};
