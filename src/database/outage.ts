/** Errors of D1 that mean "not now": the statement was good, the database did not answer. A refused statement is a defect. */
export const isDatabaseOutage = (error: Error): boolean =>
  error.message.startsWith("D1_ERROR") && !error.message.includes("SQLITE_");
