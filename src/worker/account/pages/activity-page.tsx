/** `/account/activity`: what happened to the keys and webhooks, by day of UTC, newest first. */
import type { AuditEvent } from "../../model/audit-event.ts";
import { type Frame, Layout } from "./layout.tsx";
import { Time } from "./times.tsx";

const WORDS: Partial<Record<AuditEvent["event"], string>> = {
  created: "created",
  changed: "changed",
  rotated: "rotated",
  leaked: "was found in public",
  revoked: "revoked",
  refused: "not created: the maximum of keys was active",
  "used-after-revocation": "used although revoked",
};

const SETTING_WORDS: Record<string, string> = {
  name: "Name",
  scopes: "Scopes",
  limit: "Requests",
  windowSeconds: "Seconds",
  expiresAt: "Expires",
  paused: "Paused",
  allowedAddresses: "Allowed addresses",
  member: "Member",
  foundAt: "Found in",
  ended: "Ended",
  leakedKeys: "Keys found in public",
};

const valueInWords = (value: unknown): string => {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return Array.isArray(value) ? value.join(", ") : String(value ?? "none");
};

/** "Requests: 600 → 60. Paused: no → yes." */
const changesInWords = ({ before, after }: NonNullable<AuditEvent["changes"]>): string => {
  const now: Readonly<Record<string, unknown>> = after;
  return Object.entries(before)
    .map(([name, value]) => `${SETTING_WORDS[name] ?? name}: ${valueInWords(value)} → ${valueInWords(now[name])}.`)
    .join(" ");
};

type Props = {
  readonly frame: Frame;
  readonly events: readonly AuditEvent[];
  readonly now: number;
  /** Only this key's are shown. */
  readonly apiKeyId: string | undefined;
  readonly next: string | undefined;
};

export const ActivityPage = ({ frame, events, now, apiKeyId, next }: Props) => (
  <Layout title="Activity" current="activity" {...frame}>
    {apiKeyId && (
      <p>
        Only <code>{`ibk_${apiKeyId}…`}</code>. <a href="/account/activity">Show all</a>
      </p>
    )}
    {events.length === 0 && <p class="notice">Nothing has happened yet.</p>}
    {[...Map.groupBy(events, ({ createdAt }) => createdAt.slice(0, 10))].map(([day, ofDay]) => (
      <section aria-labelledby={day}>
        <h2 id={day}>{day}</h2>
        <ol class="events">
          {ofDay.map((event) => (
            <Event event={event} now={now} />
          ))}
        </ol>
      </section>
    ))}
    {next && (
      <p>
        <a href={`/account/activity?cursor=${next}${apiKeyId ? `&apiKeyId=${apiKeyId}` : ""}`}>Older</a>
      </p>
    )}
  </Layout>
);

const Event = ({ event, now }: { readonly event: AuditEvent; readonly now: number }) => (
  <li class={event.event}>
    <p>
      <strong>
        {event.apiKeyId ? (
          <a href={`/account/api-keys/${event.apiKeyId}`}>{event.apiKeyName}</a>
        ) : (
          (event.webhook?.url ?? (event.apiKeyName || "Account"))
        )}
      </strong>{" "}
      {WORDS[event.event] ?? event.event.replace("webhook-", "")}{" "}
      {event.apiKeyId && <code>{`ibk_${event.apiKeyId}…`}</code>}
    </p>
    {event.changes && <p>{changesInWords(event.changes)}</p>}
    <p class="hint">
      <Time at={event.createdAt} now={now} />
      {event.actor && ` by ${event.actor}`}
      {event.address && ` from ${event.address}`}
    </p>
  </li>
);
