/** One attempt to deliver: the signed request, and the receiver's answer. */
import { signWebhook } from "../credentials/webhook-signature.ts";
import type { StoredAttempt } from "../database/webhooks/deliveries.ts";
import type { ReceiverAnswer } from "./schedule.ts";
import type { Send } from "./send.ts";

/** `shownUrl` is what is kept of the URL. */
type Receiver = { readonly url: string; readonly shownUrl: string; readonly secrets: readonly string[] };
/** A delivery's content. `id` is the header `webhook-id`; `type` is that of the change. */
type Delivery = { readonly id: string; readonly type: string; readonly payload: object };

export async function attempt(
  send: Send,
  { url, shownUrl, secrets }: Receiver,
  { id, type, payload }: Delivery,
): Promise<{ readonly answer: ReceiverAnswer; readonly attempt: StoredAttempt }> {
  const at = Date.now();
  const body = JSON.stringify(payload);
  const signed = await signWebhook(id, { seconds: Math.floor(at / 1000), body, secrets });
  const headers = { "Content-Type": "application/json", "User-Agent": "edge-access-api webhooks", ...signed };
  const answer = await send({ url, headers, body });
  const durationMs = Math.max(0, Date.now() - at);
  return { answer, attempt: { at, id, type, status: answer.status, durationMs, url: shownUrl } };
}
