/**
 * Suspends and resumes an account: first D1 is changed, then the sessions of its members end, then the gates of its API keys are
 * notified, then the operator is answered. A session is a person's: it ends for all accounts of the person, who can sign in again.
 */
import type { Context } from "hono";
import { notifyGates } from "../api-key-gate/key-changes.ts";
import { setAccountStatus } from "../database/accounts/account-status.ts";
import { endSignInsOf } from "../database/members/sign-ins.ts";
import type { AppEnv } from "../http/app-env.ts";
import { logError } from "../log.ts";
import { isId } from "../model/id.ts";
import { AccountStatusChange, ChangedAccount } from "../model/operator.ts";
import { Problem } from "../problem.ts";
import { digitsOf } from "../store/bindings.ts";
import type { Caller, Databases } from "../store/databases.ts";
import type { Session } from "../store/session.ts";
import { type OperatorMemory, operation } from "./operation.ts";

/** When it resolves, each gate has confirmed the change. Throws `not-found`, and `service-unavailable` if a gate did not answer. */
async function changeAccountStatus(
  c: Context<AppEnv>,
  { gatekeeper, databases }: OperatorMemory,
  { account, status }: AccountStatusChange,
): Promise<ChangedAccount> {
  const { accountId, apiKeyIds, members } = await setStatus(c, { databases, account, status });
  const sessionsEnded =
    status === "suspended" ? await endSessions(databases.directory(c).withoutSession(), members) : null;
  const missed = await notifyGates({ caller: c, gatekeeper }, apiKeyIds);
  if (missed.length === 0) return { accountId, status, apiKeys: apiKeyIds.length, sessionsEnded };
  throw new Problem("service-unavailable", {
    detail:
      `The account is ${status}, but the gates of ${missed.length} of its ${apiKeyIds.length} API keys did not answer, and are told ` +
      "again for half a minute. If they do not hear of it, they can use their older record for up to 5 minutes. Send it again to be sure.",
    headers: { "Retry-After": "1" },
    cause: missed[0]?.reason,
  });
}

/** An account can be suspended while the directory is down. Nobody can use a session in the meantime. */
const endSessions = (directory: Session, members: readonly string[]): Promise<boolean> =>
  endSignInsOf(directory, members).then(
    () => true,
    (error: unknown) => {
      logError("the sessions of a suspended account's members were not ended", error);
      return false;
    },
  );

/**
 * An identifier names its database. An address may be in any, so all are asked, and a database that is down does not hide an
 * account in another one.
 */
async function setStatus(
  c: Caller,
  {
    databases,
    account,
    status,
  }: { readonly databases: Databases; readonly account: string; readonly status: AccountStatusChange["status"] },
) {
  const places = isId(account) ? [account] : digitsOf(c.env);
  const found = places.map((place) => databases.of(c, place)).filter((database) => database !== undefined);
  const asked = await Promise.allSettled(
    found.map((each) => setAccountStatus(each.primary().session, { account, status, now: Date.now() })),
  );
  for (const outcome of asked) if (outcome.status === "fulfilled" && outcome.value !== null) return outcome.value;
  for (const outcome of asked) if (outcome.status === "rejected") throw outcome.reason;
  throw new Problem("not-found", { detail: "There is no such account." });
}

export const ACCOUNT_STATUS_OPERATIONS = {
  setAccountStatus: operation({
    method: "PUT",
    effect: "overwrites",
    path: "/operator/account-status",
    credential: { kind: "operator" },
    body: AccountStatusChange,
    answer: ChangedAccount,
    untilDone: true,
    problems: ["not-found"],
    summary: "Suspend or resume an account",
    description:
      "After this answer every request with one of the account's API keys is refused, or admitted again. Panelists see it " +
      "within the freshness of their answers. Suspending ends the handed-over sessions of its members, who can sign in again. Sending " +
      "it again is harmless.",
    handle: async (c, { body }, memory) => c.json(await changeAccountStatus(c, memory, body)),
  }),
};
