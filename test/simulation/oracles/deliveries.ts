import { createHmac } from "node:crypto";
import type { History, Received, ReceivedAnswered } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { append, callsOf, field, groupBy, segmentAfter, succeeded, text } from "./seen/calls.ts";
import { stepped } from "./seen/faults.ts";
import { type Item, idOf } from "./seen/feed.ts";
import { loggedOf } from "./seen/logged.ts";

type Attempt = Received & { readonly answer: ReceivedAnswered | undefined };

/** The attempts at each webhook, in the order in which they arrived; a URL is one webhook's. Tests are none. */
function attemptsOf(history: History): ReadonlyMap<string, readonly Attempt[]> {
  const answers = new Map(
    history.events.flatMap((event) => (event.kind === "received-answered" ? [[event.request, event] as const] : [])),
  );
  const attempts = history.events.flatMap((event): Attempt[] =>
    event.kind === "received" && field(event.body, "type") !== "webhook.test"
      ? [{ ...event, answer: answers.get(event.request) }]
      : [],
  );
  return groupBy(attempts, ({ url }) => url);
}

/** When each webhook was made, and whose it is: by its URL. A form or a request that is sent again makes no second one. */
function webhooksOf(history: History) {
  const made = new Map<string, { readonly at: number; readonly account: string }>();
  for (const event of history.events) {
    if (event.kind !== "committed") continue;
    for (const { table, before, after } of event.changes) {
      if (table === "webhooks" && before === null && after !== null)
        made.set(String(after.url), { at: event.at, account: String(after.account_id) });
    }
  }
  return made;
}

const is2xx = ({ answer }: Attempt): boolean => answer?.status != null && answer.status >= 200 && answer.status < 300;

function* findOrder(history: History): Iterable<Finding> {
  const attempts = attemptsOf(history);
  for (const [url, { at: madeAt, account }] of webhooksOf(history)) {
    const commits = loggedOf(history, account).filter(({ at }) => at > madeAt);
    const left = commits.map(({ at, changes }) => ({ at, changes: [...changes] }));
    let last: Attempt | undefined;
    let delivered = true;
    let broken = false;
    for (const attempt of attempts.get(url) ?? []) {
      const report = (found: string): Finding => ({ at: attempt.at, found: `${url}: ${found}`, calls: [] });
      const name = nameOf(attempt);
      if (last !== undefined && attempt.id === last.id) {
        if (name !== nameOf(last)) yield report(`one webhook-id for ${nameOf(last)} and ${name}`);
        delivered ||= is2xx(attempt) && (attempt.answer?.at ?? Infinity) < Infinity;
        last = attempt;
        continue;
      }
      while (left[0]?.changes.length === 0) left.shift();
      const index = left[0]?.changes.indexOf(name) ?? -1;
      if (!delivered) yield report(`${name} was sent before the change before it was answered 2xx`);
      if (index === -1 || (left[0]?.at ?? Infinity) > attempt.at) {
        yield report(`was sent ${name}; what was committed next is ${left[0]?.changes.join(", ") ?? "nothing"}`);
        broken = true;
        break;
      }
      left[0]?.changes.splice(index, 1);
      last = attempt;
      delivered = is2xx(attempt);
    }
    const missing = left.flatMap(({ changes }) => changes);
    if (!broken && (missing.length > 0 || !delivered) && mayDeliver(history, account, url))
      yield { at: Infinity, found: `${url} was never delivered ${missing.slice(0, 5).join(", ")}`, calls: [] };
  }
}

const nameOf = ({ body }: Attempt): string => {
  const item = body as Item;
  return `${item.type} ${idOf(item)}`;
};

/** When all has settled: an active webhook of an active account. */
const mayDeliver = (history: History, account: string, url: string): boolean =>
  Object.values(history.settled).some(
    (tables) =>
      tables.accounts?.some(({ id, status }) => id === account && status === "active") &&
      tables.webhooks?.some((row) => row.url === url && row.state === "active"),
  );

export const deliveredInOrder = oracle(
  {
    name: "delivered-in-order",
    promise: "No change is missed",
    words: "A webhook delivers each change of its types at least once, in the log's order, with one `webhook-id` each.",
  },
  findOrder,
);

export const oneDelivery = oracle(
  {
    name: "one-delivery",
    promise: "No change is missed",
    words: "A webhook has at most one attempt under way, in all isolates together.",
  },
  function* (history: History): Iterable<Finding> {
    for (const [url, attempts] of attemptsOf(history)) {
      let until = 0;
      for (const { at, answer } of attempts) {
        if (at < until) yield { at, found: `${url} was called while another attempt was under way`, calls: [] };
        until = Math.max(until, answer?.at ?? at);
      }
    }
  },
);

/** What a receiver does with a delivery before anything else: one of the secrets that its owner was shown has signed it. */
export const deliveriesSigned = oracle(
  {
    name: "deliveries-signed",
    promise: "No change is missed",
    words: "Each delivery is signed with the webhook's secret, as Standard Webhooks says.",
  },
  function* (history: History): Iterable<Finding> {
    const shown = new Map<string, { readonly secret: string; readonly at: number }[]>();
    const urls = new Map<string, string>();
    const uncertain = new Set<string>();
    for (const call of callsOf(history)) {
      if (call.operation !== "createWebhook" && call.operation !== "rotateWebhook") continue;
      const webhook = field(call.answer?.body, "webhook");
      const secret = text(call.answer?.body, "secret");
      const id = text(webhook, "id") ?? segmentAfter(call, "webhooks");
      if (id === undefined) continue;
      if (!succeeded(call) || secret === undefined) uncertain.add(id);
      else append(shown, id, { secret, at: call.answeredAt });
      const url = text(webhook, "url");
      if (url !== undefined) urls.set(url, id);
    }
    for (const event of history.events) {
      if (event.kind !== "received" || event.signed === undefined) continue;
      const id = urls.get(event.url);
      if (id === undefined || uncertain.has(id)) continue;
      const { timestamp, signature, text: body } = event.signed;
      const expected = (shown.get(id) ?? []).map(
        ({ secret }) =>
          `v1,${createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"))
            .update(`${event.id}.${timestamp}.${body}`)
            .digest("base64")}`,
      );
      const seconds = ((history.epoch ?? 0) + event.at) / 1_000;
      const isOnTime = Math.abs(Number(timestamp) - seconds) <= 2 + stepped(history, 0, event.at) / 1_000;
      if (isOnTime && signature.split(" ").some((one) => expected.includes(one))) continue;
      yield {
        at: event.at,
        found: `${event.url} got ${event.id} at ${timestamp} with ${signature}: none of its ${expected.length} secrets has signed it, or at another time`,
        calls: [],
      };
    }
  },
);
