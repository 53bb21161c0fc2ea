/** `/account/idea-banks`: every board, and the form for another. */
import type { Context } from "hono";
import { createIdeaBank, listIdeaBanks } from "../../database/idea-banks/idea-banks.ts";
import { parseOrThrow } from "../../http/invalid-request.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { readForm } from "../../http/read-body.ts";
import { type IdeaBank, NewIdeaBank } from "../../model/idea-bank.ts";
import type { IdempotencyKey } from "../../model/idempotency-key.ts";
import { PageQuery } from "../../model/pagination.ts";
import { Problem } from "../../problem.ts";
import { openOwn } from "../account-databases.ts";
import { decide } from "../frame/decide.ts";
import { Done } from "../frame/done.tsx";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { formKey, Once } from "../frame/form-key.tsx";
import { useMay } from "../frame/frame.ts";
import { Layout } from "../frame/layout.tsx";
import { page, type SentForm } from "../frame/page.tsx";
import { Pager } from "../frame/pager.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { readVisit } from "../frame/visit.ts";
import { BANK_STATUSES } from "../frame/words.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { IDEA_BANKS } from "./own-bank.tsx";

const LABEL = "Name";
const HINT = "Visible to everyone, for example “Ideas for the app”";

async function load(c: Context<OwnerEnv>, sent?: SentForm) {
  const visit = readVisit(c);
  const { page: request } = await readPage(c, PageQuery);
  const own = await openOwn(c);
  const [{ items, next }, done] = await Promise.all([
    listIdeaBanks(own.session, { accountId: own.accountId, request }),
    loadJustDone(own, visit, Date.now()),
  ]);
  return {
    ...{ ideaBanks: items, next: await nextCursor(c, next) },
    ...{ name: sent?.fields.get("name") ?? "", errors: sent?.errors ?? [] },
    done,
  };
}

export const IDEA_BANKS_PAGE = page({
  path: IDEA_BANKS,
  load,

  view: ({ ideaBanks, next, name, errors, done }) => {
    const message = messageFor(errors, "name");
    const mayChange = useMay("member");
    return (
      <Layout title="Boards" current="idea-banks">
        <Done done={done} />
        {message && <ErrorSummary title="The board was not created." errors={errors} labels={{ name: LABEL }} />}
        <p class="lead">
          {ideaBanks.length === 0
            ? "A board collects ideas and votes, and shows what you ship."
            : "Choose a board to see its ideas."}
        </p>
        <ul class="events members">
          {ideaBanks.map((ideaBank) => (
            <li>
              <div>
                <h2 dir="auto">
                  <a href={`${IDEA_BANKS}/${ideaBank.id}`}>{ideaBank.name}</a>
                </h2>
                <p class="hint">
                  <span class={`pill ${ideaBank.status === "OPEN" ? "good" : "warn"}`}>
                    {BANK_STATUSES[ideaBank.status][0]}
                  </span>{" "}
                  {stateInWords(ideaBank)}
                </p>
              </div>
              {mayChange && (
                <p class="buttons">
                  <a class="button" href={`${IDEA_BANKS}/${ideaBank.id}/embed`} aria-label={`Embed “${ideaBank.name}”`}>
                    Embed
                  </a>
                  <a
                    class="button"
                    href={`${IDEA_BANKS}/${ideaBank.id}/settings`}
                    aria-label={`Settings of “${ideaBank.name}”`}
                  >
                    Settings
                  </a>
                </p>
              )}
            </li>
          ))}
        </ul>
        <Pager next={next && `${IDEA_BANKS}?cursor=${next}`} />
        {mayChange && (
          <section aria-labelledby="create">
            <h2 id="create">Create a board</h2>
            <form method="post" action={IDEA_BANKS} class="narrow">
              <Once />
              <Field name="name" label={LABEL} hint={HINT} message={message}>
                <input
                  id="name"
                  name="name"
                  value={name}
                  required
                  maxlength={100}
                  autocomplete="off"
                  {...described("name", message, HINT)}
                />
              </Field>
              <button type="submit" class="primary">
                Create board
              </button>
            </form>
          </section>
        )}
      </Layout>
    );
  },

  act: async (c) => {
    const fields = await readForm(c);
    const input = parseOrThrow(NewIdeaBank, { name: fields.get("name") ?? "" });
    return c.redirect(`${IDEA_BANKS}/${await create(c, input, await formKey(c, fields))}/public-page`, 303);
  },

  refused: load,
});

function stateInWords({ internal, changelogEnabled, approvalRequired, publicPage }: IdeaBank): string {
  const parts = [
    ...[internal && "Internal", approvalRequired && "Approval"],
    ...[changelogEnabled && "Changelog", publicPage && "Public page"],
  ];
  return parts.filter(Boolean).join(" · ");
}

/** Creates an idea bank, and returns its id. A form that is sent twice creates one. */
async function create(c: Context<OwnerEnv>, input: NewIdeaBank, idempotencyKey: IdempotencyKey | undefined) {
  const { answer } = await decide(c, { kind: "ideabank" }, ({ session, accountId, id, now }) =>
    createIdeaBank(session, { accountId, id, input, now, idempotencyKey }),
  );
  if (!("outcome" in answer)) throw new Problem("conflict", { detail: "This form was sent before." });
  return answer.outcome.id;
}
