/** Suspends and resumes an account: D1 first, then the gates of its API keys, then the operator is answered. */
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import { setAccountStatus } from "../database/account-status.ts";
import { allDatabases } from "../database/choose-database.ts";
import type { AccountStatusChange } from "../model/operator.ts";
import { Problem } from "../problem.ts";

/** When it returns, each gate has confirmed the change. Throws `not-found`; `service-unavailable` if a gate did not answer. */
export async function changeAccountStatus(
  env: Env,
  gatekeeper: Gatekeeper,
  { account, status }: AccountStatusChange,
): Promise<{ accountId: string; status: string; apiKeys: number }> {
  for (const { database } of allDatabases(env)) {
    const changed = await setAccountStatus(database, account, status, Date.now());
    if (changed === null) continue;
    const { accountId, apiKeyIds } = changed;
    const told = await Promise.allSettled(apiKeyIds.map((id) => gatekeeper.forget(env.API_KEY_GATE, id)));
    const missed = told.filter((outcome) => outcome.status === "rejected");
    if (missed.length === 0) return { accountId, status, apiKeys: apiKeyIds.length };
    throw new Problem("service-unavailable", {
      detail:
        `The account is ${status}, but the gates of ${missed.length} of its ${apiKeyIds.length} API keys did not answer. They can use ` +
        "their older record for up to a minute, or up to 5 minutes while the database does not answer. Send it again to be sure.",
      headers: { "Retry-After": "1" },
      cause: missed[0]?.reason,
    });
  }
  throw new Problem("not-found", { detail: "There is no such account." });
}
