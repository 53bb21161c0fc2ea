/** A proposal in an idea bank, as its tenant sees it. */
import * as z from "zod/mini";
import { ACTING_FOR_TEXTS, actingFor, namesAtMostOne } from "./acting-for.ts";
import { describe } from "./describe.ts";
import { ProposalExternalId } from "./external-id.ts";
import { Id } from "./id.ts";
import { Metadata } from "./metadata.ts";
import { PAGE_PARAMETER_TEXTS, PAGE_PARAMETERS } from "./pagination.ts";
import { NewTags, TAGS_OF_IDEA_BANK, Tag, Tags } from "./tag.ts";
import { Description, flag, integer, Moment, oneOf, prose, Search, someOf, Timestamp, Title } from "./text.ts";

/** Every change between them is allowed, so that mistakes can be corrected. */
export const PROPOSAL_STATUSES = [
  "submitted",
  "under-review",
  "planned",
  "in-progress",
  "implemented",
  "declined",
] as const;

export const ProposalStatus = oneOf(PROPOSAL_STATUSES);
export type ProposalStatus = z.infer<typeof ProposalStatus>;

/** `pending`: only the author and the tenant see it. `hidden`: only the tenant sees it. */
export const VISIBILITIES = ["public", "pending", "hidden"] as const;
export const Visibility = oneOf(VISIBILITIES);
export type Visibility = z.infer<typeof Visibility>;

const ResponseText = prose({ min: 1, max: 10_000 });

const TEXTS = {
  title: "The title: one line of 1 to 200 characters.",
  description: "The description: at most 10,000 characters. Line breaks are kept.",
  status:
    "The status. `implemented` puts a public proposal into the changelog. Any change is allowed. The default is `submitted`.",
  visibility:
    "`public`: every panelist sees it. `pending`: its author and you see it. `hidden`: only you see it. The default is `public`.",
  tags: `Up to 5 different tags of 1 to 32 visible characters. Panelists see them. Tags that differ only in case are one tag. An idea bank has at most ${TAGS_OF_IDEA_BANK}.`,
  metadata:
    "Up to 16 pairs of texts, 4 KiB as JSON: names of 1 to 64 visible characters, values of at most 1,000. Panelists never see them. " +
    "The pairs that you send replace all of them.",
};
const EXTERNAL_ID_TEXT =
  "Your own id for the proposal, unique in its idea bank: 1 to 255 visible characters, or `null`. Panelists never see it.";
const CREATION_TEXTS = {
  createdAt:
    "For imports: when it was created, in ISO 8601 and not in the future. It is `lastActivityAt`, too, and the time of the response. " +
    "An update does not change it.",
  panelistId: `${ACTING_FOR_TEXTS.panelistId} It becomes the author. An update does not change it.`,
  panelistExternalId: ACTING_FOR_TEXTS.panelistExternalId,
};
const MINOR_TEXT =
  "`true`: a correction, which is no activity. `lastActivityAt` stays, and with it the place in the changelog.";
const EXAMPLE = { title: "Dark mode", description: "Follows the phone's own setting. The map, too." };
const EXAMPLE_RESPONSE = { text: "It is in version 4.2.", respondedAt: "2026-11-20T12:00:00.000Z" };
const RESPONSE_TEXT = "Your official response, or `null`.";

/** The tenant's official response. */
export const OfficialResponse = describe(z.object({ text: ResponseText, respondedAt: Timestamp }), {
  name: "OfficialResponse",
  example: EXAMPLE_RESPONSE,
  fields: {
    text: "The text: 1 to 10,000 characters. Line breaks are kept.",
    respondedAt: "When it was given or last changed: ISO 8601, UTC, with milliseconds.",
  },
});
export type OfficialResponse = z.infer<typeof OfficialResponse>;

