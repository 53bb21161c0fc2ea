/** The log of changes, as it is stored. */
import { databaseOf } from "./databases.ts";
import { createPanel } from "./panel.ts";

type Entry = {
  number: number;
  type: string;
  actor: string;
  idea_bank_id: string | null;
  proposal_id: string | null;
  comment_id: string | null;
  panelist_id: string | null;
  survey_id: string | null;
};

/** The whole log of an account, oldest first. */
export async function logOf(accountId: string): Promise<Entry[]> {
  const { results } = await databaseOf(accountId)
    .prepare("SELECT * FROM change_log WHERE account_id = ?1 ORDER BY number")
    .bind(accountId)
    .all<Entry>();
  return results;
}

/** What was added to an account's log since the last call: `panelist: comment.created <idea bank>/<proposal>/<comment>`. */
export async function watchLog(accountId: string): Promise<() => Promise<string[]>> {
  let seen = (await logOf(accountId)).length;
  return async () => {
    const entries = (await logOf(accountId)).slice(seen);
    seen += entries.length;
    return entries.map(({ type, actor, ...ids }) => {
      const named = [ids.idea_bank_id, ids.proposal_id, ids.comment_id, ids.panelist_id, ids.survey_id].filter(
        (id) => id !== null,
      );
      return `${actor}: ${type} ${named.join("/")}`;
    });
  };
}

/** As if a database had no log: what the triggers cost. */
export async function dropLogTriggers(database: D1Database): Promise<void> {
  const { results } = await database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'log_*'")
    .all<{ name: string }>();
  await database.batch(results.map(({ name }) => database.prepare(`DROP TRIGGER ${name}`)));
}

/** A tenant with an idea bank, a panelist, and what was added to the log since the last look. */
export async function createLogScene() {
  const panel = await createPanel();
  const robin = await panel.panelist("Robin");
  const { id: bank, accountId } = panel.bank;
  return { ...panel, robin, bank, accountId, rows: panel.bank, added: await watchLog(accountId) };
}
