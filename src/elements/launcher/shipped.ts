/**
 * Which ideas that the visitor voted for have become done since the visitor looked last. On a first visit none: all of them would be.
 * Nothing is asked for who is not signed in.
 */
import type { Connection } from "../shared/request.ts";
import { recall, remember } from "../shared/storage.ts";

/** `lastActivityAt` is ISO 8601. */
type Idea = { readonly id: string; readonly title: string; readonly lastActivityAt: string };
/** The latest first. */
export type Shipped = { readonly ideas: readonly Idea[]; readonly markSeen: () => void };

const PATH = "/ideabank/proposals?mine=voted&status=implemented&sort=active&limit=100";
/** Of 200 ideas. */
const KEPT_CHARACTERS = 2_600;

/** Rejects where it cannot be read. */
export async function readShipped(connection: Connection): Promise<Shipped> {
  const { body } = await connection.send<{ readonly items: readonly Idea[] }>(PATH, {}, true);
  const ideas = body?.items ?? [];
  const ids = ideas.map(({ id }) => id);
  const key = `idea-bank-launcher:${connection.who}`;
  const before = recall(key);
  const known = before?.split(" ") ?? ids;
  const markSeen = () => remember(key, [...new Set([...ids, ...known])].join(" ").slice(0, KEPT_CHARACTERS));
  if (before === null) markSeen();
  return { ideas: ideas.filter(({ id }) => !known.includes(id)), markSeen };
}

/** As what is open: for a board the idea, for a changelog its entry. */
export const openingOf = ({ id, title, lastActivityAt }: Idea) => ({
  ...{ proposal: id, title },
  lastModified: Math.floor(Date.parse(lastActivityAt) / 1000),
});
