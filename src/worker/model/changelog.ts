/** The changelog of an idea bank (contract, `GET /public/ideabank/changelog`). */
import * as z from "zod/mini";
import { describe } from "./describe.ts";

/** An implemented proposal. `lastActivityAt` is in Unix milliseconds. */
export type ChangelogEntry = { readonly title: string; readonly description: string; readonly lastActivityAt: number };

/** A rendered changelog is not longer: fewer entries, never half of one. */
export const MAX_CHANGELOG_BYTES = 256 * 1024;

/** Exactly these fields (changelog rule 2). `lastModified` is in Unix seconds. */
const Item = describe(z.object({ title: z.string(), description: z.string(), lastModified: z.int().check(z.gte(0)) }), {
  name: "ChangelogItem",
  fields: {
    title: "The proposal's title: plain text, one line.",
    description: "The proposal's description: plain text. Line breaks are kept.",
    lastModified: "The proposal's last activity, in Unix **seconds**. In JavaScript: `new Date(lastModified * 1000)`.",
  },
});

export const Changelog = describe(z.object({ items: z.array(Item) }), {
  name: "Changelog",
  example: {
    items: [
      {
        title: "Dark mode",
        description: "Follows the phone's own setting. The map, too.",
        lastModified: 1_795_176_000,
      },
    ],
  },
  fields: { items: "The implemented proposals, newest first by last activity." },
});
export type Changelog = z.infer<typeof Changelog>;
