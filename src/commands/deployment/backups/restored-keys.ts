/**
 * The API keys that a restore has ended again. Until then their rows were as they had been, and a Durable Object that read one uses
 * it for up to five minutes. So each is asked again, with the operator's calls that are harmless when nothing is left to change.
 */
import type { Context } from "../../command-line/context.ts";
import { Failure } from "../../command-line/failure.ts";
import { commandLine } from "../arguments.ts";
import { askDeployment, type Call, type Deployment } from "../ask-deployment.ts";
import type { EveryDatabase } from "../databases/every-database.ts";

type Key = { readonly id: string; readonly accountId: string; readonly status: string; readonly isRevoked: boolean };

/** A key as its Durable Object reads it. `record` differs when anything was changed that decides a request. */
const KEYS = `SELECT k.id, k.account_id AS accountId, a.status, k.revoked_at IS NOT NULL AS isRevoked,
    json_array(a.status, k.secret_hash, k.previous_secret_hash, k.previous_expires_at, k.revoked_at, k.scopes, k.rate_limit,
      k.rate_window_seconds, k.expires_at, k.paused_at, k.allowed_addresses) AS record
  FROM api_keys k JOIN accounts a ON a.id = k.account_id`;

/** Runs `change`, and returns the keys that it has changed. */
export async function keysChangedBy(
  { query }: EveryDatabase,
  binding: string,
  change: () => Promise<void>,
): Promise<readonly Key[]> {
  const before = new Map((await query(binding, KEYS)).map(({ id, record }) => [id, record]));
  await change();
  return (await query(binding, KEYS))
    .filter(({ id, record }) => before.get(id) !== record)
    .map(({ id, accountId, status, isRevoked }) => ({
      ...{ id: String(id), accountId: String(accountId), status: String(status) },
      isRevoked: Number(isRevoked) === 1,
    }));
}

type Question = Call & { readonly again: string };

/** A key that is revoked by itself; the other keys of an account by its status, which stays what it is. */
function questionsAbout(keys: readonly Key[], { origin }: Deployment): readonly Question[] {
  const where = ["--url", origin];
  const revoked = keys
    .filter(({ isRevoked }) => isRevoked)
    .map(
      ({ id }): Question => ({
        ...{ method: "DELETE", path: `/operator/keys/${id}`, done: `the API key ${id} is revoked` },
        confirms: (answer) => answer.id === id && answer.state === "revoked",
        again: commandLine("account", "", "revoke", id, ...where),
      }),
    );
  const accounts = new Map(keys.filter(({ isRevoked }) => !isRevoked).map((key) => [key.accountId, key.status]));
  return revoked.concat(
    [...accounts].map(
      ([account, status]): Question => ({
        ...{ method: "PUT", path: "/operator/account-status", body: { account, status } },
        confirms: (answer) => answer.accountId === account && answer.status === status,
        done: `the account ${account} is ${status}`,
        again: commandLine("suspend", "", account, ...where, ...(status === "active" ? ["--resume"] : [])),
      }),
    ),
  );
}

/** At the same time: each waits for the end of the leases that its Durable Object has granted. */
const AT_ONCE = 10;

/** When it resolves, no Durable Object decides by what it read before. Throws a Failure with the commands for those that did not answer. */
export async function askGatesAgain(context: Context, deployment: Deployment, keys: readonly Key[]): Promise<void> {
  const questions = questionsAbout(keys, deployment);
  const unanswered: string[] = [];
  for (let first = 0; first < questions.length; first += AT_ONCE) {
    const some = questions.slice(first, first + AT_ONCE);
    const asked = await Promise.allSettled(some.map((question) => askDeployment(context, deployment, question)));
    unanswered.push(...some.flatMap(({ again }, index) => (asked[index]?.status === "rejected" ? [again] : [])));
  }
  if (unanswered.length === 0) return;
  throw new Failure(
    "The restore is complete, but not every API key's Durable Object has confirmed what was ended again: it can use what it read " +
      `during the restore for up to 5 minutes. To ask again:\n${unanswered.join("\n")}`,
  );
}
