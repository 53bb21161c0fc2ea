/** A survey, for its tenant. */
import * as z from "zod/mini";
import { describe } from "./describe.ts";
import { ProposalExternalId } from "./external-id.ts";
import { Id } from "./id.ts";
import { PAGE_PARAMETER_TEXTS, PAGE_PARAMETERS } from "./pagination.ts";
import { newQuestions, SurveyQuestions } from "./survey-question.ts";
import {
  Description,
  flag,
  integer,
  Moment,
  oneOf,
  prose,
  Timestamp,
  Title,
  toMilliseconds,
  toTimestamp,
  WebAddress,
} from "./text.ts";

export const SURVEY_STATUSES = ["DRAFT", "OPEN", "CLOSED"] as const;
export type SurveyStatus = (typeof SURVEY_STATUSES)[number];
const Status = oneOf(SURVEY_STATUSES);

/** So many surveys of an idea bank are open at most: panelists get all of them at once. */
export const MAX_OPEN = 20;
/** What a team sees of an anonymous survey moves in steps of so many responses. */
export const ANONYMOUS_STEP = 5;

export const SurveyQuery = describe(
  z.strictObject({ ...PAGE_PARAMETERS, ideaBankId: z.optional(Id), status: z.optional(Status) }),
  {
    name: "SurveyQuery",
    fields: {
      ...PAGE_PARAMETER_TEXTS,
      ideaBankId: "Only surveys that the panelists of this idea bank answer.",
      status: "Only surveys with this status.",
    },
  },
);

const TEXTS = {
  ideaBankId:
    "The idea bank whose panelists answer it here. `null`: it is answered elsewhere, at `url`. Cannot change once it has been open.",
  title: "The title: one line of 1 to 200 characters.",
  description: "The description: at most 10,000 characters. Line breaks are kept.",
  thanks: "What people read after their answer: at most 2,000 characters.",
  status:
    "`DRAFT` until it is published, then `OPEN`, then `CLOSED`. From the answer to a close on, no response is accepted. Once it has been open, it does not become a draft again, and an anonymous survey cannot be opened again.",
  url: "Where a survey without `ideaBankId` is answered: an `https` address of at most 2,000 characters, or `null`.",
  externalId: "Your own id for it: 1 to 255 visible characters, or `null`.",
  questions:
    "At most 50. Once the survey has been open, what an answer means is fixed: you can correct texts, and add options and questions that are not required at the end. Copy the survey to ask something else.",
  audience: "Who is asked: `null` for everybody of the idea bank, or the voters of one of its proposals.",
  anonymous:
    "`true`: nobody can tell who answered what, and you see results in steps of five responses. Cannot change once it has been open. The default is `false`.",
  editable: "Whether people can change their answer until the close. The default is `true`.",
  closesAt: "When it closes by itself: ISO 8601 with an offset, in the future; or `null`.",
  maxResponses:
    "It closes with this response: 1 to 1,000,000; or `null`. Who has answered can still change the answer.",
};

const audience = (name: string) =>
  describe(z.strictObject({ votersOf: Id }), {
    name,
    example: { votersOf: "Pr0p0sa1Dark" },
    fields: {
      votersOf:
        "Who votes for this proposal of the idea bank. If it is merged, the voters of the one that stays. If it is deleted, those who have answered already.",
    },
  });
const Audience = audience("SurveyAudience");
const NewAudience = audience("NewSurveyAudience");

const QUESTIONS = [
  {
    ...({ id: "recommend", kind: "scale", title: "Would you recommend us?", help: "", required: true } as const),
    ...{ showIf: null, from: 0, to: 10, nps: true, stars: false, lowLabel: "Not at all", highLabel: "Very likely" },
  },
  {
    ...({ id: "why", kind: "text", title: "What is missing?", help: "", required: false, long: true } as const),
    showIf: { question: "recommend", anyOf: [0, 1, 2, 3, 4, 5, 6] },
  },
];
const EXAMPLE = {
  ideaBankId: "b4nKb4nKb4nK",
  title: "How do you travel to work?",
  description: "A minute, two questions.",
  thanks: "Thank you! We read every answer.",
  externalId: "travel-2026",
  questions: QUESTIONS,
};

