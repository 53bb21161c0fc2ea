/** The use of a key after its revocation, for its owner's activity: once an hour. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId, type Identifier } from "../credentials/id.ts";
import { recordUseAfterRevocation } from "../database/audit-events.ts";

const HOUR_MS = 3_600_000;

export class RevokedUse {
  #noted: number | undefined;

  /** The database makes sure of it when this object has forgotten. Undefined when it was noted before. */
  note(database: D1Database, apiKeyId: Identifier, address: string | null, now: number): Promise<void> | undefined {
    const hour = now - (now % HOUR_MS);
    if (this.#noted === hour) return undefined;
    this.#noted = hour;
    const eventId = createId(apiKeyId, secureRandomBytes);
    return recordUseAfterRevocation(database, apiKeyId, eventId, address, now).catch((error) => {
      this.#noted = undefined;
      console.warn("D1 did not take an audit event; the next use tries again", error);
    });
  }
}
