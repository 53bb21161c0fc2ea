/** A panelist who votes for a proposal, as the tenant sees it. */
import * as z from "zod/mini";
import { ACTING_FOR_TEXTS, actingFor, namesAtMostOne, namesOne } from "./acting-for.ts";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import { ExternalId } from "./panelist.ts";
import { Count } from "./proposal.ts";
import { Name, Timestamp, Title } from "./text.ts";

const EXAMPLE_PANELIST_ID = "Pa7Ne1isT001";

/** `externalId` and `displayName` are null for a key that may not read panelists. */
export const Voter = describe(
  z.object({
    panelistId: Id,
    externalId: z.nullable(ExternalId),
    displayName: z.nullable(Name),
    at: Timestamp,
  }),
  {
    name: "Voter",
    example: {
      panelistId: EXAMPLE_PANELIST_ID,
      externalId: "customer-42",
      displayName: "Robin",
      at: "2026-11-20T12:30:00.000Z",
    },
    fields: {
      panelistId: "The panelist.",
      externalId: "Your own id for the person, or `null`. Always `null` when the key lacks the scope `panelists:read`.",
      displayName:
        "The panelist's display name, or `null`. Always `null` when the key lacks the scope `panelists:read`.",
      at: "When the panelist voted: ISO 8601, UTC, with milliseconds.",
    },
  },
);
export type Voter = z.infer<typeof Voter>;

export const PanelistVote = describe(z.object({ ideaBankId: Id, proposalId: Id, title: Title, at: Timestamp }), {
  name: "PanelistVote",
  example: {
    ideaBankId: "b4nKb4nKb4nK",
    proposalId: "Pr0p0sa1Dark",
    title: "Dark mode",
    at: "2026-11-20T12:30:00.000Z",
  },
  fields: {
    ideaBankId: "The proposal's idea bank.",
    proposalId: "The proposal that the panelist votes for.",
    title: "The proposal's title.",
    at: "When the panelist voted: ISO 8601, UTC, with milliseconds.",
  },
});
export type PanelistVote = z.infer<typeof PanelistVote>;

export const NewVote = describe(z.strictObject(actingFor()).check(namesAtMostOne, namesOne), {
  name: "NewVote",
  example: { panelistId: EXAMPLE_PANELIST_ID },
  fields: ACTING_FOR_TEXTS,
});
export type NewVote = z.infer<typeof NewVote>;

/** For imports. */
export const NewVotes = describe(z.strictObject({ voters: z.array(NewVote).check(z.minLength(1), z.maxLength(100)) }), {
  name: "NewVotes",
  example: { voters: [{ panelistId: EXAMPLE_PANELIST_ID }] },
  fields: { voters: "1 to 100 panelists. All of them vote, or none." },
});

export const VoteCount = describe(z.object({ votes: Count }), {
  name: "VoteCount",
  example: { votes: 12 },
  fields: { votes: "How many panelists vote for it now." },
});
