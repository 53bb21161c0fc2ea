/** Ends API keys that were found in public: first D1 is changed, then their gates are notified, then the reporter is answered. */
import type { Context } from "hono";
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import { notifyGates } from "../api-key-gate/key-changes.ts";
import type { ApiKeyCredential } from "../credentials/api-key.ts";
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId, databaseDigit } from "../credentials/id.ts";
import { type LeakedSecret, recordLeaks } from "../database/keys/leaked-keys.ts";
import { withDeliveries } from "../deliveries/after-answer.ts";
import type { Send } from "../deliveries/send.ts";
import type { AppEnv } from "../http/app-env.ts";
import type { Databases } from "../store/databases.ts";
import type { IdeaBankViews } from "../view/views.ts";

/** The memory that this shares with others in the isolate. */
export type LeakMemory = {
  readonly gatekeeper: Gatekeeper;
  readonly databases: Databases;
  readonly send: Send;
  readonly views: IdeaBankViews;
};

/** A secret, and the place where it was found, in the reporter's words. */
export type Found<Secret> = { readonly secret: Secret; readonly foundAt: string };

/** Who reports. `isVerified`: the report is signed by somebody who looks through what is public; anybody can paste. */
export type Reporter = { readonly name: string; readonly isVerified: boolean };

/** So many keys of a database are ended in one statement, whose values have a limit. */
const AT_ONCE = 1_000;

/**
 * When it resolves, none of these keys is admitted anywhere, except those whose owners only have them marked. Rejects when that is not
 * certain; then repeating it is harmless.
 */
export async function endLeakedKeys(
  c: Context<AppEnv>,
  { gatekeeper, databases, send }: LeakMemory,
  { found, reporter }: { readonly found: readonly Found<ApiKeyCredential>[]; readonly reporter: Reporter },
): Promise<void> {
  const byDatabase: Record<string, Map<string, LeakedSecret>> = {};
  for (const { secret, foundAt } of found) {
    const { id, text, secretHash } = secret;
    const digit = databaseDigit(id);
    byDatabase[digit] ??= new Map();
    byDatabase[digit].set(text, { id, secretHash, foundAt, eventId: createId(digit, secureRandomBytes) });
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
        recordLeaks(watched, { secrets, reporter: reporter.name, now: Date.now() }),
      );
    }),
  );
  const ids = recorded.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
  const unnotified = await notifyGates({ caller: c, gatekeeper }, ids);
  const missed = recorded.find((outcome) => outcome.status === "rejected") ?? unnotified[0];
  if (missed !== undefined) throw missed.reason;
}

const partsOf = (secrets: readonly LeakedSecret[]): LeakedSecret[][] =>
  Array.from({ length: Math.ceil(secrets.length / AT_ONCE) }, (_, part) =>
    secrets.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  );
