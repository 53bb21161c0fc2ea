/** Ends API keys that were found in public: first D1 is changed, then their gates are notified, then the reporter is answered. */
import type { Context } from "hono";
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import { notifyGates } from "../api-key-gate/key-changes.ts";
import { withDeliveries } from "../changes/deliver.ts";
import type { Send } from "../changes/send.ts";
import { findApiKeys, verifyApiKey } from "../credentials/api-key.ts";
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

/** Further keys in one finding are not looked at. */
const MOST_IN_FINDING = 20;
/** Nor is what comes after so many characters of it. */
const READ_LENGTH = 64 * 1024;
/** So many keys of a database are ended in one statement, whose values have a limit. */
const AT_ONCE = 1_000;

/**
 * Tells for each finding whether a key of this deployment is in it, as it is or encoded; the tag decides, without I/O. When it resolves,
 * none of these keys is admitted anywhere, except those whose owners only have them marked. Throws `service-unavailable` when this is
 * not certain; then repeating it is harmless.
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
  const found = await Promise.all(
    findings.map(async ({ token, foundAt }) => {
      const texts = (await findApiKeys(token.slice(0, READ_LENGTH), signingKeys)).slice(0, MOST_IN_FINDING);
      return { keys: await Promise.all(texts.map((text) => verifyApiKey(text, signingKeys))), foundAt };
    }),
  );
  const byDatabase: Record<string, Map<string, LeakedSecret>> = {};
  for (const { keys, foundAt } of found) {
    for (const credential of keys) {
      if (!credential.ok) continue;
      const { id, text, secretHash } = credential.value;
      const digit = databaseDigit(id);
      byDatabase[digit] ??= new Map();
      byDatabase[digit].set(text, {
        id,
        secretHash,
        foundAt: hideCredentials(foundAt, c.env.OPERATOR_SECRET).slice(0, FOUND_AT_LENGTH).toWellFormed(),
        eventId: createId(digit, secureRandomBytes),
      });
    }
  }
  const parts = Object.entries(byDatabase).flatMap(([digit, secrets]) =>
    partsOf([...secrets.values()]).map((part) => [digit, part] as const),
  );
  const recorded = await Promise.allSettled(
    parts.map(async ([digit, secrets]) => {
      const session = databases.of(c, digit)?.withoutSession();
      if (session === undefined) return [];
      const apiKeyIds = JSON.stringify(secrets.map(({ id }) => id));
      return withDeliveries(c, { session, account: { apiKeyIds }, send }, (watched) =>
        recordLeaks(watched, { secrets, reporter, now: Date.now() }),
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
  return found.map(({ keys }) => keys.length > 0);
}

const partsOf = (secrets: readonly LeakedSecret[]): LeakedSecret[][] =>
  Array.from({ length: Math.ceil(secrets.length / AT_ONCE) }, (_, part) =>
    secrets.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  );