export const EXAMPLE_PROPOSAL = {
  id: "Pr0p0sa1Dark",
  ...EXAMPLE,
  status: "implemented" as const,
  visibility: "public" as const,
  votes: 12,
  comments: 3,
  panelistId: "Pa7Ne1isT001",
  response: EXAMPLE_RESPONSE,
  duplicateOf: null,
  merging: false,
  tags: ["Mobile"],
  externalId: "TRACK-42",
  metadata: { team: "Apps" },
  createdAt: "2026-11-05T08:00:00.000Z",
  lastActivityAt: "2026-11-20T12:00:00.000Z",
};

/** The number of votes or comments. */
export const Count = integer(0, 1_000_000_000);

export const Proposal = describe(
  z.object({
    id: Id,
    title: Title,
    description: Description,
    status: ProposalStatus,
    visibility: Visibility,
    votes: Count,
    comments: Count,
    panelistId: z.nullable(Id),
    response: z.nullable(OfficialResponse),
    duplicateOf: z.nullable(Id),
    merging: flag(),
    tags: Tags,
    externalId: z.nullable(ProposalExternalId),
    metadata: Metadata,
    createdAt: Timestamp,
    lastActivityAt: Timestamp,
  }),
  {
    name: "Proposal",
    example: EXAMPLE_PROPOSAL,
    fields: {
      id: "The proposal's identifier.",
      ...TEXTS,
      votes: "How many panelists vote for it. A merged proposal has none: its votes have moved to its target.",
      comments: "How many comments it has.",
      panelistId: "The panelist who submitted it. `null` if you created it, or once the panelist has been deleted.",
      response: "Your official response, or `null`.",
      duplicateOf: "The proposal that this one was merged into, or `null`.",
      merging:
        "`true` while votes move from a merged proposal to its target. Until then, `votes` counts what each of them has now.",
      externalId: EXTERNAL_ID_TEXT,
      createdAt: "When it was created: ISO 8601, UTC, with milliseconds.",
      lastActivityAt:
        "Its last edit, change of status, official response or comment: ISO 8601, UTC, with milliseconds. A vote, a comment on an implemented " +
        "proposal and a `minor` change are not activity.",
    },
  },
);
export type Proposal = z.infer<typeof Proposal>;

const NewResponse = describe(z.strictObject({ text: ResponseText }), {
  name: "NewResponse",
  example: { text: EXAMPLE_RESPONSE.text },
  fields: { text: "The text: 1 to 10,000 characters. Line breaks are kept." },
});

/** The fields that a creation and a change can set. */
const settable = () => ({
  description: z.optional(Description),
  status: z.optional(ProposalStatus),
  visibility: z.optional(Visibility),
  response: z.optional(z.nullable(NewResponse)),
  tags: z.optional(NewTags),
  metadata: z.optional(Metadata),
});

/** About the change itself, and no field of the proposal. */
const asChange = () => ({ minor: z.optional(flag()) });

/** The fields that only a creation can set. */
const atCreation = () => ({ createdAt: z.optional(Moment), ...actingFor() });

export const ProposalUpsert = describe(
  z.strictObject({ title: Title, ...settable(), ...asChange(), ...atCreation() }).check(namesAtMostOne),
  {
    name: "ProposalUpsert",
    example: { ...EXAMPLE, status: "planned", metadata: { team: "Apps" } },
    fields: {
      ...TEXTS,
      response: RESPONSE_TEXT,
      minor: `${MINOR_TEXT} It is about a change, not about a creation.`,
      ...CREATION_TEXTS,
    },
  },
);
export type ProposalUpsert = z.infer<typeof ProposalUpsert>;

export const NewProposal = describe(
  z
    .strictObject({
      title: Title,
      ...settable(),
      externalId: z.optional(z.nullable(ProposalExternalId)),
      ...atCreation(),
    })
    .check(namesAtMostOne),
  {
    name: "NewProposal",
    example: EXAMPLE,
    fields: { ...TEXTS, response: RESPONSE_TEXT, externalId: EXTERNAL_ID_TEXT, ...CREATION_TEXTS },
  },
);
export type NewProposal = z.infer<typeof NewProposal>;

