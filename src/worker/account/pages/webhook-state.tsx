/** How a webhook is doing, in a word or a few. */
import type { Webhook } from "../../model/webhook.ts";

const WORDS: Readonly<Record<Webhook["state"], string>> = {
  active: "Active",
  paused: "Paused",
  failed: "Paused after five days of failure",
  ended: "Ended: the receiver answered 410",
};

export const WebhookState = ({ webhook: { state, failingSince } }: { webhook: Webhook }) => (
  <p class={state === "active" && !failingSince ? "hint" : "paused"}>
    {state === "active" && failingSince ? "Failing" : WORDS[state]}
  </p>
);
