/** The filters of the queue, as its address has them. */
import * as z from "zod/mini";
import { OPEN, QUEUE_SORTS, UNANSWERED } from "../../database/queue.ts";
import { Id } from "../../model/id.ts";
import { PAGE_PARAMETERS } from "../../model/pagination.ts";
import { PROPOSAL_STATUSES, Visibility } from "../../model/proposal.ts";
import { Tag } from "../../model/tag.ts";
import { oneOf, Search } from "../../model/text.ts";

export const QueueQuery = z.strictObject({
  ...PAGE_PARAMETERS,
  board: z.optional(Id),
  sort: z._default(oneOf(QUEUE_SORTS), "new"),
  status: z.optional(oneOf([...PROPOSAL_STATUSES, OPEN, UNANSWERED])),
  visibility: z.optional(Visibility),
  tag: z.optional(Tag),
  q: z.optional(Search),
});
export type QueueQuery = z.infer<typeof QueueQuery>;

/** The filters as parameters of a link, with some of them changed. */
export function toParameters(query: QueueQuery, changes: Partial<QueueQuery> = {}): URLSearchParams {
  const { limit: _, cursor: __, ...filters } = { ...query, cursor: undefined, ...changes };
  const given = Object.entries(filters).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && !(entry[0] === "sort" && entry[1] === "new"),
  );
  if (changes.cursor !== undefined) given.push(["cursor", changes.cursor]);
  return new URLSearchParams(given);
}
