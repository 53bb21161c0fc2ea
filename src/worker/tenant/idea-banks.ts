/** `/tenant/ideabanks`. */
import { IDEA_BANKS } from "../database/idea-banks/idea-banks.ts";
import { IdeaBank, IdeaBankChanges, IdeaBankQuery, NewIdeaBank } from "../model/idea-bank.ts";
import { resourceOperations } from "./resource.ts";

const ideaBank = resourceOperations({
  tag: { name: "Idea banks", description: "The idea banks of your account, and what panelists may do with them." },
  path: "/tenant/ideabanks",
  id: "ideaBankId",
  names: ["an idea bank", "idea banks"],
  scopes: { read: "ideabanks:read", write: "ideabanks:write" },
  schemas: { resource: IdeaBank, created: NewIdeaBank, changes: IdeaBankChanges },
  query: IdeaBankQuery,
  rows: IDEA_BANKS,
  words: {
    create: "By default it is a draft with its changelog off.",
    update: "Any status but `OPEN` closes the idea bank to panelists.",
    delete: "Deletes its proposals and their comments too.",
  },
});

export const IDEA_BANK_OPERATIONS = {
  listIdeaBanks: ideaBank.list,
  createIdeaBank: ideaBank.create,
  getIdeaBank: ideaBank.get,
  updateIdeaBank: ideaBank.update,
  deleteIdeaBank: ideaBank.delete,
};
