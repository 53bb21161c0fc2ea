/** An example of each type of delivery, from the examples of the resources. A webhook's test sends it, and the OpenAPI document shows it. */
import * as z from "zod/mini";
import { type AccountEvent, exampleAccountEvent, isAccountEvent } from "./account-event.ts";
import type { Change, ChangeType } from "./change.ts";
import { Comment } from "./comment.ts";
import { descriptionOf } from "./describe.ts";
import { IdeaBank } from "./idea-bank.ts";
import { Panelist, withoutAddress } from "./panelist.ts";
import { Merge, Proposal } from "./proposal.ts";
import { Survey } from "./survey.ts";
import { SurveyResponse } from "./survey-response.ts";
import type { DeliveryType } from "./webhook.ts";

const exampleOf = <Schema extends z.ZodMiniType>(schema: Schema): z.output<Schema> =>
  z.parse(schema, descriptionOf(schema)?.example);

/** `at`: ISO 8601, UTC, with milliseconds. */
export const exampleDelivery = (type: DeliveryType, at: string): Change | AccountEvent =>
  isAccountEvent(type) ? exampleAccountEvent(type, at) : exampleChange(type, at);

export function exampleChange(type: ChangeType, at: string): Change {
  const [noun, verb] = type.split(".");
  const asNow = <Resource>(resource: Resource) => (verb === "deleted" ? null : resource);
  const every = { type, at, by: "tenant", apiKeyId: null } as const;
  const ideaBank = exampleOf(IdeaBank);
  const proposal = { ...exampleOf(Proposal), duplicateOf: verb === "merged" ? exampleOf(Merge).into : null };
  const ofProposal = { ideaBankId: ideaBank.id, proposalId: proposal.id };
  switch (noun) {
    case "proposal":
      return { ...every, ...ofProposal, proposal: asNow(proposal) };
    case "comment": {
      const comment = { ...exampleOf(Comment), proposalId: proposal.id };
      return { ...every, ...ofProposal, commentId: comment.id, proposal, comment: asNow(comment) };
    }
    case "panelist": {
      const panelist = withoutAddress(exampleOf(Panelist));
      return { ...every, panelistId: panelist.id, panelist: asNow(panelist) };
    }
    case "survey-response": {
      const response = exampleOf(SurveyResponse);
      const { panelistId } = response;
      const ofSurvey = { ideaBankId: ideaBank.id, surveyId: exampleOf(Survey).id, panelistId };
      return { ...every, by: "panelist", ...ofSurvey, response: asNow(response) };
    }
    case "survey": {
      const survey = exampleOf(Survey);
      return { ...every, surveyId: survey.id, survey: asNow(survey) };
    }
    default:
      return { ...every, ideaBankId: ideaBank.id, ideaBank: asNow(ideaBank) };
  }
}
