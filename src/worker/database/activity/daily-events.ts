/** Events of an act that a key may do a thousand times a day: the first on a day of UTC is recorded. */
import type { AuditEvent } from "../../model/audit-event.ts";
import { prepare, type Statement } from "../../store/statement.ts";

/** The key that acts. `eventId` is the same for the whole day (`dailyEventId`). `now` is in Unix milliseconds. */
export type DailyAct = {
  readonly apiKeyId: string;
  readonly eventId: string;
  readonly address: string | null;
  readonly now: number;
};

/**
 * The statement that records the act if `condition` holds. It belongs in the transaction of the act, so that nothing is handed out
 * without it.
 */
export const recordOnceADay = (
  { apiKeyId, eventId, address, now, event }: DailyAct & { readonly event: AuditEvent["event"] },
  condition: string,
  values: Parameters<typeof prepare>[1] & { readonly accountId: string },
): Statement =>
  prepare(
    `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at)
     SELECT :eventId, account_id, :event, id, name, NULL, :address, :eventAt
     FROM api_keys WHERE id = :apiKeyId AND account_id = :accountId
       AND NOT EXISTS (SELECT 1 FROM audit_events WHERE id = :eventId) AND ${condition}`,
    { ...values, apiKeyId, eventId, event, address, eventAt: now },
  );
