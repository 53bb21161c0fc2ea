/** Why a webhook's deliveries fail or wait, and what to do about it. */

import type { Webhook } from "../../model/webhook.ts";
import { useFrame } from "../frame/frame.ts";
import { Time } from "../frame/times.tsx";

type Props = { readonly webhook: Webhook };

export const isDelivery = ({ id }: Webhook["attempts"][number]): boolean => id.startsWith("chg_");

export const wasTaken = ({ status }: Webhook["attempts"][number]): boolean =>
  status !== null && status >= 200 && status < 300;

/** A request is given up after this long. */
const DEADLINE_MS = 15_000;

/** Why there was no answer, as far as that is known. */
export const noAnswer = (durationMs: number): string =>
  durationMs >= DEADLINE_MS ? "No answer in 15 seconds" : "Couldn’t connect";

/** How the endpoint answered the test event that was just sent. */
export const Tested = ({ webhook: { attempts, format } }: { readonly webhook: Webhook }) => {
  const test = attempts.find((attempt) => !isDelivery(attempt));
  if (test === undefined) return null;
  const { status, durationMs } = test;
  return (
    <p class={`notice ${wasTaken(test) ? "good" : "bad"}`} role="status" tabindex={-1} autofocus data-done>
      {status === null
        ? `Test event: ${noAnswer(durationMs)}. `
        : `Your endpoint answered the test event with ${status} in ${durationMs} ms. `}
      {!wasTaken(test) && adviceFor(test, format)}
    </p>
  );
};

export const Why = ({ webhook }: Props) => {
  const { state, format, failingSince, nextAttemptAt, waiting, attempts } = webhook;
  if (state === "paused")
    return <p class="notice">Paused: nothing is sent until you resume it. Changes are kept for 30 days.</p>;
  if (state === "ended")
    return (
      <p class="notice bad">
        Your endpoint returned 410 (Gone), so deliveries stopped. Resume them if that was a mistake.
      </p>
    );
  if (failingSince === null && state === "active") return null;
  const deliveries = attempts.filter(isDelivery);
  const worked = deliveries.findIndex(wasTaken);
  const failed = worked < 0 ? deliveries : deliveries.slice(0, worked);
  const [last] = failed;
  const isSame = failed.every(({ status }) => status === last?.status);
  return (
    <div class="notice bad">
      {last && (
        <p>
          {last.status === null ? `${noAnswer(last.durationMs)} for ` : `Your endpoint returned ${last.status} for `}
          {failed.length > 1 && isSame ? `the last ${failed.length} deliveries. ` : "the last delivery. "}
          {adviceFor(last, format)}
        </p>
      )}
      <p>
        {state === "failed" ? "Deliveries stopped after five days of failures. Resume them once it’s fixed." : ""}
        {nextAttemptAt && "Next try "}
        {nextAttemptAt && <Time at={nextAttemptAt} now={Math.min(useFrame().now, Date.parse(nextAttemptAt) - 1)} />}
        {nextAttemptAt && `. ${waiting} waiting.`}
      </p>
    </div>
  );
};

function adviceFor({ status, durationMs }: Webhook["attempts"][number], format: Webhook["format"]): string {
  if (format === "slack" && status !== null && status >= 400 && status < 500 && status !== 429)
    return "Check that the address is whole and still exists. For Discord, it ends with /slack.";
  if (status === null)
    return durationMs >= DEADLINE_MS
      ? "Answer first, and do the work afterwards."
      : "Check that its address, port and certificate are right, and that the server is up.";
  if (status === 401 || status === 403)
    return "Let these requests in without a login, and verify their signature instead.";
  if (status === 404 || status === 405) return "Check that the URL is right and takes POST requests.";
  if (status >= 300 && status < 400) return "Redirects aren’t followed. Use the final URL.";
  if (status === 429) return "It’s rate limiting us. Raise its limit.";
  return status >= 500 ? "Look for the error in its log." : "It must answer with a 2xx status.";
}

const WORDS: Readonly<Record<Webhook["state"], string>> = {
  active: "Active",
  paused: "Paused",
  failed: "Stopped after five days of failures",
  ended: "Ended: your endpoint returned 410",
};

/** The state of a webhook, in a few words. A test changes no state, so its failure is told beside it. */
export const WebhookState = ({ webhook: { state, failingSince, attempts } }: { webhook: Webhook }) => {
  const [last] = attempts;
  const isFailing = state === "active" && failingSince;
  const hasFailedTest = state === "active" && !isFailing && last && !isDelivery(last) && !wasTaken(last);
  return (
    <p class={state === "active" && !isFailing && !hasFailedTest ? "hint" : "paused"}>
      {isFailing ? "Failing" : WORDS[state]}
      {hasFailedTest && ". The last test event failed."}
    </p>
  );
};
