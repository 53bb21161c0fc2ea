/** `/account/activity`: the events of keys and webhooks, and the members' decisions, by day of UTC, newest first. */
import type { LEAKED_SECRETS } from "../../model/api-key-settings.ts";
import type { AuditEvent } from "../../model/audit-event.ts";
import { changesInWords } from "../frame/changes-in-words.ts";
import { type Frame, Layout } from "../frame/layout.tsx";
import { Time } from "../frame/times.tsx";

const WORDS: Partial<Record<AuditEvent["event"], string>> = {
  created: "created",
  changed: "changed",
  rotated: "rotated",
  leaked: "was found in public",
  revoked: "revoked",
  expiring: "expires soon",
  refused: "not created: the maximum of keys was active",
  "used-after-revocation": "used although revoked",
  "signing-secret-read": "read a signing secret",
  "long-token-issued": "issued a token valid for more than a day",
  "signed-in": "signed in with a link",
  "sign-in-link-used-again": "was opened by somebody else after its use",
  "tokens-ended": "ended all tokens",
  "signing-secret-rotated": "has a new signing secret",
  "visitor-tokens-ended": "visitor’s tokens ended",
  "account-suspended": "suspended",
  "account-resumed": "opened again",
  "quota-changed": "has another storage quota",
};

/** The kinds of subjects, as an event's name begins. */
const KINDS: Record<string, string> = {
  ideabank: "Idea bank",
  proposal: "Idea",
  comment: "Comment on",
  panelist: "Person",
  survey: "Survey",
  signing: "Idea bank",
  visitor: "Idea bank",
};

const LEAKED_WORDS: Record<(typeof LEAKED_SECRETS)[number], string> = {
  token: "A person’s token",
  "visitor-token": "A visitor’s token",
  "signed-token": "A token that your server signed",
  "webhook-secret": "The secret of the webhook",
  "signing-secret": "A board’s signing secret",
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
    {events.length === 0 && (
      <p class="notice">Nothing has happened yet. This page lists the changes of keys, webhooks, members and ideas.</p>
    )}
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

/** Its person is in the first line. */
const IN_FIRST_LINE = /^(signed-in|sign-in-link-used-again)$/;

const Event = ({ event, now }: { readonly event: AuditEvent; readonly now: number }) => (
  <li class={event.event}>
    <p>
      <strong>
        {event.apiKeyId && event.subject === null ? (
          <a href={`/account/api-keys/${event.apiKeyId}`}>{event.apiKeyName}</a>
        ) : (
          <Subject event={event} />
        )}
      </strong>{" "}
      {WORDS[event.event] ?? event.event.replace(/^\w+-/, "")}{" "}
      {event.apiKeyId && event.subject === null && <code>{`ibk_${event.apiKeyId}…`}</code>}
    </p>
    {event.changes &&
      !IN_FIRST_LINE.test(event.event) &&
      !(event.subject && /-(created|deleted)$/.test(event.event)) && <p dir="auto">{changesInWords(event.changes)}</p>}
    <p class="hint">
      <Time at={event.createdAt} now={now} />
      {event.actor && !IN_FIRST_LINE.test(event.event) && ` by ${event.actor}`}
      {event.apiKeyId && event.subject !== null && (
        <>
          {" by the API key "}
          <a href={`/account/api-keys/${event.apiKeyId}`}>
            <code>{`ibk_${event.apiKeyId}…`}</code>
          </a>
        </>
      )}
      {event.address && ` from ${event.address}`}
    </p>
  </li>
);

const Subject = ({
  event: { event, subject, proposals, webhook, apiKeyName, actor, changes },
}: {
  readonly event: AuditEvent;
}) => {
  if (proposals !== null) {
    const { count, first } = proposals;
    const named = first.map(({ id, name, ideaBankId }, index) => [
      index === 0 ? ": " : ", ",
      <a href={`/account/idea-banks/${ideaBankId}/ideas/${id}`}>
        <bdi>{`“${name}”`}</bdi>
      </a>,
    ]);
    return [`${count} ideas`, named, count > first.length && ` and ${count - first.length} more`];
  }
  const leaked = changes?.after.secret;
  if (event === "signed-in") return actor;
  if (event === "sign-in-link-used-again") return `The sign-in link of ${changes?.after.member}`;
  if (leaked) return `${LEAKED_WORDS[leaked]}${webhook ? ` ${webhook.url}` : ""}`;
  if (subject === null) return webhook?.url ?? (apiKeyName || "Account");
  const [kind = ""] = event.split("-");
  const { id, name, ideaBankId } = subject;
  const bank = `/account/idea-banks/${ideaBankId ?? id}`;
  const path = { ideabank: bank, proposal: `${bank}/ideas/${id}`, panelist: `/account/people/${id}` }[kind];
  const shown = kind === "panelist" || name === "" ? <code>{id}</code> : <bdi>{`“${name}”`}</bdi>;
  return [`${KINDS[kind]} `, path === undefined || event.endsWith("deleted") ? shown : <a href={path}>{shown}</a>];
};
