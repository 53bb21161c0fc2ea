import type { History } from "../../history.ts";
import { callsOf, field, groupBy, queryOf } from "./calls.ts";
import { keyIdOf } from "./credentials.ts";
import { rowsOf } from "./rows.ts";

/** A change as `GET /tenant/changes` shows it. */
export type Item = { readonly type: string; readonly proposalId?: string; readonly proposal?: unknown };
type Read = { readonly item: Item; readonly call: number; readonly readAt: number };

/** What one client has read of an account's log, from its beginning on. `caughtUp`: then there was nothing more, when all had settled. */
export type Follower = { readonly account: string; readonly items: readonly Read[]; readonly caughtUp: boolean };

export const nounOf = ({ type }: Item): string => type.split(".", 1)[0] ?? "";
export const idOf = (item: Item): string => {
  const noun = nounOf(item);
  // One of an anonymous survey names nobody.
  if (noun === "survey-response") return `${field(item, "surveyId")}/${field(item, "panelistId")}`;
  return String(field(item, noun === "ideabank" ? "ideaBankId" : `${noun}Id`));
};

/** A client that got a page goes on from it: what it asks for with another cursor is not what it follows. */
export function followersOf(history: History): readonly Follower[] {
  const calls = callsOf(history).filter(({ operation }) => operation === "listChanges");
  const rows = rowsOf(history);
  const changedAt = rows.commits
    .filter(({ changes }) => changes.some(({ table }) => LOGGED.has(table)))
    .map(({ at }) => at)
    .at(-1);
  return [...groupBy(calls, ({ client }) => client)].flatMap(([, own]): Follower[] => {
    const account = rows.row("api_keys", keyIdOf(own[0] ?? never()) ?? "", rows.commits.length - 1)?.account_id;
    const items: Read[] = [];
    let cursor: string | null = null;
    let caughtUp = false;
    for (const call of own) {
      if (call.status !== 200 || queryOf(call).get("after") !== cursor) continue;
      const page = field(call.answer?.body, "items") as readonly Item[];
      cursor = String(field(call.answer?.body, "nextCursor"));
      items.push(...page.map((item) => ({ item, call: call.call, readAt: call.answeredAt })));
      caughtUp = page.length === 0 && call.at > (changedAt ?? 0);
    }
    return typeof account === "string" ? [{ account, items, caughtUp }] : [];
  });
}

const LOGGED = new Set(["idea_banks", "proposals", "comments", "panelists", "surveys", "survey_responses"]);

function never(): never {
  throw new Error("a group has no calls");
}
