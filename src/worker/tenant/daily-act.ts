/** The request of a key, for an event that is recorded once a day. */
import type { Context } from "hono";
import { dailyEventId } from "../credentials/id.ts";
import type { DailyAct } from "../database/activity/daily-events.ts";
import type { AuditEvent } from "../model/audit-event.ts";
import type { TenantEnv } from "./operation.ts";

export async function dailyActOf(c: Context<TenantEnv>, event: AuditEvent["event"], now: number): Promise<DailyAct> {
  const apiKeyId = c.get("apiKeyId");
  const eventId = await dailyEventId(apiKeyId, event, now);
  return { apiKeyId, eventId, address: c.req.header("CF-Connecting-IP") ?? null, now };
}
