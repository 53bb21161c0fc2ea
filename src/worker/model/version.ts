/** The states of a resource, for `ETag` and `If-Match`. */

/** A resource, and `state`: what a change can set of it, as it is stored, in one text, with which a write compares the row that it finds. */
export type Stored = { readonly resource: Readonly<Record<string, unknown>>; readonly state: string };

/** The state that the client of a write has seen. Undefined for a write that does not ask. */
export type Seen = { readonly seen?: string | undefined };
