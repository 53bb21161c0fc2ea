/** How many rows of each kind one slice of a long piece of work moves or deletes: few enough that no statement blocks the database. */

/** In the request that begins the work, which is mostly done then. It bounds what one request can cost. */
export const AT_ONCE = 50;
/** In the scheduled job. */
export const BY_THE_JOB = 300;

/** What a run of the job has looked at last of a kind: the next slice is of what comes after it, so that a long one holds up no other. */
export type Turn = { at: number; id: string };
export const newTurn = (): Turn => ({ at: 0, id: "" });
