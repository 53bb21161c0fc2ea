/** Records the use of a revoked key in its owner's activity, once an hour. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId, type Identifier } from "../credentials/id.ts";
import { recordUseAfterRevocation } from "../database/audit-events.ts";
import type { Session } from "../store/session.ts";

const HOUR_MS = 3_600_000;

export class RevokedUse {
  #noted: number | undefined;

  /** After this object has lost its memory, the database prevents a second record of the hour. Never rejects. */
  async note(
    session: Session,
    {
      apiKeyId,
      address,
      now,
    }: { readonly apiKeyId: Identifier; readonly address: string | null; readonly now: number },
  ): Promise<void> {
    const hour = now - (now % HOUR_MS);
    if (this.#noted === hour) return;
    this.#noted = hour;
    try {
      const eventId = createId(apiKeyId, secureRandomBytes);
      await recordUseAfterRevocation(session, { apiKeyId, eventId, address, now });
    } catch (error) {
      this.#noted = undefined;
      console.warn("D1 did not take an audit event; the next use tries again", error);
    }
  }
}
