/** Applies the schema's steps to a D1 database on Cloudflare: why with `--file`, see schema-steps.ts. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "../../command-line/failure.ts";
import { shellWord } from "../arguments.ts";
import type { Wrangler } from "../cloudflare/wrangler.ts";
import {
  planSchema,
  readSchemaState,
  type SchemaPlan,
  type SchemaState,
  type SchemaStep,
  UnknownSchema,
} from "./schema-steps.ts";

type Answer = { results: Record<string, unknown>[] }[];

/** The schema of the database behind `binding`. */
export const readRemoteSchema = (wrangler: Wrangler, binding: string): Promise<SchemaState> =>
  readSchemaState(async (sql) => {
    const oneLine = sql.replace(/\s+/g, " ");
    const [answer] = await wrangler.json<Answer>(execute(binding, "--json", "--command", oneLine));
    return answer?.results ?? [];
  });

/** The steps that the database behind `binding` needs. Throws a Failure when its schema is of no step. */
export async function planRemoteSteps(
  wrangler: Wrangler,
  binding: string,
  steps: readonly SchemaStep[],
): Promise<SchemaPlan> {
  const state = await readRemoteSchema(wrangler, binding);
  try {
    return planSchema(state, steps);
  } catch (error) {
    if (!(error instanceof UnknownSchema)) throw error;
    throw new Failure(
      `${binding}: ${error.message} Nothing was changed. Compare \`npx wrangler d1 export ${shellWord(binding)} --remote --no-data --output schema-there.sql\` ` +
        "with schema.sql and change the database by hand, or deploy to a new one.",
    );
  }
}

const execute = (binding: string, ...args: string[]) => ["d1", "execute", binding, "--remote", "--yes", ...args];

/**
 * Brings the database behind `binding` to today's schema. A database that has every step is only read: while a file is imported,
 * D1 answers no query. `announce` is called with each file's name before it is sent.
 */
export async function applyRemoteSteps(
  wrangler: Wrangler,
  {
    binding,
    steps,
    announce,
  }: { readonly binding: string; readonly steps: readonly SchemaStep[]; readonly announce: (name: string) => void },
): Promise<SchemaPlan> {
  const plan = await planRemoteSteps(wrangler, binding, steps);
  const folder = await mkdtemp(join(tmpdir(), "schema-steps-"));
  try {
    for (const { name, sql } of plan.files) {
      announce(name);
      const file = join(folder, "step.sql");
      await writeFile(file, sql);
      await wrangler.run(execute(binding, "--file", file));
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return plan;
}
