/** Proposals, votes and comments as panelists see them: without other panelists' ids and external ids. */
import * as z from "zod/mini";
import { CommentAuthor } from "./comment.ts";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import { PAGE_PARAMETER_TEXTS, PAGE_PARAMETERS } from "./pagination.ts";
import { Count, OfficialResponse, ProposalStatus, SEARCH_TEXT } from "./proposal.ts";
import { Tag, Tags } from "./tag.ts";
import { Description, flag, Name, oneOf, prose, Search, Timestamp, Title } from "./text.ts";

const TEXTS = {
  title: "The title: one line of 1 to 200 characters.",
  description: "The description: up to 10,000 characters, or empty. Line breaks are kept.",
};
const EXAMPLE = { title: "Night buses", description: "Every half hour, all week." };

/** `author` is a display name, or null. */
export const PanelistProposal = describe(
  z.object({
    id: Id,
    title: Title,
    description: Description,
    status: ProposalStatus,
    tags: Tags,
    votes: Count,
    comments: Count,
    voted: flag(),
    following: z.optional(flag()),
    mine: flag(),
    by: CommentAuthor,
    author: z.nullable(Name),
    visibility: oneOf(["public", "pending"]),
    response: z.nullable(OfficialResponse),
    duplicateOf: z.nullable(Id),
    createdAt: Timestamp,
    lastActivityAt: Timestamp,
  }),
  {
    name: "PanelistProposal",
    example: {
      id: "Pr0p0sa1Nigh",
      ...EXAMPLE,
      status: "planned",
      tags: ["Mobile"],
      votes: 12,
      comments: 3,
      voted: true,
      following: false,
      mine: false,
      by: "panelist",
      author: "Robin",
      visibility: "public",
      response: { text: "From May on.", respondedAt: "2026-11-20T12:00:00.000Z" },
      duplicateOf: null,
      createdAt: "2026-11-05T08:00:00.000Z",
      lastActivityAt: "2026-11-20T12:00:00.000Z",
    },
    fields: {
      id: "The proposal's identifier.",
      ...TEXTS,
      status: "The proposal's status.",
      tags: "Its tags, which the tenant sets: at most 5.",
      votes: "How many panelists vote for it. After a merge, votes arrive within minutes when there are many.",
      comments: "How many comments it has.",
      voted:
        "Whether the token's panelist votes for it, or for a proposal whose votes are on their way to it after a merge.",
      following:
        "Whether the token's panelist follows it, and gets an e-mail about new comments. Only in the answer to reading, submitting or editing one " +
        "proposal, and only for a panelist who has an e-mail address that can be reached, where people are told by e-mail.",
      mine: "Whether the token's panelist submitted it.",
      by: "Who wrote it: a `panelist`, or the `tenant`, who then has no name here.",
      author: "The display name of who submitted it, or `null`.",
      visibility: "`public`, or `pending` while one's own proposal waits for the tenant's approval.",
      response: "The tenant's official response, or `null`.",
      duplicateOf:
        "The proposal that this one was merged into, or `null`, also when this panelist may not see that one. Lists leave merged proposals out.",
      createdAt: "When it was created: ISO 8601, UTC, with milliseconds.",
      lastActivityAt:
        "Its last edit, change of status, official response or comment: ISO 8601, UTC, with milliseconds. A vote, a comment on an implemented " +
        "proposal and a small correction by the tenant are not activity.",
    },
  },
);
export type PanelistProposal = z.infer<typeof PanelistProposal>;

const Text = prose({ min: 1, max: 10_000 });

export const Submission = describe(z.strictObject({ title: Title, description: z._default(Description, "") }), {
  name: "Submission",
  example: EXAMPLE,
  fields: TEXTS,
});
export type Submission = z.infer<typeof Submission>;