const ClosesAt = Moment.check(
  // What is no time was refused before, and stays as it is.
  z.overwrite((time) => (Number.isNaN(toMilliseconds(time)) ? time : toTimestamp(toMilliseconds(time)))),
);
const MaxResponses = integer(1, 1_000_000);
export const responseCount = () => integer(0, 1_000_000_000);
const Thanks = prose({ min: 0, max: 2_000 });

export const Survey = describe(
  z.object({
    id: Id,
    ideaBankId: z.nullable(Id),
    title: Title,
    description: Description,
    thanks: Thanks,
    status: Status,
    url: z.nullable(WebAddress),
    externalId: z.nullable(ProposalExternalId),
    questions: SurveyQuestions,
    audience: z.nullable(Audience),
    anonymous: flag(),
    editable: flag(),
    closesAt: z.nullable(Timestamp),
    maxResponses: z.nullable(MaxResponses),
    responses: responseCount(),
    openedAt: z.nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  {
    name: "Survey",
    example: {
      id: "Q7rTz0LmX2cV",
      ...EXAMPLE,
      url: null,
      status: "OPEN",
      audience: null,
      anonymous: false,
      editable: true,
      closesAt: "2026-12-12T17:00:00.000Z",
      maxResponses: null,
      responses: 140,
      openedAt: "2026-11-02T10:00:00.000Z",
      createdAt: "2026-11-02T09:30:00.000Z",
      updatedAt: "2026-11-03T16:05:12.345Z",
    },
    fields: {
      id: "The survey's identifier.",
      ...TEXTS,
      closesAt: "When it closes by itself: ISO 8601, UTC; or `null`.",
      responses: "The number of responses. Of an anonymous survey that is open, the number at the last step of five.",
      openedAt: "When it was opened first: ISO 8601, UTC, with milliseconds; `null` if it never was.",
      createdAt: "When it was created: ISO 8601, UTC, with milliseconds.",
      updatedAt: "When you changed it last: ISO 8601, UTC, with milliseconds.",
    },
  },
);
export type Survey = z.infer<typeof Survey>;

export const NewSurvey = describe(
  z.strictObject({
    ideaBankId: z._default(z.nullable(Id), null),
    title: Title,
    description: z._default(Description, ""),
    thanks: z._default(Thanks, ""),
    status: z._default(Status, "DRAFT"),
    url: z._default(z.nullable(WebAddress), null),
    externalId: z._default(z.nullable(ProposalExternalId), null),
    questions: z._default(newQuestions(), []),
    audience: z._default(z.nullable(NewAudience), null),
    anonymous: z._default(flag(), false),
    editable: z._default(flag(), true),
    closesAt: z._default(z.nullable(ClosesAt), null),
    maxResponses: z._default(z.nullable(MaxResponses), null),
  }),
  { name: "NewSurvey", example: EXAMPLE, fields: TEXTS },
);
export type NewSurvey = z.infer<typeof NewSurvey>;

export const SurveyChanges = describe(
  z.strictObject({
    ideaBankId: z.optional(z.nullable(Id)),
    title: z.optional(Title),
    description: z.optional(Description),
    thanks: z.optional(Thanks),
    status: z.optional(Status),
    url: z.optional(z.nullable(WebAddress)),
    externalId: z.optional(z.nullable(ProposalExternalId)),
    questions: z.optional(newQuestions()),
    audience: z.optional(z.nullable(NewAudience)),
    anonymous: z.optional(flag()),
    editable: z.optional(flag()),
    closesAt: z.optional(z.nullable(ClosesAt)),
    maxResponses: z.optional(z.nullable(MaxResponses)),
  }),
  { name: "SurveyChanges", example: { status: "CLOSED" }, fields: TEXTS },
);
export type SurveyChanges = z.infer<typeof SurveyChanges>;

/** What a sent field says instead of what was there. */
export const afterChange = (was: Survey, sent: SurveyChanges): Survey => {
  const isSent = ([, value]: readonly [string, unknown]) => value !== undefined;
  return { ...was, ...(Object.fromEntries(Object.entries(sent).filter(isSent)) as Partial<Survey>) };
};
