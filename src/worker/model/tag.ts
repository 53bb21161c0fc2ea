/** Tags of proposals. The tenant sets them; panelists see them and filter by them. */
import * as z from "zod/mini";
import { describe } from "./describe.ts";
import { integer, line } from "./text.ts";

/** In NFC, so that tags that look the same are the same. */
export const Tag = line({ min: 1, max: 32 }, "NFC");

const TAGS_AT_MOST = 5;
const NOT_A_LIST = `must be a list of at most ${TAGS_AT_MOST} different tags`;
const atMost = () => z.maxLength(TAGS_AT_MOST, { error: NOT_A_LIST });

/** The tags of a proposal. */
export const Tags = z.array(Tag).check(atMost()).register(z.globalRegistry, { uniqueItems: true });

const isSameTag = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

/** Tags that differ by capitals only are one. The first spelling stays. */
export const merged = (tags: string[]): string[] => {
  const spellings = new Map<string, string>();
  for (const tag of tags) if (!spellings.has(tag.toLowerCase())) spellings.set(tag.toLowerCase(), tag);
  return [...spellings.values()];
};

/** The tags that a proposal is given. */
export const NewTags = z.array(Tag, { error: NOT_A_LIST }).check(z.overwrite(merged), atMost());

/** The tags without one, however it is spelled. */
export const withoutTag = (tags: readonly string[], tag: string): readonly string[] =>
  tags.filter((each) => !isSameTag(each, tag));

/** The maximum for an idea bank. A trigger enforces it. */
export const TAGS_OF_IDEA_BANK = 200;

const EXAMPLE = { tag: "Mobile", proposals: 12 };

export const TagCount = describe(z.object({ tag: Tag, proposals: integer(1, 1_000_000_000) }), {
  name: "TagCount",
  example: EXAMPLE,
  fields: { tag: "The tag.", proposals: "How many public proposals have it. Merged ones do not count." },
});
export type TagCount = z.infer<typeof TagCount>;
export const TagCounts = describe(z.object({ items: z.array(TagCount) }), {
  name: "TagCounts",
  example: { items: [EXAMPLE] },
  fields: { items: "The tags that public proposals have, the most used first: at most 200." },
});
