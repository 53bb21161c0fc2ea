/** `/tenant/ideabanks`. */
import { apiKey, describeOperations, type Operations } from "../../http/operation.ts";
import { IdeaBank, IdeaBankChanges, NewIdeaBank } from "../../model/idea-bank.ts";
import { PageQuery } from "../../model/pagination.ts";

const IDEA_BANKS = "/tenant/ideabanks";
const IDEA_BANK = `${IDEA_BANKS}/{ideaBankId}`;
const read = apiKey("ideabanks:read");
const write = apiKey("ideabanks:write");

export const TENANT_IDEA_BANK_OPERATIONS = {
  listIdeaBanks: { method: "GET", path: IDEA_BANKS, credential: read, query: PageQuery },
  createIdeaBank: { method: "POST", path: IDEA_BANKS, credential: write, body: NewIdeaBank },
  getIdeaBank: { method: "GET", path: IDEA_BANK, credential: read },
  updateIdeaBank: { method: "PATCH", path: IDEA_BANK, credential: write, body: IdeaBankChanges },
  deleteIdeaBank: { method: "DELETE", path: IDEA_BANK, credential: write },
} as const satisfies Operations;

if (!import.meta.deployed) {
  const tag = {
    name: "Idea banks",
    description: "The idea banks of your account, and what panelists may do with them.",
  };
  describeOperations(tag, TENANT_IDEA_BANK_OPERATIONS, {
    listIdeaBanks: { summary: "List idea banks", description: "Newest first.", answer: IdeaBank },
    createIdeaBank: {
      summary: "Create an idea bank",
      description: "By default it is a draft with its changelog off.",
      answer: IdeaBank,
    },
    getIdeaBank: { summary: "Read an idea bank", answer: IdeaBank },
    updateIdeaBank: {
      summary: "Change an idea bank",
      description:
        "Fields that are not sent stay as they are. Any status but `OPEN` closes the idea bank to panelists.",
      answer: IdeaBank,
    },
    deleteIdeaBank: { summary: "Delete an idea bank", description: "Deletes its proposals and their comments too." },
  });
}
