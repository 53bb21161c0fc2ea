/**
 * `npm run restore -- --timestamp <time>`: every database goes back to that moment (D1 Time Travel). `-- --from <folder>`: to a
 * backup of `npm run backup`, which replaces what is there. Both export the present state first, and afterwards end again what was
 * ended since: API keys, tokens, panelists, accounts. `-- --end-again <folder>` does only this last step, from such an export.
 */
import { appendFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { defineCommand, misused } from "../../command-line/command.ts";
import { confirm, YES } from "../../command-line/confirm.ts";
import { Failure } from "../../command-line/failure.ts";
import { main } from "../../command-line/main.ts";
import { nameSome } from "../../command-line/name-some.ts";
import { commandLine, ENVIRONMENT, LOCAL, ON_THIS_MACHINE } from "../arguments.ts";
import { deploymentAt, URL_OF_DEPLOYMENT } from "../ask-deployment.ts";
import { dropStatements, READ_SCHEMA } from "../databases/drop-statements.ts";
import { type DatabaseOwner, type EveryDatabase, openEveryDatabase } from "../databases/every-database.ts";
import { exportAll, fileOf } from "../databases/export.ts";
import { readPieces } from "../databases/sql-pieces.ts";
import { writePrivately } from "../databases/write-privately.ts";
import { describeOwner, requireOwnBackup, writeManifest } from "./manifest.ts";
import { readBackup, requireFiles } from "./read-backup.ts";
import { accountsGone, describePresent, hasAccounts, thenOf } from "./restore-plan.ts";
import { askGatesAgain, keysChangedBy } from "./restored-keys.ts";
import { whatHadEnded } from "./state-before.ts";
import { folderBefore, noteFinished, noteUnfinished, unfinishedIn } from "./unfinished-restores.ts";

/** It must have its distance from UTC. It is checked first, because wrangler would refuse it only after the export. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** D1 keeps this much. */
const TRAVEL_MS = 30 * 86_400_000;

export const restore = defineCommand({
  name: "restore",
  summary: [
    "Restores every database to a moment of the last 30 days, or to a backup. It exports the present state first. Afterwards it",
    "ends again what was ended since: API keys, tokens, panelists, accounts.",
  ],
  options: {
    timestamp: { type: "string", value: "<time>", help: "Restores to this moment, such as 2026-11-20T12:00:00Z." },
    from: {
      type: "string",
      value: "<folder>",
      help: "Restores the backup in this folder, which replaces what is there.",
    },
    "end-again": {
      type: "string",
      value: "<folder>",
      help: "Only ends again what had ended in this export. Completes a restore that stopped.",
    },
    "as-it-is": {
      type: "boolean",
      default: false,
      help: "Restores a backup of another environment, or one that lacks accounts, tables, indexes or triggers.",
    },
    "dry-run": { type: "boolean", default: false, help: "Says what would change, and changes nothing." },
    "without-export": {
      type: "boolean",
      default: false,
      help: "Restores even if the present state cannot be exported. No way back, and nothing is ended again.",
    },
    url: {
      ...URL_OF_DEPLOYMENT,
      help: "The deployment: at the end its API keys' Durable Objects are asked again. Needs OPERATOR_SECRET.",
    },
    yes: YES,
    [ON_THIS_MACHINE]: LOCAL,
    env: ENVIRONMENT,
  },
  run: async ({ values }, context) => {
    const { timestamp, from, env, [ON_THIS_MACHINE]: local } = values;
    const onlyEndAgain = values["end-again"] && relative(context.folder, resolve(context.folder, values["end-again"]));
    const same = (name: string, ...options: string[]) => {
      const where = name === "restore" && values.url !== undefined ? ["--url", values.url] : [];
      return commandLine(name, env, ...options, ...where, ...(local ? [`--${ON_THIS_MACHINE}`] : []));
    };
    if ([timestamp, from, onlyEndAgain].filter((value) => value !== undefined).length !== 1)
      throw misused("Give one of --timestamp <time>, --from <folder>, --end-again <folder>.", restore);
    if (onlyEndAgain !== undefined && values["without-export"])
      throw misused("--end-again needs its export: remove --without-export.", restore);
    if (timestamp !== undefined && local) throw new Failure("A local database has no Time Travel: use --from.");
    if (timestamp !== undefined) requireTime(timestamp, Date.now());
    const deployment = values.url === undefined ? undefined : deploymentAt(context, values.url);
    const databases = await openEveryDatabase(context, env, values);
    const { bindings } = databases;
    const present = same("backup", "--output", "backups/present");
    const backedUp =
      from === undefined
        ? undefined
        : await readBackup(databases, { folder: from, asItIs: values["as-it-is"], present });
    const content = new Map([...(backedUp ?? [])].map(([binding, { words }]) => [binding, words]));
    const left = onlyEndAgain === undefined ? undefined : unfinishedIn(databases, onlyEndAgain);
    if (onlyEndAgain !== undefined) requireFiles(databases, { folder: onlyEndAgain, bindings: left ?? bindings });
    const owner = await databases.logIn();
    context.print(`${values["dry-run"] ? "Would restore" : "About to restore"} ${describeOwner(owner)}.`);
    if (from !== undefined && backedUp !== undefined) {
      if (!values["as-it-is"]) requireOwnBackup(databases, from, owner);
      const gone = await accountsGone(databases, backedUp);
      if (gone.length > 0 && !values["as-it-is"])
        throw new Failure(
          `${from} lacks accounts that are there now: ${nameSome(gone)}. To restore it anyway: add --as-it-is.`,
        );
      if (gone.length > 0) context.print(`Accounts that are there now, and not in ${from}: ${nameSome(gone)}.`);
    }
    if (values["dry-run"]) {
      for (const binding of left ?? bindings)
        context.print(
          `${binding}: ${await describePresent(databases, binding)} now; then ${thenOf(content.get(binding), timestamp)}.`,
        );
      return context.print("A dry run: nothing was changed. A restore also ends again what was ended since.");
    }

    if (onlyEndAgain === undefined)
      await confirm(context, {
        isAgreed: values.yes,
        what: `All data is replaced by ${from ?? `the state at ${timestamp}`}.`,
      });

    const before = onlyEndAgain ?? folderBefore(new Date());
    const isExported = !values["without-export"];
    if (onlyEndAgain === undefined && isExported) {
      const again = from ? ["--from", from] : ["--timestamp", `${timestamp}`];
      const asItIs = values["as-it-is"] ? ["--as-it-is"] : [];
      await exportPresent(databases, { owner, folder: before }, () =>
        same("restore", ...again, ...asItIs, "--without-export"),
      );
      context.print(`\nThe state before the restore is in ${before}. If anything below fails:`);
      context.print(`- the message says what. To complete the restore: ${same("restore", ...again, ...asItIs)}`);
      context.print(`- if every database was restored, this completes it: ${same("restore", "--end-again", before)}`);
      context.print(`- to go back: ${same("restore", "--from", before)}`);
    }
    const statements = new Map<string, readonly string[]>();
    for (const binding of bindings) {
      if (left?.includes(binding) === false) {
        context.print(`${binding}: left as it is. Everything from ${before} has been ended there.`);
        continue;
      }
      const isNew = onlyEndAgain === undefined;
      statements.set(binding, await whatHadEnded(databases, binding, isExported ? { before, isNew } : undefined));
      if (isExported && isNew) noteUnfinished(databases, binding, before);
      if (timestamp !== undefined) content.set(binding, await travel(databases, binding, timestamp));
      if (from !== undefined) await importBackup(databases, { binding, from, before });
    }
    let ended = 0;
    const changed: Awaited<ReturnType<typeof keysChangedBy>>[number][] = [];
    for (const [binding, texts] of statements) {
      if (texts.length > 0) {
        const change = () =>
          executeText(databases, {
            binding,
            file: `${before}/${binding}-end-again.sql`,
            text: `${texts.join("\n")}\n`,
          });
        await (deployment === undefined
          ? change()
          : keysChangedBy(databases, binding, change).then((keys) => void changed.push(...keys))
        ).catch((error: unknown) => {
          if (!(error instanceof Failure) || !isExported) throw error;
          throw new Failure(
            `${error.message}\n\nThe restored data may be from before a schema step that this needs. ` +
              `If so: ${local ? "npm run dev" : same("deploy")}. Then: ${same("restore", "--end-again", before)}`,
          );
        });
      }
      noteFinished(databases, binding);
      ended += texts.length;
    }

    const restored = bindings.map((binding) => `${binding}: ${content.get(binding)}`).join("; ");
    // In the place of an empty line: the output stays short enough to be read.
    context.print(
      ended > 0 && deployment === undefined
        ? "An API key that was used during the restore may work as before for up to 5 minutes. With --url its Durable Object is asked again."
        : "",
    );
    context.print(
      onlyEndAgain === undefined
        ? `Restored: ${from ?? timestamp} (${restored}).`
        : "Restored: nothing; the databases keep their data.",
    );
    context.print(
      `Ended again: ${left?.length === 0 ? `nothing; the restore that made ${before} is complete.` : describeEnded(ended, isExported)}`,
    );
    context.print(
      local
        ? "Next: stop `npm run dev` and start it again, which empties its memory."
        : `Next: ${same("deploy")}, which empties the memory of every location.`,
    );
    if (deployment !== undefined) await askGatesAgain(context, deployment, changed);
  },
});

/** Throws a Failure for a moment to which D1 does not go back. */
function requireTime(timestamp: string, now: number): void {
  const time = TIME.test(timestamp) ? Date.parse(timestamp) : Number.NaN;
  if (Number.isNaN(time)) throw new Failure(`--timestamp ${timestamp}: a time such as 2026-11-20T12:00:00Z.`);
  if (time >= now) throw new Failure(`--timestamp ${timestamp} is not in the past.`);
  if (time < now - TRAVEL_MS)
    throw new Failure(`--timestamp ${timestamp} is more than 30 days ago: restore a backup with --from.`);
}

/** The ended things, in words. */
function describeEnded(statements: number, isExported: boolean): string {
  const what = `what had been ended (${statements} ${statements === 1 ? "statement" : "statements"})`;
  if (isExported) return `${statements === 0 ? "nothing; nothing had been ended" : what}.`;
  const then = "Revoke and suspend again what was revoked or suspended since.";
  return statements === 0
    ? `nothing; there is no export. ${then}`
    : `${what} before the restore that stopped. There is no newer export. ${then}`;
}

type Present = { readonly owner: DatabaseOwner; readonly folder: string };

async function exportPresent(
  databases: EveryDatabase,
  { owner, folder }: Present,
  insistently: () => string,
): Promise<void> {
  try {
    await exportAll(databases, folder);
    writeManifest(databases, { owner, folder, now: new Date() });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(
      `The present state cannot be exported, so nothing was restored:\n${error.message}\n\n` +
        "Try again. If that does not help, this restores without the export. There is no way back, and nothing is ended again:\n" +
        insistently(),
    );
  }
}

/** Returns the database's content afterwards, in words. */
async function travel(databases: EveryDatabase, binding: string, timestamp: string): Promise<string> {
  await databases.travel(binding, timestamp);
  if (!(await hasAccounts(databases, binding)))
    throw new Failure(`At ${timestamp} ${binding} had no tables. Go back with the command above.`);
  const [row] = await databases.query(binding, "SELECT count(*) AS n FROM accounts");
  return `${row?.n} accounts`;
}

/** Empties the database and loads the backup in one file, so that there is no state in between. */
async function importBackup(
  databases: EveryDatabase,
  { binding, from, before }: { readonly binding: string; readonly from: string; readonly before: string },
): Promise<void> {
  const drop = dropStatements(await databases.query(binding, READ_SCHEMA));
  const file = `${before}/${binding}-import.sql`;
  const path = resolve(databases.context.folder, file);
  writePrivately(path, `${drop.join("\n")}\n`);
  for (const piece of readPieces(resolve(databases.context.folder, fileOf(from, binding)))) appendFileSync(path, piece);
  await databases.execute(binding, file);
}

async function executeText(
  databases: EveryDatabase,
  { binding, file, text }: { readonly binding: string; readonly file: string; readonly text: string },
): Promise<void> {
  writePrivately(resolve(databases.context.folder, file), text);
  await databases.execute(binding, file);
}

if (import.meta.main) await main(restore);
