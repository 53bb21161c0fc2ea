/** What is not the tenant's: every operation of the tenant API refuses it. */
import { expect } from "vitest";
import { bodyOf, fillPath, type OperationCase } from "./operations.ts";
import { addOneOfEverything, createTenant, dumpDatabases } from "./tenant.ts";
import { addAccount, newId } from "./world.ts";

/** A failure says the way out to somebody who adds an endpoint. */
export const REMEDY =
  "answers for what is not the tenant's. Load by account and identifier (`account_id = :accountId` in the WHERE of its statement), " +
  "and pass what was found, null included, to `owned(…)` of tenant/refuse-foreign.ts";

/** `digit`: the database of the other tenant. The answers are 403, and one for all. Nothing changes. */
export async function expectForeignRefused(
  { name, operation, method, path, parameters }: OperationCase,
  digit: string,
) {
  const mine = await addOneOfEverything(await addAccount({ digit: "0" }));
  const theirs = await addOneOfEverything(await addAccount({ digit }));
  const tenant = await createTenant({ accountId: mine.accountId });
  const before = await dumpDatabases();
  const headers = { "X-Request-Id": "the-same" };
  const answers = [];
  // All identifiers are the other tenant's; one of them is; all are unknown; all have a wrong format.
  const foreign: Record<string, string>[] = [
    theirs,
    ...parameters.map((id) => ({ ...mine, [id]: theirs[id] ?? "" })),
    Object.fromEntries(parameters.map((id) => [id, newId()])),
    Object.fromEntries(parameters.map((id) => [id, "x"])),
  ];
  for (const ids of foreign) {
    for (const body of [bodyOf(operation), "not json", { unknown: 1 }]) {
      const response = await tenant.send(method, fillPath(path, ids), body, headers);
      expect(response.status, `${name} ${REMEDY}. Sent: ${JSON.stringify(ids)} ${JSON.stringify(body)}`).toBe(403);
      answers.push(await response.text());
    }
  }
  expect(
    new Set(answers).size,
    `${name} tells what exists from what does not: throw \`forbidden\` without a detail`,
  ).toBe(1);
  expect(await dumpDatabases(), `${name} ${REMEDY}`).toEqual(before);
}
