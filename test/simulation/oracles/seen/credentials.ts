import type { History, Sent } from "../../history.ts";
import { type Call, callsOf, segmentAfter, succeeded, text } from "./calls.ts";

export const WHOLE_KEY = /ibk_[0-9A-Za-z]{47}/g;
export const WHOLE_TOKEN = /ibt_[0-9A-Za-z]{51}/g;

/** The whole text of the API key that a request carries. */
export const keyOf = (call: Sent): string | undefined => call.headers["x-api-key"];

/** The identifier in a key: what follows its prefix. */
export const keyIdOf = (call: Sent): string | undefined => /^ibk_([0-9A-Za-z]{12})/.exec(keyOf(call) ?? "")?.[1];

/** The compound token that a request carries, with or without `Bearer`. */
export const tokenOf = (call: Sent): string | undefined => {
  const value = call.headers.authorization?.replace(/^bearer +/i, "");
  return value?.startsWith("ibt_") ? value : undefined;
};
export const ideaBankIdOf = (token: string): string => token.slice(4, 16);
export const panelistIdOf = (token: string): string => token.slice(16, 28);

/** The first character of an identifier names its database. */
export const databaseOf = (id: string): string => id.slice(0, 1);

/** A token and the first answer that has it. It was issued at a moment between `askedAt` and that answer. */
export type Issued = {
  readonly token: string;
  readonly ideaBank: string;
  readonly panelist: string;
  readonly call: Call;
  /** When it was first asked for: an answer may be the replay of one that was lost. */
  readonly askedAt: number;
  readonly lifetimeMs: number;
};

/** The tokens that answers of a history issued; replays of an answer count as the first. */
export const issuedTokens = (history: History): Map<string, Issued> => {
  const issued = new Map<string, Issued>();
  for (const call of callsOf(history)) {
    const token = text(call.answer?.body, "token");
    if (call.operation !== "issueToken" || !succeeded(call) || token === undefined || issued.has(token)) continue;
    const lifetime = (call.body as { lifetimeSeconds?: unknown } | undefined)?.lifetimeSeconds;
    issued.set(token, {
      token,
      ideaBank: segmentAfter(call, "ideabanks") ?? ideaBankIdOf(token),
      panelist: panelistIdOf(token),
      call,
      askedAt: firstAskedAt(history, call),
      lifetimeMs: (typeof lifetime === "number" ? lifetime : 86_400) * 1000,
    });
  }
  return issued;
};

const firstAskedAt = (history: History, call: Call): number => {
  const idempotencyKey = call.headers["idempotency-key"];
  const first = callsOf(history).find(
    (each) => each.headers["idempotency-key"] === idempotencyKey && keyOf(each) === keyOf(call),
  );
  return idempotencyKey === undefined || first === undefined ? call.at : first.at;
};

/** What the gate of a key decided, as far as the answer tells. */
export type Admission = "admitted" | "limited" | "refused" | "unknown";

const CONTENT = new Set(["surveys", "panelists", "idea_banks", "proposals", "comments", "votes", "idempotency_keys"]);
const ADMITTED = new Set([400, 409, 410, 413, 415, 422]);

/** 403, 404, 405 and 5xx may come before or after the count: they prove nothing. What changed a tenant's data was admitted. */
export const admissionOf = (call: Call): Admission => {
  if (call.commits.some((commit) => commit.changes.some((change) => CONTENT.has(change.table)))) return "admitted";
  const status = call.status;
  if (status === undefined) return "unknown";
  if (status === 401) return "refused";
  if (status === 429) return "limited";
  return succeeded(call) || status === 304 || ADMITTED.has(status) ? "admitted" : "unknown";
};

/** The calls of the tenant API by the id of the key that they carry, in the order of sending. */
export const callsByKey = (history: History): Map<string, Call[]> => {
  const byKey = new Map<string, Call[]>();
  for (const call of callsOf(history)) {
    const id = call.path.startsWith("/tenant/") ? keyIdOf(call) : undefined;
    if (id === undefined) continue;
    const list = byKey.get(id);
    if (list === undefined) byKey.set(id, [call]);
    else list.push(call);
  }
  return byKey;
};
