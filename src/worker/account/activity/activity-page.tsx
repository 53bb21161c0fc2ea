/** `/account/activity`: the events of keys and webhooks, and the members' decisions, by day of UTC, newest first. */
import * as z from "zod/mini";
import { EVENT_KINDS, type EventKind, findAuditEvents, loadNames } from "../../database/activity/found-events.ts";
import { listMembers } from "../../database/members/members.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import type { LEAKED_SECRETS } from "../../model/api-key-settings.ts";
import type { AuditEvent } from "../../model/audit-event.ts";
import { Id } from "../../model/id.ts";
import { actorLabel, type Member } from "../../model/member.ts";
import { PAGE_PARAMETERS } from "../../model/pagination.ts";
import { oneOf } from "../../model/text.ts";
import { openOwn, visitAccount } from "../account-databases.ts";
import { ExportedInWords } from "../exports/exported-in-words.tsx";
import { changesInWords, type Names, personInWords, statusInWords } from "../frame/changes-in-words.ts";
import { LinkFor } from "../frame/for-members.tsx";
import { useFrame } from "../frame/frame.ts";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { Pager } from "../frame/pager.tsx";
import { Table } from "../frame/table.tsx";
import { Clock } from "../frame/times.tsx";
import { readVisit } from "../frame/visit.ts";
import { asMayBeSeen } from "./without-addresses.ts";

const ACTIVITY = "/account/activity";

/** A day of UTC, such as 2026-11-27. */
const Day = z.string().check(
  z.regex(/^\d{4}-\d\d-\d\d$/, "must be a day, such as 2026-11-27"),
  z.refine((day) => !Number.isNaN(Date.parse(day)), "must be a day that exists"),
);

const Filters = z.strictObject({
  ...PAGE_PARAMETERS,
  apiKeyId: z.optional(Id),
  proposalId: z.optional(Id),
  who: z.optional(z.string().check(z.maxLength(320))),
  what: z.optional(oneOf(EVENT_KINDS)),
  from: z.optional(Day),
  to: z.optional(Day),
});
type Filters = z.infer<typeof Filters>;

const isFiltered = ({ apiKeyId, proposalId, who, what, from, to }: Filters): boolean =>
  [apiKeyId, proposalId, who, what, from, to].some((value) => value !== undefined);

const DAY_MS = 86_400_000;
const timeOf = (day: string | undefined, later = 0) => (day === undefined ? undefined : Date.parse(day) + later);

export const ACTIVITY_PAGE = page({
  path: ACTIVITY,

  load: async (c) => {
    readVisit(c);
    const { query: filters, page: request } = await readPage(c, Filters);
    const filter = {
      ...{ apiKeyId: filters.apiKeyId, proposalId: filters.proposalId },
      actor: filters.who?.trim() || undefined,
      kind: filters.what,
      from: timeOf(filters.from),
      until: timeOf(filters.to, DAY_MS),
    };
    const now = Date.now();
    const { session, accountId } = await openOwn(c);
    const [{ page: found }, members] = await Promise.all([
      visitAccount(c, (session, visit) => findAuditEvents(session, { visit, request, filter })),
      listMembers(session, accountId, now),
    ]);
    const ids = found.items.flatMap(({ apiKeyId, subject, changes }) => [
      ...[apiKeyId, subject?.id],
      ...[changes?.before, changes?.after].flatMap((side) => [
        ...[side?.duplicateOf, side?.ideaBankId, side?.votersOf, side?.panelistId],
      ]),
    ]);
    const named = [...ids, filters.apiKeyId, filters.proposalId].filter((id) => id != null);
    const [names, events] = await Promise.all([
      loadNames(session, accountId, [...new Set(named)]),
      asMayBeSeen(c, found.items),
    ]);
    return { events, names, members, filters, next: await nextCursor(c, found.next) };
  },

  view: ({ events, names, members, filters, next }) => (
    <Layout title="Activity" current="activity">
      <FilterForm filters={filters} members={members} names={names} events={events} />
      {events.length === 0 && (
        <p class="notice">
          {!isFiltered(filters)
            ? "Nothing has happened yet. Changes to keys, webhooks, members and ideas appear here."
            : next
              ? "Nothing matches among the newest. Look further back."
              : "Nothing matches."}
        </p>
      )}
      {events.length > 0 && (
        <Table columns={["When", "Who", "What"]} look="list activity" isGrouped>
          {[...Map.groupBy(events, ({ createdAt }) => createdAt.slice(0, 10))].map(([day, ofDay]) => (
            <tbody>
              <tr class="day">
                <th scope="rowgroup" colspan={3}>
                  {dayInWords(day, useFrame().now)}
                </th>
              </tr>
              {ofDay.map((event) => (
                <Event event={event} names={names} members={members} isRestored={isRestored(event, events)} />
              ))}
            </tbody>
          ))}
        </Table>
      )}
      <Pager next={next && `${ACTIVITY}?${pageOf(filters, next)}`} />
    </Layout>
  ),
});

