/** The scheduled job ([triggers] in wrangler.toml): deletes the proposals of deleted idea banks. Safe to run twice at once. */
import { chooseDatabase } from "./database/choose-database.ts";
import { deleteLeftovers } from "./database/deleted-idea-banks.ts";

/** A run stops after this time; the next one continues. */
const DEADLINE_MS = 30_000;

export async function runScheduled(env: Pick<Env, "DB">, now: () => number = Date.now): Promise<void> {
  const start = now();
  while (now() - start < DEADLINE_MS && (await deleteLeftovers(chooseDatabase(env))));
}
