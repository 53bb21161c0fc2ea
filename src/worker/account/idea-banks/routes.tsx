/** `/account/idea-banks`: the idea banks of the account, and the settings of each. */
import type { Context } from "hono";
import {
  countContents,
  createIdeaBank,
  deleteIdeaBank,
  listIdeaBanks,
  loadIdeaBank,
  updateIdeaBank,
} from "../../database/idea-banks.ts";
import { type FieldError, parseOrThrow } from "../../http/invalid-request.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { readForm } from "../../http/read-body.ts";
import type { Routes } from "../../http/routes.ts";
import { type IdeaBank, IdeaBankChanges, NewIdeaBank } from "../../model/idea-bank.ts";
import type { IdempotencyKey } from "../../model/idempotency-key.ts";
import { PageQuery } from "../../model/pagination.ts";
import { Problem } from "../../problem.ts";
import { decide, idsOf, openOwn, orNotFound, requireDone } from "../frame/decide.ts";
import { formKey } from "../frame/form-key.tsx";
import { changedSettings } from "../frame/opened-form.tsx";
import { fieldErrorsOf, renderPage } from "../frame/render-page.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { ownPage, readVisit, withParameter } from "../frame/visit.ts";
import { BANK_SWITCHES } from "../frame/words.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { IdeaBanksPage } from "./list-page.tsx";
import { IdeaBankSettingsPage } from "./settings-page.tsx";

export const IDEA_BANKS = "/account/idea-banks";
const SETTINGS = `${IDEA_BANKS}/:ideaBankId/settings`;

/** Throws `not-found`. */
export async function loadOwnBank(c: Context<OwnerEnv>, id: string | undefined) {
  const { ideaBankId } = idsOf({ ideaBankId: id ?? "" });
  const own = await openOwn(c);
  return { ...own, ideaBank: orNotFound(await loadIdeaBank(own.session, own.accountId, ideaBankId)) };
}

export function addIdeaBankPages(routes: Routes<OwnerEnv>): void {
  routes.get(IDEA_BANKS, (c) => renderList(c, "", []));

  routes.post(IDEA_BANKS, async (c) => {
    const fields = await readForm(c);
    const name = fields.get("name") ?? "";
    try {
      const input = parseOrThrow(NewIdeaBank, { name });
      return c.redirect(`${IDEA_BANKS}/${await create(c, input, await formKey(c, fields))}/embed`, 303);
    } catch (error) {
      return renderList(c, name, fieldErrorsOf(error));
    }
  });

  routes.get(SETTINGS, async (c) => {
    const own = await loadOwnBank(c, c.req.param("ideaBankId"));
    const { ideaBank } = own;
    return renderSettings(c, { ...own, fields: toFields(ideaBank), errors: [] });
  });

  routes.post(SETTINGS, async (c) => {
    const { ideaBankId } = idsOf(c.req.param());
    const fields = await readForm(c);
    if (fields.get("do") === "delete") {
      const { answer, eventId } = await decide(c, { kind: "ideabank", id: ideaBankId }, ({ session, accountId }) =>
        deleteIdeaBank(session, { accountId, id: ideaBankId }),
      );
      requireDone(answer);
      return c.redirect(withParameter(IDEA_BANKS, "undo", eventId), 303);
    }
    try {
      const changes = parseOrThrow(IdeaBankChanges, changedSettings(fields, toSettings));
      const { answer } = await decide(c, { kind: "ideabank", id: ideaBankId }, ({ session, accountId }) =>
        updateIdeaBank(session, { accountId, id: ideaBankId, changes }),
      );
      orNotFound(answer);
      return c.redirect(ownPage(fields.get("back"), `${IDEA_BANKS}/${ideaBankId}/settings?done=changed`), 303);
    } catch (error) {
      const errors = fieldErrorsOf(error);
      const own = await loadOwnBank(c, ideaBankId);
      const { ideaBank } = own;
      // The form of one setting, on another page: this page has the others as they are.
      const others = fields.has("name") ? [] : [...toFields(ideaBank)].filter(([name]) => !fields.has(name));
      const was = [...others, ...new URLSearchParams(fields.get("was") ?? "")];
      const shown = new URLSearchParams([...others, ...fields]);
      if (others.length > 0) shown.set("was", new URLSearchParams(was).toString());
      return renderSettings(c, { ...own, fields: shown, errors });
    }
  });
}

/** Creates an idea bank, and returns its id. A form that is sent twice creates one. */
async function create(c: Context<OwnerEnv>, input: NewIdeaBank, idempotencyKey: IdempotencyKey | undefined) {
  const { answer } = await decide(c, { kind: "ideabank" }, ({ session, accountId, id, now }) =>
    createIdeaBank(session, { accountId, id, input, now, idempotencyKey }),
  );
  if (!("outcome" in answer)) throw new Problem("conflict", { detail: "This form was sent before." });
  return answer.outcome.id;
}

const SWITCHES = [...Object.keys(BANK_SWITCHES), "changelogEnabled"] as const;

/** The values with which the form opens. */
function toFields(ideaBank: IdeaBank): URLSearchParams {
  const { name, url, status, changelogMaxEntries } = ideaBank;
  const fields = new URLSearchParams({
    name,
    url: url ?? "",
    status,
    changelogMaxEntries: String(changelogMaxEntries),
  });
  for (const [setting, value] of Object.entries(ideaBank)) if (value === true) fields.set(setting, "on");
  return fields;
}

const toSettings = (fields: URLSearchParams) => ({
  name: fields.get("name"),
  url: fields.get("url")?.trim() || null,
  status: fields.get("status"),
  changelogMaxEntries: Number(fields.get("changelogMaxEntries") || Number.NaN),
  ...Object.fromEntries(SWITCHES.map((name) => [name, fields.has(name)])),
});

async function renderList(c: Context<OwnerEnv>, name: string, errors: readonly FieldError[]): Promise<Response> {
  const visit = readVisit(c);
  const { page } = await readPage(c, PageQuery);
  const own = await openOwn(c);
  const { items, next } = await listIdeaBanks(own.session, { accountId: own.accountId, request: page });
  const done = await loadJustDone(own, visit, Date.now());
  const props = { ideaBanks: items, next: await nextCursor(c, next), name, errors, done };
  return renderPage(c, (frame) => <IdeaBanksPage frame={frame} {...props} />, errors.length > 0 ? 400 : 200);
}

type Shown = Awaited<ReturnType<typeof loadOwnBank>> & {
  readonly fields: URLSearchParams;
  readonly errors: readonly FieldError[];
};

async function renderSettings(
  c: Context<OwnerEnv>,
  { session, accountId, ideaBank, fields, errors }: Shown,
): Promise<Response> {
  const contents = await countContents(session, { accountId, id: ideaBank.id });
  const props = { ideaBank, fields, errors, contents, isDone: c.req.query("done") === "changed" };
  return renderPage(c, (frame) => <IdeaBankSettingsPage frame={frame} {...props} />, errors.length > 0 ? 400 : 200);
}
