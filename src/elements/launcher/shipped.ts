/**
 * Which ideas that the visitor voted for have become done since the visitor looked last. On a first visit none: all of them would be.
 * Nothing is asked for who is not signed in.
 */
import type { Connection } from "../shared/request.ts";
import { recall, remember } from "../shared/storage.ts";

export type Shipped = { readonly count: number; readonly markSeen: () => void };

const PATH = "/ideabank/proposals?mine=voted&status=implemented&sort=active&limit=100";
/** Of 200 ideas. */
const KEPT_CHARACTERS = 2_600;

/** Rejects where it cannot be read. */
export async function readShipped(connection: Connection): Promise<Shipped> {
  const { body } = await connection.send<{ readonly items: readonly { readonly id: string }[] }>(PATH, {}, true);
  const ids = body?.items.map(({ id }) => id) ?? [];
  const key = `idea-bank-launcher:${connection.who}`;
  const before = recall(key);
  const known = before?.split(" ") ?? ids;
  const markSeen = () => remember(key, [...new Set([...ids, ...known])].join(" ").slice(0, KEPT_CHARACTERS));
  if (before === null) markSeen();
  return { count: ids.filter((id) => !known.includes(id)).length, markSeen };
}
