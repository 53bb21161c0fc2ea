/** How a write finds that a resource is still as its client has seen it. */
import type { Stored } from "../model/stored-state.ts";

/**
 * The condition of a write: the row is in the state `:seen`, or nobody asks. `state` is an SQL expression with every column that a change
 * can set.
 */
export const asSeen = (state: string): string => `(:seen IS NULL OR ${state} = :seen)`;

/** The resource of a row that was selected with its `state`. */
export const withState = <Row extends { readonly state: string }>(
  row: Row | null,
  toResource: (row: Row) => Stored["resource"],
): Stored | null => row && { resource: toResource(row), state: row.state };
