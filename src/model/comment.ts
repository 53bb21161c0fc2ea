/** A comment on a proposal, as its tenant sees it. */
import * as z from "zod/mini";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import { prose, Timestamp } from "./text.ts";

/** `panelistId` is null when the panelist has been deleted. */
export const Comment = z.object({
  id: Id,
  panelistId: z.nullable(Id),
  body: prose({ min: 1, max: 10_000 }),
  createdAt: Timestamp,
});
export type Comment = z.infer<typeof Comment>;

if (!import.meta.deployed) {
  describe(Comment, {
    name: "Comment",
    example: {
      id: "C0mment00001",
      panelistId: "Pa7Ne1isT001",
      body: "Thank you! Finally something for early mornings.",
      createdAt: "2026-11-20T12:30:00.000Z",
    },
    fields: {
      id: "The comment's identifier.",
      panelistId: "The panelist who wrote it. `null` once the panelist has been deleted.",
      body: "The text: 1 to 10,000 characters. Line breaks are kept.",
      createdAt: "When it was written: ISO 8601, UTC, with milliseconds.",
    },
  });
}
