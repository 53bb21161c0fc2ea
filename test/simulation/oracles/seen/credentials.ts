import { createHash, createHmac } from "node:crypto";
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
  return /^(ib[tv]_|ey)/.test(value ?? "") ? value : undefined;
};
export const ideaBankIdOf = (token: string): string => signedOf(token)?.ideaBank ?? token.slice(4, 16);
/** Empty for a visitor. */
export const panelistIdOf = (token: string): string =>
  signedOf(token)?.panelist ?? (isVisitors(token) ? "" : token.slice(16, 28));
export const isVisitors = (token: string): boolean => token.startsWith("ibv_");

/** What a token says that a tenant's server has signed. Times are in Unix milliseconds. */
export type Signed = {
  readonly kid: string;
  readonly ideaBank: string;
  readonly panelist: string;
  readonly epoch: number;
  readonly issuedAt: number;
  readonly expiresAt: number;
};

const read = new Map<string, Signed>();

/** By account. An identifier is made with it, and no token says it. */
const salts = new Map<string, string>();

/** Before a history is judged. */
export const learnSalts = (history: History): void => {
  read.clear();
  salts.clear();
  for (const event of history.events) {
    if (event.kind !== "committed") continue;
    for (const { table, after } of event.changes) {
      if (table === "accounts" && typeof after?.panelist_salt === "string")
        salts.set(String(after.id), after.panelist_salt);
    }
  }
};

/** Undefined for a token of another kind. Nothing proves what it says: see `isForged`. */
export const signedOf = (token: string): Signed | undefined => {
  if (!token.startsWith("ey")) return undefined;
  const before = read.get(token);
  if (before !== undefined) return before;
  const [head = "", body = ""] = token.split(".");
  const parse = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  const { kid } = parse(head);
  const { iss, sub, iat, exp } = parse(body);
  const [, account, epoch] = kid.split(".");
  const panelist = derivedId(account, sub);
  const signed = { kid, ideaBank: iss, panelist, epoch: Number(epoch), issuedAt: iat * 1000, expiresAt: exp * 1000 };
  read.set(token, signed);
  return signed;
};

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Of the account, its salt and the tenant's own id; it begins with the digit of the database. */
const derivedId = (account: string, externalId: string): string => {
  const salt = salts.get(account);
  const hash = salt === undefined ? createHash("sha256") : createHmac("sha256", salt);
  const digest = hash.update(`panelist ${account} ${externalId}`).digest();
  let rest = BigInt(`0x${digest.subarray(0, 16).toString("hex")}`);
  let id = "";
  for (; id.length < 11; rest /= 62n) id = `${DIGITS[Number(rest % 62n)]}${id}`;
  return databaseOf(account) + id;
};

/** Whether no secret that an answer of the history has shown has signed it. */
export const isForged = (history: History, token: string): boolean => {
  const { kid = "" } = signedOf(token) ?? {};
  const [head, body, signature] = token.split(".");
  const secret = secretsOf(history).get(kid);
  return (
    secret === undefined || createHmac("sha256", secret).update(`${head}.${body}`).digest("base64url") !== signature
  );
};

const shown = new WeakMap<History, ReadonlyMap<string, string>>();

/** By kid. */
const secretsOf = (history: History): ReadonlyMap<string, string> => {
  const secrets = shown.get(history) ?? new Map(callsOf(history).flatMap(({ answer }) => secretIn(answer?.body)));
  shown.set(history, secrets);
  return secrets;
};

const secretIn = (body: unknown): readonly (readonly [string, string])[] => {
  const [kid, secret] = [text(body, "kid"), text(body, "secret")];
  return kid === undefined || secret === undefined ? [] : [[kid, secret]];
};

/** The first character of an identifier names its database. */
export const databaseOf = (id: string): string => id.slice(0, 1);

/** A token and the first answer that has it. It was issued at a moment between `askedAt` and that answer. A signed one: the first use. */
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
    const used = tokenOf(call) ?? "";
    const signed = signedOf(used);
    if (signed !== undefined && !issued.has(used) && !isForged(history, used)) {
      const askedAt = signed.issuedAt - (history.epoch ?? 0);
      const answeredAt = Math.min(call.at, askedAt + 999);
      const lifetimeMs = signed.expiresAt - signed.issuedAt;
      issued.set(used, { ...signed, token: used, call: { ...call, at: askedAt, answeredAt }, askedAt, lifetimeMs });
    }
    const token = text(call.answer?.body, "token");
    if (call.operation !== "issueToken" || !succeeded(call) || token === undefined || issued.has(token)) continue;
    const lifetime = (call.body as { lifetimeSeconds?: unknown } | undefined)?.lifetimeSeconds;
    issued.set(token, {
      token,
      ideaBank: segmentAfter(call, "ideabanks") ?? ideaBankIdOf(token),
      panelist: panelistIdOf(token),
      call,
      askedAt: firstAskedAt(history, call),
      lifetimeMs: (typeof lifetime === "number" ? lifetime : isVisitors(token) ? 366 * 86_400 : 86_400) * 1000,
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
