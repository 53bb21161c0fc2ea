/** One request to a receiver, whose URL is somebody's text: a deadline, no redirects, and nothing of the answer but its status. */
import type { ReceiverAnswer } from "./schedule.ts";

const DEADLINE_MS = 15_000;

/** Answers `status: null` when the receiver does not answer in time, or not at all. It never rejects. */
export type Send = (request: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}) => Promise<ReceiverAnswer>;

export const sendWithin =
  (deadlineMs: number): Send =>
  async ({ url, headers, body }) => {
    try {
      const signal = AbortSignal.timeout(deadlineMs);
      const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
      // However long it is, nothing of it is read.
      await response.body?.cancel().catch(() => {});
      return { status: response.status, retryAfter: response.headers.get("Retry-After") };
    } catch {
      return { status: null, retryAfter: null };
    }
  };

export const sendByFetch: Send = sendWithin(DEADLINE_MS);
