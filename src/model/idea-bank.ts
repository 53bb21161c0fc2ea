/** An idea bank: as its tenant sees it, and as its gate does. */
import * as z from "zod/mini";
import { Id } from "./id.ts";
import { flag, integer, Name, oneOf, Timestamp } from "./text.ts";

export const IDEA_BANK_STATUSES = ["DRAFT", "OPEN", "CLOSED"] as const;
export type IdeaBankStatus = (typeof IDEA_BANK_STATUSES)[number];

const Status = oneOf(IDEA_BANK_STATUSES);
const ChangelogMaxEntries = integer(1, 100);

export const IdeaBank = z.object({
  id: Id,
  name: Name,
  status: Status,
  internal: flag(),
  changelogEnabled: flag(),
  changelogMaxEntries: ChangelogMaxEntries,
  createdAt: Timestamp,
});
export type IdeaBank = z.infer<typeof IdeaBank>;

export const NewIdeaBank = z.strictObject({
  name: Name,
  status: z._default(Status, "DRAFT"),
  internal: z._default(flag(), false),
  changelogEnabled: z._default(flag(), false),
  changelogMaxEntries: z._default(ChangelogMaxEntries, 20),
});
export type NewIdeaBank = z.infer<typeof NewIdeaBank>;

export const IdeaBankChanges = z.strictObject({
  name: z.optional(Name),
  status: z.optional(Status),
  internal: z.optional(flag()),
  changelogEnabled: z.optional(flag()),
  changelogMaxEntries: z.optional(ChangelogMaxEntries),
});
export type IdeaBankChanges = z.infer<typeof IdeaBankChanges>;

/** What decides the capabilities, and which rendered changelog is the right one. */
export type IdeaBankState = {
  readonly accountId: string;
  readonly accountSuspended: boolean;
  readonly status: IdeaBankStatus;
  readonly internal: boolean;
  readonly changelogEnabled: boolean;
  readonly changelogVersion: number;
};

/** A proposal that has shipped. `lastActivityAt` is in Unix milliseconds. */
export type ChangelogEntry = { readonly title: string; readonly description: string; readonly lastActivityAt: number };

/** The changelog as panelists get it: exactly these fields (contract, changelog rule 2). `lastModified` is in Unix seconds. */
export const Changelog = z.object({
  items: z.array(z.object({ title: z.string(), description: z.string(), lastModified: z.int().check(z.gte(0)) })),
});
export type Changelog = z.infer<typeof Changelog>;

/** What panelists may do with an idea bank. */
export const Capabilities = z.object({
  capabilities: z.object({
    canViewChangelog: flag(),
    canViewProposals: flag(),
    canSubmitProposals: flag(),
    canVote: flag(),
    canComment: flag(),
  }),
});
export type Capabilities = z.infer<typeof Capabilities>["capabilities"];
