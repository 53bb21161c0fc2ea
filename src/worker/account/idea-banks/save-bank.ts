/** The one way in which the forms of a board's pages save what their user has changed. */
import type { Context } from "hono";
import { updateIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { parseOrThrow } from "../../http/invalid-request.ts";
import { type IdeaBank, IdeaBankChanges } from "../../model/idea-bank.ts";
import { NotAsOpened } from "../../problem.ts";
import { decide, orNotFound } from "../frame/decide.ts";
import { changedSettings, saveOpened } from "../frame/opened-form.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { loadOwnBank } from "./own-bank.tsx";

type BankForm = {
  readonly fields: URLSearchParams;
  readonly toSettings: (fields: URLSearchParams) => object;
  readonly toFields: (ideaBank: IdeaBank) => URLSearchParams;
};

/** Returns what was changed. Throws `invalid-request`, `not-found`, and `ChangedMeanwhile`. */
export async function saveBank(c: Context<OwnerEnv>, id: string, form: BankForm): Promise<IdeaBankChanges> {
  const changes = parseOrThrow(IdeaBankChanges, changedSettings(form.fields, form.toSettings));
  const load = async () => (await loadOwnBank(c, id)).ideaBank;
  await saveOpened({ ...form, id, load }, async (_, opened) => {
    const { answer } = await decide(c, { kind: "ideabank", id }, ({ session, accountId, now }) =>
      updateIdeaBank(session, { accountId, id, changes, opened, now }),
    );
    if (answer === null && opened) throw new NotAsOpened();
    return orNotFound(answer);
  });
  return changes;
}
