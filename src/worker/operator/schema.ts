/** `/operator/schema` tells what the databases have, so that the doctor can compare it with `migrations/` without a Cloudflare login. */
import { loadSchema } from "../database/schema.ts";
import { Schema } from "../model/operator.ts";
import { operation } from "./operation.ts";

export const SCHEMA_OPERATIONS = {
  getSchema: operation({
    method: "GET",
    effect: "reads",
    path: "/operator/schema",
    credential: { kind: "operator" },
    answer: Schema,
    problems: ["not-found"],
    summary: "Say which tables the databases have",
    description:
      "The tables, indexes, triggers and views of each database, and the steps that made them. `npm run doctor` compares them with what " +
      "its version needs. It reads a few hundred rows of each database.",
    handle: async (c, _, { databases }) =>
      c.json({
        databases: await Promise.all(
          databases.all(c).map(async ({ binding, database }) => ({
            binding,
            ...(await loadSchema(database.withoutSession())),
          })),
        ),
      }),
  }),
};