export const SubmissionChanges = describe(
  z.strictObject({ title: z.optional(Title), description: z.optional(Description) }),
  {
    name: "SubmissionChanges",
    example: { description: "Every twenty minutes, all week." },
    fields: TEXTS,
  },
);
export type SubmissionChanges = z.infer<typeof SubmissionChanges>;

export const SORTS = ["new", "top", "hot", "active"] as const;
export type Sort = (typeof SORTS)[number];

export const PanelistProposalQuery = describe(
  z.strictObject({
    ...PAGE_PARAMETERS,
    sort: z._default(oneOf(SORTS), "new"),
    status: z.optional(ProposalStatus),
    mine: z.optional(oneOf(["submitted", "voted"])),
    tag: z.optional(Tag),
    q: z.optional(Search),
  }),
  {
    name: "PanelistProposalQuery",
    fields: {
      ...PAGE_PARAMETER_TEXTS,
      sort: "`new`: by creation. `top`: by votes. `hot`: by votes and age. `active`: by last activity. The highest first.",
      status: "Only proposals with this status.",
      mine:
        "`submitted`: only the panelist's own, pending ones included. `voted`: only those that the panelist votes for, with `new` the " +
        "latest vote first. Another sort, `voted` with a status, and `q` are of the latest 100.",
      q: SEARCH_TEXT,
      tag: "Only proposals with this tag. A sort other than `new` is then of the latest 200 with it, and `mine` of the latest 100.",
    },
  },
);
export type PanelistProposalFilter = Pick<
  z.infer<typeof PanelistProposalQuery>,
  "sort" | "status" | "mine" | "tag" | "q"
> & { readonly similar?: boolean | undefined };

export const SimilarQuery = describe(z.strictObject({ ...PAGE_PARAMETERS, title: Search }), {
  name: "SimilarQuery",
  example: { title: "Night buses" },
  fields: { ...PAGE_PARAMETER_TEXTS, title: "The title that is being typed: one line of 1 to 200 characters." },
});

export const PanelistCommentQuery = describe(
  z.strictObject({
    ...PAGE_PARAMETERS,
    order: z._default(oneOf(["oldest", "newest"]), "oldest"),
    from: z.optional(Id),
  }),
  {
    name: "PanelistCommentQuery",
    fields: {
      ...PAGE_PARAMETER_TEXTS,
      order: "`oldest` first, or `newest` first.",
      from: "The first page begins with this comment, in that order.",
    },
  },
);
export type CommentOrder = Pick<z.infer<typeof PanelistCommentQuery>, "order" | "from">;

/** The answer to adding and to removing a vote. */
export const Vote = describe(z.object({ voted: flag(), votes: Count }), {
  name: "VoteState",
  example: { voted: true, votes: 12 },
  fields: {
    voted: "Whether the token's panelist votes for the proposal now.",
    votes: "How many panelists vote for it now.",
  },
});
export type Vote = z.infer<typeof Vote>;

export const PanelistComment = describe(
  z.object({
    id: Id,
    by: CommentAuthor,
    author: z.nullable(Name),
    mine: flag(),
    body: Text,
    visibility: z.optional(oneOf(["pending"])),
    createdAt: Timestamp,
  }),
  {
    name: "PanelistComment",
    example: {
      id: "C0mment00001",
      by: "panelist",
      author: "Robin",
      mine: false,
      body: "Thank you! Finally something for early mornings.",
      createdAt: "2026-11-20T12:30:00.000Z",
    },
    fields: {
      id: "The comment's identifier.",
      by: "`tenant` for the idea bank's owner, `panelist` for the others.",
      author: "The display name of the panelist who wrote it, or `null`.",
      mine: "Whether the token's panelist wrote it.",
      body: "The text: 1 to 10,000 characters. Line breaks are kept.",
      visibility: "`pending` while the comment waits for approval: only its author sees it. Otherwise absent.",
      createdAt: "When it was written: ISO 8601, UTC, with milliseconds.",
    },
  },
);
export type PanelistComment = z.infer<typeof PanelistComment>;
