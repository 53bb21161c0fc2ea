/** When an account's storage is full. */

/** The error of a write that the trigger `quota_exceeded` has refused. */
export const isQuotaExceeded = (error: Error): boolean => /^D1_ERROR: quota exceeded\b/.test(error.message);
