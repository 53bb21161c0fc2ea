/** The state of a database before a restore: its export, and the endings in it that have to be repeated afterwards. */
import { resolve } from "node:path";
import { Failure } from "../../command-line/failure.ts";
import type { EveryDatabase } from "../databases/every-database.ts";
import { exportOne, fileOf } from "../databases/export.ts";
import { readExport } from "../databases/read-export.ts";
import { canEnd, endAgain } from "./end-again.ts";
import { unfinishedFolders } from "./unfinished-restores.ts";

/** One statement, one row: it differs when something was ended in between. A panelist's end is a revocation of its tokens; changes of keys and webhooks are events. */
const WHAT_HAS_ENDED = `SELECT json_array(
  (SELECT json_group_array(id) FROM (SELECT id FROM accounts WHERE status = 'suspended' ORDER BY id)),
  (SELECT json_array(count(revoked_at), max(revoked_at), max(rotated_at)) FROM api_keys),
  (SELECT max(seq) FROM token_revocations),
  (SELECT sum(token_epoch) FROM accounts),
  (SELECT json_array(sum(visitor_tokens_ended_at), sum(signing_epoch - 1)) FROM idea_banks),
  (SELECT json_array(count(*), total(number)) FROM audit_events WHERE changes IS NOT NULL OR webhook_id IS NOT NULL)) AS ended`;

const LOOKS = 3;

/**
 * The statements that repeat the endings. They are read before the database is put back: from the states before of restores that
 * stopped, oldest first, and from that of this one (`present`), which is compared with the database once more if it `isNew`.
 * Throws a Failure when they cannot be made, because the tables are damaged or of another version.
 */
export async function whatHadEnded(
  databases: EveryDatabase,
  binding: string,
  present: { readonly before: string; readonly isNew: boolean } | undefined,
): Promise<readonly string[]> {
  const folders = unfinishedFolders(databases, binding);
  const others = folders.filter((folder) => folder !== present?.before);
  if (others.length > 0) {
    const from = others.join(", ");
    databases.context.print(
      `${binding}: a restore stopped before it had ended everything again. What had ended in ${from} is ended again, too.`,
    );
  }
  if (present !== undefined && others.length === folders.length) folders.push(present.before);
  let statements: readonly string[] = [];
  for (const folder of folders) {
    const ended =
      folder === present?.before && present.isNew
        ? await endedUntilNow(databases, binding, folder)
        : read(databases, binding, folder).statements;
    statements = statements.concat(ended);
  }
  return statements;
}

/**
 * From the export in `folder`, after another look at the database, because anything that was ended since the export would come
 * back. If there is something new, exports again. Throws a Failure when each look finds more.
 */
async function endedUntilNow(databases: EveryDatabase, binding: string, folder: string): Promise<readonly string[]> {
  for (let look = 1; look <= LOOKS; look++) {
    const { statements, ended } = read(databases, binding, folder);
    const [now] = ended === undefined ? [] : await databases.query(binding, WHAT_HAS_ENDED);
    if (now?.ended === ended) return statements;
    databases.context.print(`${binding}: something was ended since the export. Exporting it again.`);
    await exportOne(databases, binding, folder);
  }
  throw new Failure(
    `${binding} was not restored: keys or tokens are being ended all the time, and the restore would bring some back. ` +
      "Run it again when that is over.",
  );
}

/** `ended` is undefined in a database without a schema: nothing can have ended there. */
function read({ context }: EveryDatabase, binding: string, folder: string) {
  const file = fileOf(folder, binding);
  const before = readExport(resolve(context.folder, file));
  try {
    const statements = endAgain(before);
    return { statements, ended: canEnd(before) ? before.prepare(WHAT_HAS_ENDED).get()?.ended : undefined };
  } catch (error) {
    throw new Failure(
      `${binding} was not restored: what ended there cannot be read from ${file}: ${error instanceof Error ? error.message : error}. ` +
        "If it is from another version, deploy this one first. If it is damaged, restore with --without-export.",
    );
  } finally {
    before.close();
  }
}
