/** The kinds of changes: a generated client does not ask for the `proposalId` of a panelist's change. */
import { isAccountEvent } from "../../worker/model/account-event.ts";
import { CHANGE_TYPES } from "../../worker/model/change.ts";
import type { DeliveryType } from "../../worker/model/webhook.ts";
import { unionOf } from "./open-union.ts";
import type { JsonSchema } from "./schemas.ts";

/** Keyed by the first word of a type. */
const KINDS = {
  proposal: { name: "ProposalChange", always: ["ideaBankId", "proposalId", "proposal"], also: ["panelistId"] },
  comment: {
    name: "CommentChange",
    always: ["ideaBankId", "proposalId", "commentId", "proposal", "comment"],
    also: ["panelistId"],
  },
  panelist: { name: "PanelistChange", always: ["panelistId"], also: ["panelist"] },
  ideabank: { name: "IdeaBankChange", always: ["ideaBankId", "ideaBank"], also: [] },
  survey: { name: "SurveyChange", always: ["surveyId"], also: ["survey"] },
  "survey-response": {
    name: "SurveyResponseChange",
    always: ["ideaBankId", "surveyId"],
    also: ["panelistId", "response"],
  },
} as const;

/** The name of the schema of a type's changes. */
export const changeKindOf = (type: DeliveryType): string =>
  isAccountEvent(type)
    ? "AccountEvent"
    : (Object.entries(KINDS).find(([word]) => type.startsWith(`${word}.`))?.[1].name ?? "OtherChange");

/** The schemas with the union in the place of `Change`. */
export function withChangeUnion({ Change, ...schemas }: Record<string, JsonSchema>): Record<string, JsonSchema> {
  if (Change === undefined) throw new Error("there is no schema Change");
  const kinds = Object.entries(KINDS).map(([word, kind]) => ({
    ...kind,
    words: CHANGE_TYPES.filter((type) => type.startsWith(`${word}.`)),
  }));
  return {
    ...schemas,
    ...unionOf(Change, {
      name: "Change",
      by: "type",
      every: ["type", "at", "by", "apiKeyId"],
      kinds,
      other: { name: "OtherChange", description: "A change of a type that was added later: ignore it." },
    }),
  };
}