export const ProposalChanges = describe(
  z.strictObject({
    title: z.optional(Title),
    ...settable(),
    externalId: z.optional(z.nullable(ProposalExternalId)),
    ...asChange(),
    notify: z.optional(flag()),
  }),
  {
    name: "ProposalChanges",
    example: { status: "implemented", response: { text: EXAMPLE_RESPONSE.text } },
    fields: {
      ...TEXTS,
      response: "Your official response. `null` removes it.",
      externalId: EXTERNAL_ID_TEXT,
      minor: MINOR_TEXT,
      notify:
        "Whether people who suggested it, voted, commented or follow it are told by e-mail (`docs/mails.md`). Without it, they are told of a new " +
        "status and of the first response, unless the change is `minor`. `false`: nobody is told. `true`: of an edited response, too.",
    },
  },
);
export type ProposalChanges = z.infer<typeof ProposalChanges>;

/** Members decide about every field but the tenant's own. The activity has the status of an idea bank, too. */
type Decided = Exclude<keyof ProposalChanges, "minor" | "notify" | "status" | "externalId" | "metadata">;

/** What is recorded of a decision, before and after it. */
export const RECORDED = {
  title: z.string(),
  description: z.string(),
  visibility: z.string(),
  response: z.nullable(z.string()),
  tags: z.array(z.string()),
} satisfies Record<Decided, z.ZodMiniType>;
export const RECORDED_TEXTS: Readonly<Record<Decided, string>> = {
  title: "Of a proposal, as the seven after it.",
  description: "How the description begins.",
  visibility: "Who sees the proposal.",
  response: "How the official response begins.",
  tags: "The tags.",
};

export const SEARCH_TEXT =
  "Only proposals with these words in their titles or descriptions: one page of at most 20, the best first, whatever the order of the list " +
  "otherwise. Case, accents, apostrophes and hyphens do not matter, and a word need not be complete. A filter picks from 40 that fit.";

const ProposalSort = oneOf(["new", "top", "active"]);

export const ProposalQuery = describe(
  z
    .strictObject({
      ...PAGE_PARAMETERS,
      sort: z._default(ProposalSort, "new"),
      status: z.optional(someOf(PROPOSAL_STATUSES)),
      visibility: z.optional(Visibility),
      tag: z.optional(Tag),
      externalId: z.optional(ProposalExternalId),
      panelistId: z.optional(Id),
      q: z.optional(Search),
    })
    .check(
      z.refine(
        ({ sort, visibility = "public", tag, externalId, panelistId, q }) => {
          const others = [tag, externalId, panelistId, q].every((filter) => filter === undefined);
          return sort === "new" || (visibility === "public" && others);
        },
        { path: ["sort"], error: "top and active are for public proposals, and go with `status` alone" },
      ),
      z.refine(
        ({ status, visibility, tag, externalId, panelistId, q }) => {
          const others = [status, visibility, tag, externalId, q].every((filter) => filter === undefined);
          return panelistId === undefined || others;
        },
        { path: ["panelistId"], error: "goes with no other filter" },
      ),
    ),
  {
    name: "ProposalQuery",
    fields: {
      ...PAGE_PARAMETER_TEXTS,
      sort: "`new`: newest first. `top`: most votes first. `active`: latest activity first. The last two list public proposals.",
      status: "Only proposals with one of these statuses.",
      panelistId: "Only what this panelist submitted, merged proposals included. It goes with no other filter.",
      visibility: "Only proposals with this visibility. `pending` lists the proposals that need your approval.",
      tag: "Only proposals with this tag.",
      externalId: "Only the proposal with this `externalId`, also when it was merged.",
      q: SEARCH_TEXT,
    },
  },
);
export type ProposalFilter = Partial<Omit<z.infer<typeof ProposalQuery>, "limit" | "cursor">>;

export const Merge = describe(z.strictObject({ into: Id }), {
  name: "Merge",
  example: { into: "Pr0p0sa1Same" },
  fields: { into: "The proposal that stays: another one of the same idea bank that is not merged itself." },
});
