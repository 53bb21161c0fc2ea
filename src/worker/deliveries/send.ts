/**
 * Sends one request to a receiver. Its URL was written by an owner, so the request has a deadline, follows no redirects, and
 * reads only the status of the answer.
 */
import { isInZones } from "../model/webhook-url.ts";
import type { ReceiverAnswer } from "./schedule.ts";

const DEADLINE_MS = 15_000;

/** Answers `status: null` when the receiver does not answer in time, or not at all. Never rejects. */
export type Send = ((request: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}) => Promise<ReceiverAnswer>) & {
  /** The setting SIGN_IN_URL: where the links of a message lead. */
  readonly signInUrl?: string | undefined;
};

export type Outside = { readonly OWN_ZONES?: string; readonly SIGN_IN_URL?: string };

const sendWithin =
  (deadlineMs: number): Send =>
  async ({ url, headers, body }) => {
    try {
      const signal = AbortSignal.timeout(deadlineMs);
      const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
      // The body is not read, however long it is.
      await response.body?.cancel().catch(() => {});
      return { status: response.status, retryAfter: response.headers.get("Retry-After") };
    } catch {
      return { status: null, retryAfter: null };
    }
  };

/**
 * Sends nothing into the operator's own domains, also to a webhook that was made before the setting named them. Such a delivery has
 * failed, like one that its receiver does not answer.
 */
export function sendOutside(send: Send, { OWN_ZONES = "", SIGN_IN_URL }: Outside): Send {
  const outside = async (request: Parameters<Send>[0]) =>
    isInZones(request.url, OWN_ZONES) ? { status: null, retryAfter: null } : send(request);
  return Object.assign(outside, { signInUrl: SIGN_IN_URL });
}

export const sendByFetch: Send = sendWithin(DEADLINE_MS);
