/** Recognizes the error of a full account. */

/** Whether the trigger `quota_exceeded` has refused the write. */
export const isQuotaExceeded = (error: Error): boolean => /^D1_ERROR: quota exceeded\b/.test(error.message);
