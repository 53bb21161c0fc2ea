/** The changelog of an idea bank (contract, `GET /public/ideabank/changelog`). */
import * as z from "zod/mini";
import { describe } from "./describe.ts";

/** An implemented proposal. Times are in Unix milliseconds. The changelog shows neither its `id` nor `publishedAt`, when it entered. */
export type ChangelogEntry = {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly lastActivityAt: number;
  readonly publishedAt: number;
};

/** A rendered changelog has at most this many bytes. It then has fewer entries, never a cut one. */
export const MAX_CHANGELOG_BYTES = 256 * 1024;

/** JSON Feed 1.1, as feed readers take it. */
export const ChangelogFeed = describe(
  z.object({
    version: z.string(),
    title: z.string(),
    home_page_url: z.optional(z.string()),
    feed_url: z.string(),
    items: z.array(
      describe(
        z.object({
          id: z.string(),
          url: z.optional(z.string()),
          title: z.string(),
          summary: z.optional(z.string()),
          content_text: z.string(),
          date_published: z.string(),
          date_modified: z.string(),
        }),
        {
          name: "ChangelogFeedItem",
          fields: {
            id: "Stays the same for ever, and names nothing else.",
            url: "The page that shows the idea bank, if the tenant has set its `url`.",
            title: "The proposal's title.",
            summary:
              "The description's first line, without the marks of light formatting. Absent where there is no description.",
            content_text: "The proposal's description: plain text.",
            date_published: "When the proposal entered the changelog: ISO 8601, UTC.",
            date_modified: "The proposal's last activity: ISO 8601, UTC.",
          },
        },
      ),
    ),
  }),
  {
    name: "ChangelogFeed",
    example: {
      version: "https://jsonfeed.org/version/1.1",
      title: "Riverline rider ideas",
      home_page_url: "https://riverline.example/ideas",
      feed_url: "https://api.example.com/public/ideabank/changelog.json",
      items: [
        {
          id: "urn:uuid:5b1f9c0e-6c1d-8a55-9d0f-3f6d6c1b2a90",
          url: "https://riverline.example/ideas",
          title: "Dark mode",
          summary: "Follows the phone's own setting. The map, too.",
          content_text: "Follows the phone's own setting. The map, too.",
          date_published: "2026-11-18T09:00:00.000Z",
          date_modified: "2026-11-20T12:00:00.000Z",
        },
      ],
    },
    fields: {
      version: "The version of JSON Feed.",
      title: "The idea bank's name.",
      home_page_url: "The page that shows the idea bank, if the tenant has set its `url`.",
      feed_url: "Where this feed is.",
      items: "The implemented proposals, newest first by last activity.",
    },
  },
);

/** Exactly these fields (changelog rule 2). `lastModified` is in Unix seconds. */
const FIELDS = { title: z.string(), description: z.string(), lastModified: z.int().check(z.gte(0)) };
const FIELD_TEXTS = {
  title: "The proposal's title: plain text, one line.",
  description: "The proposal's description: plain text. Line breaks are kept.",
  lastModified: "The proposal's last activity, in Unix **seconds**. In JavaScript: `new Date(lastModified * 1000)`.",
};
const EXAMPLE = {
  title: "Dark mode",
  description: "Follows the phone's own setting. The map, too.",
  lastModified: 1_795_176_000,
};

const Item = describe(z.object(FIELDS), { name: "ChangelogItem", fields: FIELD_TEXTS });

/** An entry of the whole changelog, which is read in pages. */
export const ListedEntry = describe(z.object({ id: z.string(), ...FIELDS }), {
  name: "ChangelogEntry",
  example: { id: "urn:uuid:5b1f9c0e-6c1d-8a55-9d0f-3f6d6c1b2a90", ...EXAMPLE },
  fields: {
    id: "The entry's identifier, as in the feeds. It stays the same for ever, and names nothing else.",
    ...FIELD_TEXTS,
  },
});
export type ListedEntry = z.infer<typeof ListedEntry>;

export const Changelog = describe(z.object({ items: z.array(Item) }), {
  name: "Changelog",
  example: { items: [EXAMPLE] },
  fields: { items: "The implemented proposals, newest first by last activity." },
});
export type Changelog = z.infer<typeof Changelog>;
