/** One attempt to deliver: the signed request, and the receiver's answer. */
import { signWebhook } from "../credentials/webhook-signature.ts";
import type { StoredAttempt } from "../database/webhooks/deliveries.ts";
import type { ReceiverAnswer } from "./schedule.ts";
import type { Send } from "./send.ts";

/** A delivery's content. `id` is the header `webhook-id`; the type is in the body, too. */
type Message = { readonly id: string; readonly payload: { readonly type: string } };

export async function attempt(
  send: Send,
  { url, secrets }: { readonly url: string; readonly secrets: readonly string[] },
  { id, payload }: Message,
): Promise<{ readonly answer: ReceiverAnswer; readonly attempt: StoredAttempt }> {
  const at = Date.now();
  const body = JSON.stringify(payload);
  const signed = await signWebhook(id, { seconds: Math.floor(at / 1000), body, secrets });
  const headers = { "Content-Type": "application/json", "User-Agent": "edge-access-api webhooks", ...signed };
  const answer = await send({ url, headers, body });
  const durationMs = Math.max(0, Date.now() - at);
  return { answer, attempt: { at, id, type: payload.type, status: answer.status, durationMs, url } };
}
