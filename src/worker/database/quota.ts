/** An account's storage, and D1's errors about full storage and too many tags. */

/** The bytes of an account that its quota bounds: an expression over its row. */
export const STORED_BYTES = "stored_bytes + 128 * counted_votes + event_bytes";

/** Whether the trigger `quota_exceeded` refused the write. */
export const isQuotaExceeded = (error: Error): boolean => /^D1_ERROR: quota exceeded\b/.test(error.message);

/** Whether the trigger `tags_at_most` has refused the write. */
export const hasTooManyTags = (error: Error): boolean => /^D1_ERROR: too many tags\b/.test(error.message);

/** Whether the trigger `private_tags_at_most` has refused the write. */
export const hasTooManyPrivateTags = (error: Error): boolean =>
  /^D1_ERROR: too many private tags\b/.test(error.message);
