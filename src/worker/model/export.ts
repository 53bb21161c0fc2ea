/** What members take out of Account Settings as a file. */
export const EXPORTED = ["ideas", "comments", "people", "voters", "responses", "person"] as const;
export type Exported = (typeof EXPORTED)[number];

/** A file has at most this many rows. */
export const ROWS_AT_MOST = 200_000;
/** The page before the file counts up to this many. */
export const COUNTED_AT_MOST = 20_000;
/** Rows that are read at once. Of ideas with the longest texts they are 20 MB. */
export const SLICE = 500;
