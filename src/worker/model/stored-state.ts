/** The states of a resource, for `ETag` and `If-Match`. */

/** A resource, and `state`: its changeable columns as one text, which a write compares with the row that it finds. */
export type Stored = { readonly resource: Readonly<Record<string, unknown>>; readonly state: string };

/** The state that the client of a write has seen. Undefined for a write that does not ask. */
export type Seen = { readonly seen?: string | undefined };
