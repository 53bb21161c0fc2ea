/** Rows are D1's own count (`meta`); a stored value, and an alarm that is set, is a row that a Durable Object writes. */
export type Counts = {
  requests: number;
  d1RoundTrips: number;
  rowsRead: number;
  rowsWritten: number;
  kvReads: number;
  kvWrites: number;
  objectRequests: number;
  /** How long objects were kept from sleeping, by open calls and pending timers: the sum over all objects, in milliseconds. */
  objectMs: number;
  logLines: number;
};

export const NO_COUNTS: Counts = {
  requests: 0,
  d1RoundTrips: 0,
  rowsRead: 0,
  rowsWritten: 0,
  kvReads: 0,
  kvWrites: 0,
  objectRequests: 0,
  objectMs: 0,
  logLines: 0,
};
