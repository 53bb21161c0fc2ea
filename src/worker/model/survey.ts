/** A tenant's survey. */
import * as z from "zod/mini";
import { describe } from "./describe.ts";
import { ProposalExternalId } from "./external-id.ts";
import { Id } from "./id.ts";
import { Description, oneOf, Timestamp, Title, WebAddress } from "./text.ts";

export const SURVEY_STATUSES = ["DRAFT", "OPEN", "CLOSED"] as const;
const Status = oneOf(SURVEY_STATUSES);

const TEXTS = {
  title: "The title: one line of 1 to 200 characters.",
  description: "The description: at most 10,000 characters. Line breaks are kept.",
  status:
    "`DRAFT` until it is published, then `OPEN`, then `CLOSED`. Answers are taken by the service at `url`, not here.",
  url: "Where the survey is answered: an `https` address of at most 2,000 characters, or `null`.",
  externalId: "Your own id for it: 1 to 255 visible characters, or `null`.",
};
const EXAMPLE = {
  title: "How do you travel to work?",
  description: "Two minutes, six questions.",
  url: "https://surveys.example.com/travel",
  externalId: "travel-2026",
};

export const Survey = describe(
  z.object({
    id: Id,
    title: Title,
    description: Description,
    status: Status,
    url: z.nullable(WebAddress),
    externalId: z.nullable(ProposalExternalId),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  {
    name: "Survey",
    example: {
      id: "Q7rTz0LmX2cV",
      ...EXAMPLE,
      status: "OPEN",
      createdAt: "2026-11-02T09:30:00.000Z",
      updatedAt: "2026-11-03T16:05:12.345Z",
    },
    fields: {
      id: "The survey's identifier.",
      ...TEXTS,
      createdAt: "When it was created: ISO 8601, UTC, with milliseconds.",
      updatedAt: "When it was last changed: ISO 8601, UTC, with milliseconds.",
    },
  },
);
export type Survey = z.infer<typeof Survey>;

export const NewSurvey = describe(
  z.strictObject({
    title: Title,
    description: z._default(Description, ""),
    status: z._default(Status, "DRAFT"),
    url: z._default(z.nullable(WebAddress), null),
    externalId: z._default(z.nullable(ProposalExternalId), null),
  }),
  { name: "NewSurvey", example: EXAMPLE, fields: TEXTS },
);
export type NewSurvey = z.infer<typeof NewSurvey>;

export const SurveyChanges = describe(
  z.strictObject({
    title: z.optional(Title),
    description: z.optional(Description),
    status: z.optional(Status),
    url: z.optional(z.nullable(WebAddress)),
    externalId: z.optional(z.nullable(ProposalExternalId)),
  }),
  { name: "SurveyChanges", example: { status: "CLOSED" }, fields: TEXTS },
);
export type SurveyChanges = z.infer<typeof SurveyChanges>;
