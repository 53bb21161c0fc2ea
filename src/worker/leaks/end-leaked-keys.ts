/** Ends API keys that were found in public: first D1 is changed, then their gates are notified, then the reporter is answered. */
import type { Context } from "hono";
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import { notifyGates } from "../api-key-gate/key-changes.ts";
import { withDeliveries } from "../changes/deliver.ts";
import type { Send } from "../changes/send.ts";
import { verifyApiKey } from "../credentials/api-key.ts";
import { secureRandomBytes } from "../credentials/base62.ts";
import { hideCredentials } from "../credentials/hide-credentials.ts";
import { createId, databaseDigit } from "../credentials/id.ts";
import { type LeakedSecret, recordLeaks } from "../database/leaked-keys.ts";
import type { AppEnv } from "../http/app-env.ts";
import { Problem } from "../problem.ts";
import type { Databases } from "../store/databases.ts";

/** The memory that this shares with others in the isolate. */
export type LeakMemory = { readonly gatekeeper: Gatekeeper; readonly databases: Databases; readonly send: Send };

/** `foundAt` is a text from the reporter. */
export type Finding = { readonly token: string; readonly foundAt: string };

/** The owner sees at most this many characters of it. */
const FOUND_AT_LENGTH = 500;

/**
 * Tells for each text whether it is a key of this deployment; its tag decides, without I/O. When it resolves, none of these keys
 * is admitted anywhere, except those whose owners only have them marked. Throws `service-unavailable` when this is not certain;
 * then repeating it is harmless.
 */
export async function endLeakedKeys(
  c: Context<AppEnv>,
  {
    memory: { gatekeeper, databases, send },
    findings,
    reporter,
  }: { readonly memory: LeakMemory; readonly findings: readonly Finding[]; readonly reporter: string },
): Promise<boolean[]> {
  const { signingKeys } = c.get("settings");
  const verified = await Promise.all(findings.map(({ token }) => verifyApiKey(token, signingKeys)));
  const byDatabase: Record<string, Map<string, LeakedSecret>> = {};
  for (const [index, credential] of verified.entries()) {
    if (!credential.ok) continue;
    const { id, text, secretHash } = credential.value;
    const digit = databaseDigit(id);
    byDatabase[digit] ??= new Map();
    byDatabase[digit].set(text, {
      id,
      secretHash,
      foundAt: hideCredentials(findings[index]?.foundAt ?? "", c.env.OPERATOR_SECRET)
        .slice(0, FOUND_AT_LENGTH)
        .toWellFormed(),
      eventId: createId(digit, secureRandomBytes),
    });
  }
  const recorded = await Promise.allSettled(
    Object.entries(byDatabase).map(async ([digit, secrets]) => {
      const session = databases.of(c, digit)?.withoutSession();
      if (session === undefined) return [];
      const apiKeyIds = JSON.stringify([...secrets.values()].map(({ id }) => id));
      return withDeliveries(c, { session, account: { apiKeyIds }, send }, (watched) =>
        recordLeaks(watched, { secrets: [...secrets.values()], reporter, now: Date.now() }),
      );
    }),
  );
  const ids = recorded.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
  const unnotified = await notifyGates({ caller: c, gatekeeper }, ids);
  const missed = recorded.find((outcome) => outcome.status === "rejected") ?? unnotified[0];
  if (missed !== undefined) {
    throw new Problem("service-unavailable", {
      detail: "Not all of it could be done. Send it again: what is done is not done twice.",
      headers: { "Retry-After": "5" },
      cause: missed.reason,
    });
  }
  return verified.map(({ ok }) => ok);
}
