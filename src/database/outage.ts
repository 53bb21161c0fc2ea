/** When D1 does not answer. */

/** Errors of D1 that mean "not now": the statement was good, the database did not answer. A refused statement is a defect. */
export const isDatabaseOutage = (error: Error): boolean =>
  error.message.startsWith("D1_ERROR") && !/SQLITE_(?!BUSY|FULL|NOMEM)/.test(error.message);

/** The answer, or after `milliseconds` the error of a database that is down: hanging is one way of being down. */
export async function answerWithin<Answer>(milliseconds: number, answer: Promise<Answer>): Promise<Answer> {
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    deadline.reject(new Error(`D1_ERROR: no answer within ${milliseconds} ms`));
  }, milliseconds);
  try {
    return await Promise.race([answer, deadline.promise]);
  } finally {
    clearTimeout(timer);
  }
}
