/**
 * Opens the idea bank of a compound token, for the panelist API and for other services. The token is checked without I/O. The view
 * of the idea bank tells whether it was revoked.
 */
import { timeRefusal, type VerifiedToken } from "../credentials/compound-token.ts";
import type { SigningKeys } from "../credentials/envelope.ts";
import { VerifiedCredentials } from "../credentials/verified-credentials.ts";
import { oncePer } from "../http/once-per.ts";
import type { IdeaBankViews, OpenedIdeaBank, OpenTerms } from "../idea-bank/views.ts";
import { capabilitiesOf, forVisitor } from "../model/capabilities.ts";
import type { Capabilities } from "../model/idea-bank.ts";
import { type AnyToken, type AnyTokenRefusal, verifyAnyToken } from "../model/signed-token.ts";
import { Problem } from "../problem.ts";
import type { Settings } from "../settings.ts";
import type { Caller, Databases } from "../store/databases.ts";

/** The same response for every reason. It names the expected credential, not the mistake. */
export const unauthorized = oncePer(
  (reason: string) =>
    new Problem("unauthorized", {
      detail:
        "This needs a valid token (`ibt_…`, `ibv_…` or one that your server has signed) in the header `Authorization`.",
      headers: { "WWW-Authenticate": 'Bearer realm="panelist"' },
      cause: reason,
    }),
);

/** Reads a token. It must be signed by this deployment, or with a secret that it gave out, and not be expired. No I/O. */
export class TokenReader {
  readonly #verified = new VerifiedCredentials<AnyToken, AnyTokenRefusal>(verifyAnyToken);

  /** Throws `unauthorized`. */
  async read(text: string | undefined, keys: SigningKeys): Promise<AnyToken> {
    const token = await this.#verified.verify(text, keys);
    if (!token.ok) throw unauthorized(token.reason);
    const reason = timeRefusal(token.value, Math.floor(Date.now() / 1000));
    if (reason !== undefined) throw unauthorized(reason);
    return token.value;
  }
}

export type IdeaBankMemory = {
  readonly tokens: TokenReader;
  readonly views: IdeaBankViews;
  readonly databases: Databases;
};

/** `text` is the presented token. `floorOf` gives the bookmark that the view of its idea bank must include. */
type TokenQuestion = Pick<OpenTerms, "store" | "capability"> & {
  readonly text: string | undefined;
  readonly floorOf?: (token: VerifiedToken) => Promise<D1SessionBookmark | undefined>;
};

export type OpenedByToken = OpenedIdeaBank & { readonly token: VerifiedToken };

/** Throws `unauthorized` for a token that is not valid, or was revoked. */
export async function openByToken(
  { tokens, views, databases }: IdeaBankMemory,
  {
    caller,
    settings: { freshnessMs, anchorMs, signingKeys },
    question: { text, store, capability, floorOf },
  }: { readonly caller: Caller; readonly settings: Settings; readonly question: TokenQuestion },
): Promise<OpenedByToken> {
  const read = await tokens.read(text, signingKeys);
  const database = databases.of(caller, read.ideaBankId);
  if (database === undefined) throw unauthorized("of no database");
  const terms = {
    freshMs: freshnessMs,
    since: Date.now(),
    youngMs: freshnessMs + anchorMs,
    database,
    store,
    capability,
    waitUntil: (promise: Promise<unknown>) => caller.executionCtx.waitUntil(promise),
  };
  const token = await views.identify(read, terms);
  const opened = await views.open(token, { ...terms, floor: await floorOf?.(token) });
  if (opened.isRevoked) throw unauthorized("revoked");
  return { ...opened, token };
}

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
