/** Tells accounts of webhooks that have failed for a day, each once until a delivery succeeds. The log of changes and members' e-mail have it from there. */
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { DATABASE_NOW } from "./deliveries.ts";

const SLICE = 50;
const DAY_MS = 86_400_000;

const DUE = `SELECT id FROM webhooks WHERE failing_since <= ${DATABASE_NOW} - ${DAY_MS} AND failing_told_at IS NULL ORDER BY failing_since LIMIT ${SLICE}`;

/** A webhook that was stopped in the meantime has its own event. False when none was due. */
export async function tellOfFailures(session: Session): Promise<boolean> {
  const { told } = await session.batch({
    audited: prepare(
      `INSERT INTO audit_events (id, account_id, event, api_key_name, created_at, webhook_id)
       SELECT substr(id, 1, 1) || substr(hex(randomblob(6)), 2), account_id, 'webhook-failing', shown_url, ${DATABASE_NOW}, id
       FROM webhooks WHERE id IN (${DUE}) AND state = 'active'`,
    ),
    told: prepare<{ id: string }>(
      `UPDATE webhooks SET failing_told_at = ${DATABASE_NOW} WHERE id IN (${DUE}) RETURNING id`,
    ),
  });
  return told.length > 0;
}
