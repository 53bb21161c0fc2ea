/** `GET /ideabank`. */
import { accessOf } from "../access/open-idea-bank.ts";
import { capabilitiesOf } from "../model/capabilities.ts";
import { IdeaBankAccess } from "../model/idea-bank.ts";
import { ideaBankOperation } from "./operation.ts";

export const IDEA_BANK_OPERATIONS = {
  getCapabilities: ideaBankOperation({
    method: "GET",
    effect: "reads",
    path: "/ideabank",
    capability: null,
    answer: IdeaBankAccess,
    problems: ["too-many-requests"],
    summary: "Read what the idea bank allows",
    description: "Call this first: it shows which other operations this token can use.",
    /** A closed, a suspended and a missing idea bank give the same answer. */
    handle: (c, opened) => {
      const panelistCapabilities = capabilitiesOf(opened.ideaBank);
      const { canViewProposals, canAnswerSurveys } = panelistCapabilities;
      const isMore = opened.token.panelistId === null && (canViewProposals || canAnswerSurveys);
      return c.json({ ...accessOf(opened), ...(isMore && { panelistCapabilities }) });
    },
  }),
};
