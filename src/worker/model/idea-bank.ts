/** An idea bank, for the tenant API and for the panelist API. */
import * as z from "zod/mini";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import { LANGUAGES } from "./language.ts";
import { PAGE_PARAMETER_TEXTS, PAGE_PARAMETERS } from "./pagination.ts";
import { flag, integer, line, Name, oneOf, Timestamp, WebAddress } from "./text.ts";

export const IDEA_BANK_STATUSES = ["DRAFT", "OPEN", "CLOSED"] as const;
export type IdeaBankStatus = (typeof IDEA_BANK_STATUSES)[number];

const Status = oneOf(IDEA_BANK_STATUSES);
export const IdeaBankQuery = describe(z.strictObject({ ...PAGE_PARAMETERS, status: z.optional(Status) }), {
  name: "IdeaBankQuery",
  fields: { ...PAGE_PARAMETER_TEXTS, status: "Only idea banks with this status." },
});

const ChangelogMaxEntries = integer(1, 100);
const Summary = line({ min: 0, max: 300 });
const MailLanguage = z.nullable(oneOf(LANGUAGES));

const TEXTS = {
  name: "The name: one line of 1 to 100 characters.",
  status: "Panelists can use an idea bank while it is `OPEN`. `DRAFT` and `CLOSED` close every capability.",
  internal:
    "`true` closes proposals, votes and comments to panelists. It does not close the changelog or surveys. The default is `false`.",
  changelogEnabled: "Whether panelists can read the changelog while the idea bank is `OPEN`. The default is `false`.",
  changelogMaxEntries: "The maximum number of entries in the changelog: 1 to 100. The default is 20.",
  submissionsEnabled: "Whether panelists can submit proposals. The default is `true`.",
  votingEnabled: "Whether panelists can vote. The default is `true`.",
  commentsEnabled: "Whether panelists can comment. The default is `true`.",
  surveysEnabled:
    "Whether panelists can answer the idea bank's surveys, also while it is `internal`. The default is `true`.",
  approvalRequired:
    "`true`: a panelist's new proposal has the visibility `pending` until you make it `public`. The default is `false`, and `true` with `publicPage`.",
  commentApprovalRequired:
    "`true`: a panelist's comment has the visibility `pending` until you make it `public`, and so after each edit. The default is `false`.",
  url: "The page that shows the idea bank: an `https` address of at most 2,000 characters, or `null`. Feeds link to it.",
  description:
    "What the idea bank is about, for its public page: one line of at most 300 characters. The default is empty.",
  publicPage:
    "Whether the idea bank has a page of its own at `/b/{id}`, for everybody who has the link. The default is `false`. " +
    "Switching it on switches `approvalRequired` on, unless the same request sends that, too.",
  hiddenFromSearch:
    "`true` asks search engines not to list the public page. Everybody who has the link can still read it. The default is `false`.",
  emailSignIn:
    "Whether people can sign in on the public page with a code by e-mail. It needs a deployment that sends e-mail. The default is `false`.",
  signInUrl:
    "Your own page where people sign in for the public page: an `https` address of at most 2,000 characters, or `null`. It comes back with a token (`docs/pages.md`).",
  notifiesPeople:
    "Whether people are told by e-mail when something is decided about an idea of theirs, or one that they voted for, commented on or follow. " +
    "It needs a deployment that sends e-mail. The default is `true`.",
  language:
    "The language of these e-mails to people whose own is not known: `en` or another language of the pages. `null`, the default, is English.",
};
export const EXAMPLE_NAME = "Riverline rider ideas";

export const EXAMPLE_CAPABILITIES = {
  canViewChangelog: true,
  canViewProposals: true,
  canSubmitProposals: true,
  canVote: true,
  canComment: true,
  canAnswerSurveys: true,
};

export const IdeaBank = describe(
  z.object({
    id: Id,
    name: Name,
    status: Status,
    internal: flag(),
    changelogEnabled: flag(),
    changelogMaxEntries: ChangelogMaxEntries,
    submissionsEnabled: flag(),
    votingEnabled: flag(),
    commentsEnabled: flag(),
    surveysEnabled: flag(),
    approvalRequired: flag(),
    url: z.nullable(WebAddress),
    description: Summary,
    publicPage: flag(),
    hiddenFromSearch: flag(),
    emailSignIn: flag(),
    signInUrl: z.nullable(WebAddress),
    notifiesPeople: flag(),
    language: MailLanguage,
    commentApprovalRequired: flag(),
    createdAt: Timestamp,
  }),
  {
    name: "IdeaBank",
    example: {
      id: "b4nKb4nKb4nK",
      name: EXAMPLE_NAME,
      status: "OPEN",
      internal: false,
      changelogEnabled: true,
      changelogMaxEntries: 20,
      submissionsEnabled: true,
      votingEnabled: true,
      commentsEnabled: true,
      surveysEnabled: true,
      approvalRequired: false,
      url: "https://riverline.example/ideas",
      description: "Tell us what would make your ride better.",
      publicPage: true,
      hiddenFromSearch: false,
      emailSignIn: true,
      signInUrl: null,
      notifiesPeople: true,
      language: "en",
      commentApprovalRequired: false,
      createdAt: "2026-11-02T09:30:00.000Z",
    },
    fields: {
      id: "The idea bank's identifier.",
      ...TEXTS,
      createdAt: "When it was created: ISO 8601, UTC, with milliseconds.",
    },
  },
);
export type IdeaBank = z.infer<typeof IdeaBank>;

