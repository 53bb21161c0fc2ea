/**
 * Opens the idea bank of a compound token, for the panelist API and for other services. The token is checked without I/O. The view
 * of the idea bank tells whether it was revoked.
 */
import { timeRefusal, type VerifiedToken } from "../credentials/compound-token.ts";
import { verifyConsistencyToken } from "../credentials/consistency-token.ts";
import type { SigningKeys } from "../credentials/envelope.ts";
import { type Mistake, mistakeInToken } from "../credentials/mistakes.ts";
import { VerifiedCredentials } from "../credentials/verified-credentials.ts";
import { oncePer } from "../http/once-per.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import { capabilitiesOf, forVisitor } from "../model/capabilities.ts";
import type { Capabilities } from "../model/idea-bank.ts";
import { type AnyToken, type AnyTokenRefusal, verifyAnyToken } from "../model/signed-token.ts";
import { Problem } from "../problem.ts";
import type { Settings } from "../settings.ts";
import type { Caller, Databases } from "../store/databases.ts";
import { isWithin } from "../store/deadline.ts";
import type { IdeaBankViews, OpenedIdeaBank, OpenTerms } from "../view/views.ts";
import { holderOf, type Limiters, limitPanelist } from "./limit-panelist.ts";

const MISTAKES: Readonly<Record<string, string>> = {
  missing:
    "This needs a token (`ibt_…`, `ibv_…` or one that your server has signed) in the header `Authorization`. It is missing or empty.",
  "in the wrong header": "Send the token in the header `Authorization`, not in `X-API-Key`.",
  "a placeholder": "The header `Authorization` has a placeholder. Put your token in its place.",
  several: "The header `Authorization` has several values. Send one token, once.",
  "in quotes": "Send the token without quotes around it.",
  "after Bearer": "Send one `Bearer` at most, and the token after it.",
  "of the other kind":
    "The header `Authorization` has an API key. Panelists send a token, which your server gets with `POST /tenant/ideabanks/{ideaBankId}/tokens`.",
  "not whole": "The token is too short or too long. Copy all of it.",
  "in an address":
    "Only a visitor's token (`ibv_…`) works in an address, which is no secret. Send another token in the header `Authorization`.",
} satisfies Record<Mistake | "in an address", string>;

/** One response for every reason except a mistake, which the syntax shows. It names the expected credential. */
export const unauthorized = oncePer(
  (reason: string) =>
    new Problem("unauthorized", {
      detail:
        MISTAKES[reason] ??
        "This needs a valid token (`ibt_…`, `ibv_…` or one that your server has signed) in the header `Authorization`.",
      headers: { "WWW-Authenticate": 'Bearer realm="panelist"' },
      cause: reason,
    }),
);

/** How long a token that was revoked for good is refused from memory, in milliseconds. */
const REFUSED_MS = 60_000;
/** Bytes, about. A tenant's server can make its tokens much longer than ours. */
const [MAX_REFUSED_BYTES, ENTRY_BYTES] = [1_024_000, 100];

/** `sent` has the other headers, when they are known. */
type SentToken = { readonly text: string | undefined; readonly sent: Pick<Request, "headers"> | undefined };

/**
 * Reads a token. It must be signed by this deployment, or with a secret that it gave out, and be neither expired nor known to be
 * revoked for good. No I/O.
 */
export class TokenReader {
  /** When D1 refused a token (Unix milliseconds), by its whole text. */
  readonly #refused = new BoundedMap<number>({
    max: MAX_REFUSED_BYTES,
    weigh: (_, text) => ENTRY_BYTES + 2 * text.length,
  });
  readonly #verified = new VerifiedCredentials<AnyToken, AnyTokenRefusal>(verifyAnyToken);

  /** Throws `unauthorized`. */
  async read({ text, sent }: SentToken, keys: SigningKeys): Promise<AnyToken> {
    if (text !== undefined && isWithin(this.#refused.peek(text) ?? 0, Date.now(), REFUSED_MS))
      throw unauthorized("revoked");
    const token = await this.#verified.verify(text, keys);
    if (!token.ok) throw unauthorized(mistakeInToken(text, sent?.headers.get("X-API-Key")) ?? token.reason);
    const reason = timeRefusal(token.value, Math.floor(Date.now() / 1000));
    if (reason !== undefined) throw unauthorized(reason);
    return token.value;
  }

  /** Notes that D1 has refused the token for good. */
  noteRevoked(text: string | undefined): void {
    if (text !== undefined) this.#refused.set(text, Date.now());
  }
}

export type IdeaBankMemory = {
  readonly tokens: TokenReader;
  readonly views: IdeaBankViews;
  readonly databases: Databases;
};

/**
 * `text` is the presented token, and `address` its sender's, "" when another service asks. The view of the idea bank includes the write
 * that `consistencyToken` tells of.
 */
type TokenQuestion = Pick<OpenTerms, "store" | "capability"> &
  SentToken & {
    readonly address: string;
    readonly consistencyToken: string | undefined;
  };

export type TokenCaller = Caller & { readonly env: Limiters };

export type OpenedByToken = OpenedIdeaBank & { readonly token: VerifiedToken };

/**
 * Throws `unauthorized` for a token that is not valid, or was revoked; `too-many-requests` when D1 must be asked too often for its
 * holder.
 */
export async function openByToken(
  { tokens, views, databases }: IdeaBankMemory,
  {
    caller,
    settings: { freshnessMs, anchorMs, signingKeys },
    question: { text, sent, address, store, capability, consistencyToken },
  }: { readonly caller: TokenCaller; readonly settings: Settings; readonly question: TokenQuestion },
): Promise<OpenedByToken> {
  const read = await tokens.read({ text, sent }, signingKeys);
  const database = databases.of(caller, read.ideaBankId);
  if (database === undefined) throw unauthorized("of no database");
  let isCounted = false;
  const terms = {
    admitLookup: async () => {
      if (!isCounted) await limitPanelist(caller.env, holderOf(read, address), true);
      isCounted = true;
    },
    freshMs: freshnessMs,
    since: Date.now(),
    youngMs: freshnessMs + anchorMs,
    database,
    store,
    capability,
    waitUntil: (promise: Promise<unknown>) => caller.executionCtx.waitUntil(promise),
  };
  const token = read.panelistId === undefined ? await views.identify(read, terms) : read;
  const floor =
    consistencyToken === undefined
      ? undefined
      : await verifyConsistencyToken(consistencyToken, {
          subjects: subjectsOf(token),
          now: Math.floor(Date.now() / 1000),
          keys: signingKeys,
        });
  const opened = await views.open(token, { ...terms, floor });
  if (opened.isRevoked && opened.isFinal) tokens.noteRevoked(text);
  if (opened.isRevoked) throw unauthorized("revoked");
  return { ...opened, token };
}

/** The subjects for which a consistency token counts in requests with this token. */
export const subjectsOf = ({ ideaBankId, panelistId }: VerifiedToken): readonly string[] => [
  ideaBankId,
  panelistId ?? ideaBankId,
];

/** The capabilities of the token's holder. A closed, a suspended and a missing idea bank give the same ones. */
export function accessOf({ ideaBank, token }: Pick<OpenedByToken, "ideaBank" | "token">): {
  readonly name: string | null;
  readonly capabilities: Capabilities;
} {
  const ofPanelist = capabilitiesOf(ideaBank);
  const capabilities = token.panelistId === null ? forVisitor(ofPanelist) : ofPanelist;
  const isOpen = Object.values(capabilities).includes(true);
  return { name: isOpen && ideaBank ? ideaBank.name : null, capabilities };
}