const WORDS: Partial<Record<AuditEvent["event"], string>> = {
  created: "created",
  changed: "changed",
  rotated: "rotated",
  leaked: "was found in public",
  revoked: "revoked",
  expiring: "expires soon",
  refused: "not created: the maximum number of keys was active",
  "used-after-revocation": "used after it was revoked",
  "signing-secret-read": "read a signing secret",
  "long-token-issued": "issued a token valid for more than a day",
  "signed-in": "signed in with a link",
  "sign-in-link-used-again": "opened by someone else after it was used",
  "signing-secret-rotated": "has a new signing secret",
  "visitor-tokens-ended": "visitor tokens ended",
  "visitor-token-expiring": "visitor token expires soon",
  "account-suspended": "suspended",
  "account-resumed": "resumed",
  "quota-changed": "has a new storage limit",
};

/** The kinds of subjects, as an event's name begins. */
const KINDS: Record<string, string> = {
  ideabank: "Board",
  proposal: "Idea",
  comment: "Comment on",
  panelist: "Person",
  survey: "Survey",
  signing: "Board",
  visitor: "Board",
};

const LEAKED_WORDS: Record<(typeof LEAKED_SECRETS)[number], string> = {
  token: "A person’s token",
  "visitor-token": "A visitor token",
  "signed-token": "A token signed by your server",
  "webhook-secret": "The secret of the webhook",
  "signing-secret": "A board’s signing secret",
};

const KIND_NAMES: Record<EventKind, string> = {
  keys: "API keys and tokens",
  ideas: "Ideas and comments",
  boards: "Boards and surveys",
  people: "People",
  webhooks: "Webhooks",
  members: "Members and sign-ins",
};

/** The filters, with the cursor of the next page. */
function pageOf({ limit: _, cursor: __, ...filters }: Filters, next: string): URLSearchParams {
  const given = Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return new URLSearchParams([["cursor", next], ...given]);
}

const dayInWords = (day: string, now: number): string => {
  if (day === new Date(now).toISOString().slice(0, 10)) return "Today";
  if (day === new Date(now - DAY_MS).toISOString().slice(0, 10)) return "Yesterday";
  return new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" }).format(new Date(day));
};

type FilterFormProps = {
  readonly filters: Filters;
  readonly members: readonly Member[];
  readonly names: Names;
  readonly events: readonly AuditEvent[];
};

