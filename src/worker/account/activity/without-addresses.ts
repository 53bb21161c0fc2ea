/** The address of a webhook may be its password, so only admins see the whole of it: also in what happened to the webhook. */
import type { Context } from "hono";
import type { AuditEvent } from "../../model/audit-event.ts";
import { isMasked, maskUrl } from "../../model/webhook-url.ts";
import { standingOf } from "../account-databases.ts";
import type { OwnerEnv } from "../owner-env.ts";

const mask = (url: string): string => (isMasked(url) ? url : maskUrl(url));

function withoutAddress(event: AuditEvent): AuditEvent {
  const { webhook, changes } = event;
  if (webhook === null) return event;
  const masked = <Side extends { readonly url?: unknown }>(side: Side): Side =>
    typeof side.url === "string" ? { ...side, url: mask(side.url) } : side;
  return {
    ...event,
    webhook: { ...webhook, url: mask(webhook.url) },
    changes: changes && { before: changes.before && masked(changes.before), after: masked(changes.after) },
  };
}

/** The events as the visitor may see them. Asks for the role where that matters. */
export async function asMayBeSeen(c: Context<OwnerEnv>, events: readonly AuditEvent[]): Promise<AuditEvent[]> {
  const isPlain = events.every(({ webhook }) => webhook === null) || (await standingOf(c)).role === "admin";
  return isPlain ? [...events] : events.map(withoutAddress);
}
