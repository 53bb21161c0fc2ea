/**
 * Tokens by where they come from. All elements of a page that have the same source share its token, and the request for it; they
 * come from several scripts, which find each other by a symbol. When no element is left on the page, all tokens are forgotten: the
 * next visitor of a page that is never reloaded may be somebody else.
 */
import { requestFailure } from "./request-failure.ts";
import { endOf } from "./token-owner.ts";

/**
 * Gives a valid token. Called when there is none yet, and once more when the API has refused the last one. What no header can carry
 * (the page of an error) is no token. `address`: what it asks.
 */
export type TokenProvider = (() => string | Promise<string>) & { readonly address?: string };

/** `sameAt`: when the source gave a token again that the API had refused, in Unix milliseconds. */
type Kept = { token?: string; lastUse?: number; sameAt?: number; asking?: Promise<string> };
type Shared = {
  /** The one that asks an address, by the address. */
  readonly providers: Map<string, TokenProvider>;
  kept: WeakMap<TokenProvider, Kept>;
  elements: number;
  /** What the page's developer was told. */
  [line: `Idea board: ${string}`]: true | undefined;
};

const SHARED: unique symbol = Symbol.for("idea-bank-tokens");
declare global {
  interface Window {
    [SHARED]?: Shared;
  }
}
window[SHARED] ??= { providers: new Map(), kept: new WeakMap(), elements: 0 };
const shared = window[SHARED];

export const DEADLINE_MS = 20_000;
/** `fetch` takes the white space around it away. */
const TOKEN = /^\s*[!-~]+\s*$/;
export const isToken = (text = ""): text is string => TOKEN.test(text);

/** For so long a source is not asked again for what it has just given again. */
const SAME_MS = 1_000;

/** A request takes a moment, and a visitor's clock may be a little behind. */
const EARLY_MS = 5_000;

/** When a token is not sent any more, in Unix milliseconds. One that is over when it comes shows a wrong clock, so it is tried: NaN. */
export function lastUseOf(token = ""): number {
  const end = endOf(token) - EARLY_MS;
  return end > Date.now() ? end : Number.NaN;
}

/** For the page's developer, once: visitors can do nothing about it. */
export function tell(fault: string): void {
  const line = `Idea board: ${fault}` as const;
  if (shared[line]) return;
  shared[line] = true;
  console.error(line);
}

const PAGE = "a page";
/** By how it begins, which no token does: it would be refused as one that has ended. */
const INSTEAD: Readonly<Record<string, string>> = { "<": PAGE, "{": "JSON", "[": "JSON", '"': "JSON" };

/** What was given instead of a token, which the page's developer is told. Empty for a text that may be one, or that is empty for nobody. */
export function mistakenFor(given: unknown, source: string): string {
  const what = typeof given === "string" ? (INSTEAD[given.trim().charAt(0)] ?? "") : {}.toString.call(given);
  if (what) tell(`${source} is ${what}. It should be the token alone, as text.`);
  return what;
}

/** Asks this address of the page's own server, with the visitor's cookies. An answer that refuses, or has no token, is none. */
export function providerOf(address: string): TokenProvider {
  const url = new URL(address, document.baseURI).href;
  const ask = async () => {
    const answer = await fetch(url, { cache: "no-store" });
    const { ok, status, redirected } = answer;
    const text = ok ? await answer.text() : "";
    // Until 403 it may say that nobody is signed in.
    if (!ok && status > 403) tell(`${address} answered ${status}.`);
    if (status >= 500) throw requestFailure("failed");
    // So does a redirect to the page of a sign-in.
    return redirected && text.trim().startsWith("<") ? "" : text;
  };
  const provider = shared.providers.get(url) ?? Object.assign(ask, { address });
  shared.providers.set(url, provider);
  return provider;
}

/** Elements that name this address have their tokens from here. */
export const provide = (address: string, provider: TokenProvider): unknown =>
  shared.providers.set(new URL(address, document.baseURI).href, provider);

/** For as long as an element is on the page. */
export function useTokens(signal: AbortSignal): void {
  shared.elements += 1;
  signal.addEventListener("abort", () => {
    shared.elements -= 1;
    // An element that begins anew is back at once.
    setTimeout(() => {
      if (shared.elements === 0) shared.kept = new WeakMap();
    });
  });
}

/** After a sign-in, or a sign-out, that does not leave the page. */
export const forgetToken = (provider: TokenProvider): boolean => shared.kept.delete(provider);

/** The token that is known, unless it is `refused` or over; else a new one. Fails with `code` where there is none. */
export async function nextToken(
  provider: TokenProvider | undefined,
  refused: string | undefined,
  code: string,
): Promise<string> {
  if (!provider) throw requestFailure(code);
  const kept = shared.kept.get(provider) ?? {};
  shared.kept.set(provider, kept);
  if (kept.asking) return kept.asking;
  // Requests that were under way together meet the refusal one after the other.
  const isRefused = kept.token === refused && Date.now() - (kept.sameAt ?? 0) > SAME_MS;
  const isOver = isRefused || Date.now() >= (kept.lastUse ?? Number.NaN);
  if (kept.token !== undefined && !isOver) return kept.token;
  const ask = async () => {
    // The page's own answer has a deadline, as the API's has.
    const late = new Promise<never>((_, reject) => setTimeout(reject, DEADLINE_MS));
    try {
      const token = await Promise.race([provider(), late]);
      const mistaken = mistakenFor(token, provider.address ?? "tokenProvider()");
      // Nobody's is empty, a page (of a sign-in, of an error) or nothing at all.
      if (mistaken && mistaken !== PAGE && token != null) throw requestFailure("idea-bank-not-found");
      if (mistaken || !isToken(token)) throw requestFailure(code);
      kept.token = token;
      if (token === refused) kept.sameAt = Date.now();
      kept.lastUse = lastUseOf(token);
      return token;
    } finally {
      delete kept.asking;
    }
  };
  kept.asking = ask();
  return kept.asking;
}
