/** A tenant's survey. */
import * as z from "zod/mini";
import { Id } from "./id.ts";
import { Description, oneOf, Timestamp, Title } from "./text.ts";

export const SURVEY_STATUSES = ["DRAFT", "OPEN", "CLOSED"] as const;
const Status = oneOf(SURVEY_STATUSES);

export const Survey = z.object({
  id: Id,
  title: Title,
  description: Description,
  status: Status,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Survey = z.infer<typeof Survey>;

export const NewSurvey = z.strictObject({
  title: Title,
  description: z._default(Description, ""),
  status: z._default(Status, "DRAFT"),
});
export type NewSurvey = z.infer<typeof NewSurvey>;

export const SurveyChanges = z.strictObject({
  title: z.optional(Title),
  description: z.optional(Description),
  status: z.optional(Status),
});
export type SurveyChanges = z.infer<typeof SurveyChanges>;
