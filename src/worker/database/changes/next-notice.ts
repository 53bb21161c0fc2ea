/**
 * SQL: when an account is next notified of an expiry, after `:now`; NULL for never again. `expiresAt` is an SQL expression, too
 * (Unix milliseconds). `daysBefore` starts with the last notice.
 */
export const nextNotice = (expiresAt: string, daysBefore: readonly number[]): string =>
  daysBefore.reduce((later, days) => {
    const at = `${expiresAt} - ${days * 86_400_000}`;
    return `iif(${at} > :now, ${at}, ${later})`;
  }, "NULL");