const FilterForm = ({ filters, members, names, events }: FilterFormProps) => (
  <search>
    <form method="get" action={ACTIVITY} class="filters">
      <label>
        Who
        <input name="who" type="search" list="members" value={filters.who ?? ""} maxlength={320} autocomplete="off" />
      </label>
      <datalist id="members">
        {members.map(({ email }) => (
          <option value={email} />
        ))}
      </datalist>
      <label>
        What
        <select name="what">
          <option value="">Everything</option>
          {Object.entries(KIND_NAMES).map(([kind, name]) => (
            <option value={kind} selected={filters.what === kind}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        From
        <input type="date" name="from" value={filters.from ?? ""} />
      </label>
      <label>
        To
        <input type="date" name="to" value={filters.to ?? ""} />
      </label>
      {filters.apiKeyId && <input type="hidden" name="apiKeyId" value={filters.apiKeyId} />}
      {filters.proposalId && <input type="hidden" name="proposalId" value={filters.proposalId} />}
      <button type="submit">Filter</button>
      {isFiltered(filters) && <a href={ACTIVITY}>Clear filters</a>}
    </form>
    {filters.apiKeyId && (
      <p class="hint">
        Only the key <Key id={filters.apiKeyId} names={names} />
      </p>
    )}
    {filters.proposalId && (
      <p class="hint">
        Only the idea <FilteredIdea id={filters.proposalId} names={names} events={events} />. What API keys and people
        changed is in the idea’s history.
      </p>
    )}
  </search>
);

type NamedProps = { readonly id: string; readonly names: Names };

/** By its name, where it still exists. */
const Key = ({ id, names }: NamedProps) => (
  <LinkFor needs="admin" href={`/account/api-keys/${id}`}>
    {names.has(id) ? <bdi>{names.get(id)}</bdi> : <code>{`ibk_${id}…`}</code>}
  </LinkFor>
);

/** The board is known from the events. */
const FilteredIdea = ({ id, names, events }: NamedProps & { readonly events: readonly AuditEvent[] }) => {
  const title = <Named id={id} name={names.get(id) ?? ""} />;
  const bank = events.find(({ subject }) => subject?.id === id)?.subject?.ideaBankId;
  return bank && names.has(id) ? <a href={`/account/idea-banks/${bank}/ideas/${id}`}>{title}</a> : title;
};

/** Their person is the subject. */
const OF_A_PERSON = /^(signed-in|sign-in-link-used-again)$/;

/** A change of who may act for the account, in a sentence of its own. */
function membershipInWords({ event, apiKeyId, changes }: AuditEvent): string | undefined {
  if (event !== "changed" || apiKeyId !== null || changes === null) return undefined;
  const before = changes.before ?? {};
  const { member, invited } = changes.after;
  if (member && before.member) return `${before.member} is now ${member}`;
  if (member) return `${member} joined`;
  if (before.member) return `${before.member} was removed`;
  if (invited) return `${invited} was invited`;
  return before.invited ? `The invitation of ${before.invited} was canceled` : undefined;
}

/** Undo writes a deleted comment again. Here the team creates no person's comment, and its own anew once. */
const isRestored = ({ event, createdAt, subject, changes }: AuditEvent, events: readonly AuditEvent[]): boolean =>
  event === "comment-created" &&
  (changes?.after.by === "panelist" ||
    events.some(
      (other) => other.event === "comment-deleted" && other.subject?.id === subject?.id && other.createdAt <= createdAt,
    ));

type EventProps = { readonly event: AuditEvent; readonly names: Names; readonly isRestored: boolean };

const Event = ({ event, names, members, isRestored }: EventProps & { readonly members: readonly Member[] }) => (
  <tr class={event.event}>
    <td>
      <Clock at={event.createdAt} />
    </td>
    <td>
      {event.apiKeyId && event.subject !== null ? (
        <>
          {"API key "}
          <Key id={event.apiKeyId} names={names} />
        </>
      ) : (
        !OF_A_PERSON.test(event.event) && <span class="actor">{actorLabel(event.actor, members)}</span>
      )}
      {event.address && <span class="hint">{event.address}</span>}
    </td>
    <td class="whole">
      <What event={event} names={names} isRestored={isRestored} />
    </td>
  </tr>
);

/** What an event's name has no word for. */
function wordOf({ event, changes }: AuditEvent, isRestored: boolean): string {
  if (isRestored) return "restored";
  if (event === "panelist-changed" && changes) return personInWords(changes.after);
  return WORDS[event] ?? event.replace(/^\w+-/, "");
}

const What = ({ event, names, isRestored }: EventProps) => {
  if (event.event === "exported") return <ExportedInWords event={event} />;
  const membership = membershipInWords(event);
  if (membership !== undefined) return <p>{membership}</p>;
  if (event.event === "proposals-imported") return <Imported event={event} />;
  const status =
    event.event === "proposal-changed" && event.changes !== null ? statusInWords(event.changes) : undefined;
  const isSaid =
    status !== undefined ||
    OF_A_PERSON.test(event.event) ||
    event.event === "panelist-changed" ||
    (event.subject !== null && /-(created|deleted)$/.test(event.event));
  const said = isSaid || event.changes === null ? "" : changesInWords(event.changes, names);
  return (
    <>
      <p>
        {event.apiKeyId && event.subject === null ? (
          <>
            {"API key "}
            <LinkFor needs="admin" href={`/account/api-keys/${event.apiKeyId}`}>
              {event.apiKeyName}
            </LinkFor>
          </>
        ) : (
          <Subject event={event} names={names} />
        )}{" "}
        {status === undefined ? wordOf(event, isRestored) : `is ${status}`}
      </p>
      {said !== "" && (
        <p class="hint" dir="auto">
          {said}
        </p>
      )}
    </>
  );
};

const Imported = ({ event: { subject, changes } }: { readonly event: AuditEvent }) => (
  <p>
    {`Imported ${changes?.after.count === 1 ? "1 idea" : `${Number(changes?.after.count).toLocaleString("en")} ideas`} from `}
    <a href={`/account/idea-banks/${subject?.id}`}>
      <bdi>{subject?.name}</bdi>
    </a>
  </p>
);

const Named = ({ id, name }: { readonly id: string; readonly name: string }) =>
  name === "" ? <code>{id}</code> : <bdi>{`“${name}”`}</bdi>;

const Subject = ({
  event: { event, subject, proposals, webhook, apiKeyName, actor, changes },
  names,
}: {
  readonly event: AuditEvent;
  readonly names: Names;
}) => {
  if (proposals !== null) {
    const { count, first } = proposals;
    const named = first.map(({ id, name, ideaBankId }, index) => [
      index === 0 ? ": " : ", ",
      <a href={`/account/idea-banks/${ideaBankId}/ideas/${id}`}>
        <Named id={id} name={name} />
      </a>,
    ]);
    return [`${count} ideas`, named, count > first.length && ` and ${count - first.length} more`];
  }
  const leaked = changes?.after.secret;
  if (event === "signed-in") return actor;
  if (event === "sign-in-link-used-again") return `The sign-in link of ${changes?.after.member}`;
  if (leaked) return `${LEAKED_WORDS[leaked]}${webhook ? ` ${webhook.url}` : ""}`;
  if (event === "tokens-ended") return "All tokens";
  if (subject === null) return webhook?.url ?? (apiKeyName || "Account");
  const [kind = ""] = event.split("-");
  const { id, name, ideaBankId } = subject;
  const bank = `/account/idea-banks/${ideaBankId ?? id}`;
  const path = {
    ideabank: bank,
    proposal: `${bank}/ideas/${id}`,
    panelist: `/account/people/${id}`,
    survey: `/account/surveys/${id}`,
  }[kind];
  // A person's name is not stored with the event: it is who the person is now.
  const shown = <Named id={id} name={kind === "panelist" ? (names.get(id) ?? "") : name} />;
  const isGone = event.endsWith("deleted") || (kind === "panelist" && !names.has(id));
  return [`${KINDS[kind]} `, path === undefined || isGone ? shown : <a href={path}>{shown}</a>];
};
