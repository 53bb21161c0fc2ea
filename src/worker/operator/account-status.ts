/** Suspends and resumes an account: D1 first, then this isolate's memory and the gates of its API keys, then the operator is answered. */
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import { setAccountStatus } from "../database/account-status.ts";
import { allDatabases, chooseDatabase } from "../database/choose-database.ts";
import type { IdeaBankViews } from "../idea-bank/views.ts";
import type { WaitUntil } from "../memory/deadline.ts";
import { isId } from "../model/id.ts";
import type { AccountStatusChange } from "../model/operator.ts";
import { Problem } from "../problem.ts";

/** When it returns, each gate has confirmed the change. Throws `not-found`; `service-unavailable` if a gate did not answer. */
export async function changeAccountStatus(
  env: Env,
  { gatekeeper, views }: { readonly gatekeeper: Gatekeeper; readonly views: IdeaBankViews },
  { account, status }: AccountStatusChange,
  waitUntil: WaitUntil,
): Promise<{ accountId: string; status: string; apiKeys: number }> {
  const { accountId, apiKeyIds, bookmark } = await setStatus(env, account, status);
  views.noteSuspension(accountId, status === "suspended", bookmark);
  const notified = await Promise.allSettled(apiKeyIds.map((id) => gatekeeper.forget(env, id, waitUntil)));
  const missed = notified.filter((outcome) => outcome.status === "rejected");
  if (missed.length === 0) return { accountId, status, apiKeys: apiKeyIds.length };
  throw new Problem("service-unavailable", {
    detail:
      `The account is ${status}, but the gates of ${missed.length} of its ${apiKeyIds.length} API keys did not answer. They can use ` +
      "their older record for up to a minute, or up to 5 minutes while the database does not answer. Send it again to be sure.",
    headers: { "Retry-After": "1" },
    cause: missed[0]?.reason,
  });
}

/** An identifier says where it lives; an address may be anywhere, and a database that is down hides no account of another. */
async function setStatus(env: Env, account: string, status: AccountStatusChange["status"]) {
  const own = isId(account) ? chooseDatabase(env, account) : undefined;
  const databases = isId(account) ? (own ? [own] : []) : allDatabases(env).map(({ database }) => database);
  const asked = await Promise.allSettled(databases.map((each) => setAccountStatus(each, account, status, Date.now())));
  for (const outcome of asked) if (outcome.status === "fulfilled" && outcome.value !== null) return outcome.value;
  for (const outcome of asked) if (outcome.status === "rejected") throw outcome.reason;
  throw new Problem("not-found", { detail: "There is no such account." });
}
