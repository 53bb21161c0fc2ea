/** Recognizes D1's errors about full storage, and about too many tags. */

/** Whether the trigger `quota_exceeded` has refused the write. */
export const isQuotaExceeded = (error: Error): boolean => /^D1_ERROR: quota exceeded\b/.test(error.message);

/** Whether the trigger `tags_at_most` has refused the write. */
export const hasTooManyTags = (error: Error): boolean => /^D1_ERROR: too many tags\b/.test(error.message);
