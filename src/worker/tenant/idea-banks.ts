/** `/tenant/ideabanks`. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import { createIdeaBank, deleteIdeaBank, listIdeaBanks, loadIdeaBank, updateIdeaBank } from "../database/idea-banks.ts";
import { respondCreated } from "../http/idempotency-key.ts";
import { respondPage } from "../http/pagination.ts";
import type { TenantHandlers } from "./answer-tenant.ts";
import type { TENANT_IDEA_BANK_OPERATIONS } from "./operations/idea-banks.ts";
import { owned, respondDeleted } from "./refuse-foreign.ts";

export const TENANT_IDEA_BANK_HANDLERS: TenantHandlers<typeof TENANT_IDEA_BANK_OPERATIONS> = {
  listIdeaBanks: async (c, { session, accountId, page }) =>
    respondPage(c, await listIdeaBanks(session, accountId, page)),

  createIdeaBank: async (c, { session, accountId, body, now, idempotencyKey }) => {
    const id = createId(accountId, secureRandomBytes);
    const result = await createIdeaBank(session, accountId, id, body, now, idempotencyKey);
    return respondCreated(c, result, (ideaBank) => ideaBank);
  },

  getIdeaBank: async (c, { session, accountId, ids }) =>
    c.json(owned(await loadIdeaBank(session, accountId, ids.ideaBankId))),

  updateIdeaBank: async (c, { session, accountId, ids, body }) =>
    c.json(owned(await updateIdeaBank(session, accountId, ids.ideaBankId, body))),

  deleteIdeaBank: async (c, { session, accountId, ids }) =>
    respondDeleted(c, await deleteIdeaBank(session, accountId, ids.ideaBankId)),
};
