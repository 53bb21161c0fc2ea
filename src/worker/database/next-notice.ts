/**
 * When an account is told next of an end, after `:now`: an expression of SQL, NULL for no more. `expiresAt` is one, too (Unix
 * milliseconds). `daysBefore` begins with the last time.
 */
export const nextNotice = (expiresAt: string, daysBefore: readonly number[]): string =>
  daysBefore.reduce((later, days) => {
    const at = `${expiresAt} - ${days * 86_400_000}`;
    return `iif(${at} > :now, ${at}, ${later})`;
  }, "NULL");
