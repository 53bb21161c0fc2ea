/**
 * Checks an API key against D1 when its gate does not answer. A key that cannot be verified is refused; the limit is not
 * enforced.
 */
import type { ApiKeyCredential } from "../credentials/api-key.ts";
import { loadApiKeyRecord } from "../database/keys/api-keys.ts";
import { type Admission, refuse, tenantOf } from "../model/api-key.ts";
import type { Database } from "../store/databases.ts";
import { answerWithin, DEADLINE_MS } from "../store/deadline.ts";

export const UNAVAILABLE: Admission = { outcome: "unavailable" };
/** After a late gate, D1 has this much time left, in milliseconds. */
export const LEFT_MS = DEADLINE_MS.without - DEADLINE_MS.withFallback;

/** Decides at `now` (Unix milliseconds), within `withinMs`. Never rejects. */
export async function checkAgainstDatabase(
  database: Database,
  {
    apiKey: { id, secretHash },
    address,
    now,
    withinMs,
  }: {
    readonly apiKey: ApiKeyCredential;
    readonly address: string | null;
    readonly now: number;
    readonly withinMs: number;
  },
): Promise<Admission> {
  const since = Date.now();
  try {
    const record = await answerWithin(withinMs, loadApiKeyRecord(database.withoutSession(), id));
    const refused = refuse(record, { secretHash, address, now });
    if (record === null || refused !== undefined) return refused ?? { outcome: "refused", reason: "unknown" };
    return { outcome: "admitted", tenant: tenantOf(record), rateLimit: record.rateLimit };
  } catch (error) {
    database.noteOutage("neither D1 nor an API key's gate answers", error, since);
    return UNAVAILABLE;
  }
}

/**
 * For a late gate: the first decision counts, D1's (`checked`) or the gate's (`asked`), which also counts the request. When D1
 * does not answer either, the gate may still, because it keeps a record of its own.
 */
export async function firstToDecide(checked: Promise<Admission>, asked: Promise<Admission>): Promise<Admission> {
  const late = asked.catch(() => checked);
  const first = Promise.race([checked, late]).then((admission) =>
    admission.outcome === "unavailable" ? late : admission,
  );
  return answerWithin(LEFT_MS, first).catch(() => UNAVAILABLE);
}
