/** `/account/activity`: what happened to the keys, newest first. */
import type { AuditEvent } from "../../model/account.ts";
import { type Frame, Layout } from "./layout.tsx";
import { Time } from "./times.tsx";

const WORDS: Record<AuditEvent["event"], string> = {
  created: "created",
  rotated: "rotated",
  renamed: "renamed",
  revoked: "revoked",
  refused: "not created: the maximum of keys was active",
  "used-after-revocation": "used although revoked",
};

type Props = {
  readonly frame: Frame;
  readonly events: readonly AuditEvent[];
  readonly now: number;
  readonly next: string | undefined;
};

export const ActivityPage = ({ frame, events, now, next }: Props) => (
  <Layout title="Activity" current="activity" {...frame}>
    {events.length === 0 && <p class="notice">Nothing has happened yet.</p>}
    {events.length > 0 && (
      <ol class="events">
        {events.map((event) => (
          <li class={event.event}>
            <p>
              <strong>{event.apiKeyName}</strong> {WORDS[event.event]}{" "}
              {event.apiKeyId && <code>{`ibk_${event.apiKeyId}…`}</code>}
            </p>
            <p class="hint">
              <Time at={event.createdAt} now={now} />
              {event.actor && ` by ${event.actor}`}
              {event.address && ` from ${event.address}`}
            </p>
          </li>
        ))}
      </ol>
    )}
    {next && (
      <p>
        <a href={`/account/activity?cursor=${next}`}>Older</a>
      </p>
    )}
  </Layout>
);
