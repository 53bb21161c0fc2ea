/** `/tenant/ideabanks`. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import {
  createIdeaBank,
  deleteIdeaBank,
  listIdeaBanks,
  loadIdeaBank,
  loadStoredIdeaBank,
  updateIdeaBank,
} from "../database/idea-banks.ts";
import { respondCreated } from "../http/idempotency-key.ts";
import { respondPage } from "../http/pagination.ts";
import { defineVersion, respondVersion } from "../http/versions.ts";
import { IdeaBank, IdeaBankChanges, IdeaBankQuery, NewIdeaBank } from "../model/idea-bank.ts";
import { tenantOperations } from "./operation.ts";
import { owned, respondDeleted } from "./refuse-foreign.ts";

const IDEA_BANKS = "/tenant/ideabanks";
const IDEA_BANK = `${IDEA_BANKS}/{ideaBankId}`;

const version = defineVersion(IdeaBank, IdeaBankChanges, (session, accountId, { ideaBankId = "" }) =>
  loadStoredIdeaBank(session, accountId, ideaBankId),
);

const operation = tenantOperations({
  name: "Idea banks",
  description: "The idea banks of your account, and what panelists may do with them.",
});

export const IDEA_BANK_OPERATIONS = {
  listIdeaBanks: operation({
    method: "GET",
    effect: "reads",
    path: IDEA_BANKS,
    scope: "ideabanks:read",
    query: IdeaBankQuery,
    answer: IdeaBank,
    summary: "List idea banks",
    description: "Newest first.",
    handle: async (c, { session, accountId, query: { status }, page }) =>
      respondPage(c, await listIdeaBanks(session, { accountId, request: page, status })),
  }),

  createIdeaBank: operation({
    method: "POST",
    effect: "adds",
    path: IDEA_BANKS,
    scope: "ideabanks:write",
    body: NewIdeaBank,
    answer: IdeaBank,
    version,
    summary: "Create an idea bank",
    description: "By default it is a draft with its changelog off.",
    handle: async (c, { session, accountId, body, now, idempotencyKey }) => {
      const id = createId(accountId, secureRandomBytes);
      const result = await createIdeaBank(session, { accountId, id, input: body, now, idempotencyKey });
      return respondCreated(c, { result, toBody: (ideaBank) => ideaBank, version });
    },
  }),

  getIdeaBank: operation({
    method: "GET",
    effect: "reads",
    path: IDEA_BANK,
    scope: "ideabanks:read",
    answer: IdeaBank,
    version,
    summary: "Read an idea bank",
    handle: async (c, { session, accountId, ids }) =>
      respondVersion(c, version, owned(await loadIdeaBank(session, accountId, ids.ideaBankId))),
  }),

  updateIdeaBank: operation({
    method: "PATCH",
    effect: "overwrites",
    path: IDEA_BANK,
    scope: "ideabanks:write",
    body: IdeaBankChanges,
    answer: IdeaBank,
    version,
    summary: "Change an idea bank",
    description: "Fields that are not sent stay as they are. Any status but `OPEN` closes the idea bank to panelists.",
    handle: async (c, { session, accountId, ids, body, precondition }) => {
      const { seen } = precondition;
      const ideaBank = await updateIdeaBank(session, { accountId, id: ids.ideaBankId, changes: body, seen });
      return respondVersion(c, version, owned(ideaBank, precondition));
    },
  }),

  deleteIdeaBank: operation({
    method: "DELETE",
    effect: "ends",
    path: IDEA_BANK,
    scope: "ideabanks:write",
    version,
    summary: "Delete an idea bank",
    description: "Deletes its proposals and their comments too.",
    handle: async (c, { session, accountId, ids, idempotencyKey, precondition }) => {
      const { seen } = precondition;
      const deleted = await deleteIdeaBank(session, { accountId, id: ids.ideaBankId, seen, idempotencyKey });
      return respondDeleted(c, deleted, precondition);
    },
  }),
};
