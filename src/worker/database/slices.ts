/**
 * The number of rows of each kind that one slice of a long piece of work moves or deletes. It is small, so that no statement
 * blocks the database.
 */

/** In the request that starts the work, and usually finishes it. Bounds the cost of that request. */
export const AT_ONCE = 50;
/** In the scheduled job. */
export const BY_THE_JOB = 300;

/**
 * The row that a run of the job has worked on last, of one kind. The next slice takes the row after it, so that a long one does
 * not delay the others.
 */
export type SlicePosition = { at: number; id: string };
export const startPosition = (): SlicePosition => ({ at: 0, id: "" });