export const NewIdeaBank = describe(
  z.strictObject({
    name: Name,
    status: z._default(Status, "DRAFT"),
    internal: z._default(flag(), false),
    changelogEnabled: z._default(flag(), false),
    changelogMaxEntries: z._default(ChangelogMaxEntries, 20),
    submissionsEnabled: z._default(flag(), true),
    votingEnabled: z._default(flag(), true),
    commentsEnabled: z._default(flag(), true),
    surveysEnabled: z._default(flag(), true),
    // Its default depends on `publicPage`.
    approvalRequired: z.optional(flag()),
    url: z._default(z.nullable(WebAddress), null),
    description: z._default(Summary, ""),
    publicPage: z._default(flag(), false),
    hiddenFromSearch: z._default(flag(), false),
    emailSignIn: z._default(flag(), false),
    signInUrl: z._default(z.nullable(WebAddress), null),
    notifiesPeople: z._default(flag(), true),
    language: z._default(MailLanguage, null),
    commentApprovalRequired: z._default(flag(), false),
  }),
  {
    name: "NewIdeaBank",
    example: { name: EXAMPLE_NAME, status: "OPEN", changelogEnabled: true },
    fields: TEXTS,
  },
);
export type NewIdeaBank = z.infer<typeof NewIdeaBank>;

export const IdeaBankChanges = describe(
  z.strictObject({
    name: z.optional(Name),
    status: z.optional(Status),
    internal: z.optional(flag()),
    changelogEnabled: z.optional(flag()),
    changelogMaxEntries: z.optional(ChangelogMaxEntries),
    submissionsEnabled: z.optional(flag()),
    votingEnabled: z.optional(flag()),
    commentsEnabled: z.optional(flag()),
    surveysEnabled: z.optional(flag()),
    approvalRequired: z.optional(flag()),
    url: z.optional(z.nullable(WebAddress)),
    description: z.optional(Summary),
    publicPage: z.optional(flag()),
    hiddenFromSearch: z.optional(flag()),
    emailSignIn: z.optional(flag()),
    signInUrl: z.optional(z.nullable(WebAddress)),
    notifiesPeople: z.optional(flag()),
    language: z.optional(MailLanguage),
    commentApprovalRequired: z.optional(flag()),
  }),
  { name: "IdeaBankChanges", example: { changelogMaxEntries: 10 }, fields: TEXTS },
);
export type IdeaBankChanges = z.infer<typeof IdeaBankChanges>;

/** The fields that decide the capabilities. */
export type IdeaBankSwitches = {
  readonly accountSuspended: boolean;
  readonly status: IdeaBankStatus;
  readonly internal: boolean;
  readonly changelogEnabled: boolean;
  readonly submissionsEnabled: boolean;
  readonly votingEnabled: boolean;
  readonly commentsEnabled: boolean;
  readonly surveysEnabled: boolean;
};

/** Whether everybody who has the link can read its own page. */
export const isPageOpen = ({
  publicPage,
  status,
  internal,
}: Pick<IdeaBank, "publicPage" | "status" | "internal">): boolean => publicPage && status === "OPEN" && !internal;

/**
 * The state of an idea bank that a panelist's request needs. `changelogVersion` identifies the current rendered changelog. A
 * visitor's token that was issued at or before `visitorTokensEndedAt` (Unix milliseconds) is not valid, and neither is any token of
 * ours from at or before `tokensEndedAt`; null when none were ended.
 */
export type IdeaBankState = IdeaBankSwitches & {
  readonly accountId: string;
  /** Of the account; null in one that 1.0.0 made. */
  readonly panelistSalt: string | null;
  readonly name: string;
  readonly url: string | null;
  readonly description: string;
  readonly publicPage: boolean;
  readonly hiddenFromSearch: boolean;
  readonly emailSignIn: boolean;
  readonly signInUrl: string | null;
  readonly changelogVersion: number;
  readonly visitorTokensEndedAt: number | null;
  readonly tokensEndedAt: number | null;
  /** How often all tokens of the account were ended. */
  readonly accountEpoch: number;
  /** The epoch of the secret with which the tenant's server signs, and the earlier ones that are good until a time. */
  readonly signingEpoch: number;
  readonly earlierEpochs: readonly (readonly [epoch: number, until: number])[];
};

export const CapabilitySet = describe(
  z.object({
    canViewChangelog: flag(),
    canViewProposals: flag(),
    canSubmitProposals: flag(),
    canVote: flag(),
    canComment: flag(),
    canAnswerSurveys: flag(),
  }),
  {
    name: "Capabilities",
    fields: {
      canViewChangelog: "Whether the changelog can be read.",
      canViewProposals: "Whether proposals and their comments can be read.",
      canSubmitProposals: "Whether proposals can be submitted, edited and withdrawn.",
      canVote: "Whether votes can be given and taken back.",
      canComment: "Whether comments can be added and deleted.",
      canAnswerSurveys: "Whether surveys can be answered. It does not depend on proposals.",
    },
  },
);
export type Capabilities = z.infer<typeof CapabilitySet>;
export type Capability = keyof Capabilities;

/** An idea bank's name, and what panelists may do with it. */
export const IdeaBankAccess = describe(
  z.object({
    name: z.nullable(Name),
    capabilities: CapabilitySet,
    panelistCapabilities: z.optional(CapabilitySet),
  }),
  {
    name: "IdeaBankAccess",
    example: { name: EXAMPLE_NAME, capabilities: EXAMPLE_CAPABILITIES },
    fields: {
      name: "The idea bank's name. `null` when every capability is `false` because it is closed or does not exist.",
      capabilities: "What the token's panelist can do with the idea bank now.",
      panelistCapabilities:
        "With a visitor's token, while proposals or surveys can be read: what a panelist can do, so what a sign-in makes possible.",
    },
  },
);
