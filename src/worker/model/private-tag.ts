/** Tags of ideas that only the team sees: planned quarters, customers' names. They are set and shown at the desk alone. */
import * as z from "zod/mini";
import { merged } from "./tag.ts";
import { line } from "./text.ts";

/** In NFC, as public tags. */
export const PrivateTag = line({ min: 1, max: 50 }, "NFC");

const PRIVATE_TAGS_AT_MOST = 20;
const NOT_A_LIST = `must be a list of at most ${PRIVATE_TAGS_AT_MOST} different tags`;

/** The private tags that an idea is given. Tags that differ by capitals only are one. */
export const NewPrivateTags = z
  .array(PrivateTag, { error: NOT_A_LIST })
  .check(z.overwrite(merged), z.maxLength(PRIVATE_TAGS_AT_MOST, { error: NOT_A_LIST }));

/** A private tag, and how many ideas have it. Merged ones do not count. An account has at most 200, which a trigger enforces. */
export type PrivateTagCount = { readonly tag: string; readonly proposals: number };
