/** Ends tokens, webhooks' secrets and signing secrets that were found in public, each as its kind is. */
import type { Context } from "hono";
import { hashSecret } from "../credentials/api-key.ts";
import { secureRandomBytes } from "../credentials/base62.ts";
import { type SignedToken, timeRefusal } from "../credentials/compound-token.ts";
import { createId, dailyEventId, databaseDigit, deriveId } from "../credentials/id.ts";
import { createWebhookSecret, isTaggedWebhookSecret } from "../credentials/webhook-signature.ts";
import { loadPanelistSalt } from "../database/panelists/panelist-salts.ts";
import { rotateLeakedSigningSecrets, rotateLeakedWebhooks } from "../database/secrets/leaked-secrets.ts";
import { loadSigningEpochs } from "../database/secrets/signing-secrets.ts";
import { type LeakedToken, recordLeakedTokens } from "../database/tokens/leaked-tokens.ts";
import type { AppEnv } from "../http/app-env.ts";
import { mayPass } from "../http/rate-limit.ts";
import { clientOf } from "../model/address.ts";
import { type AnyToken, isEpochGood } from "../model/signed-token.ts";
import type { Databases } from "../store/databases.ts";
import type { Session } from "../store/session.ts";
import type { IdeaBankViews } from "../view/views.ts";
import type { Found, Reporter } from "./end-leaked-keys.ts";

type Memory = { readonly databases: Databases; readonly views: IdeaBankViews };
type Terms<Secret> = { readonly found: readonly Found<Secret>[]; readonly reporter: Reporter };

/** A neighbor in a report cannot use up the statements of a request. Signed tokens of further idea banks end by themselves within an hour. */
const MOST_IDEA_BANKS = 50;

const idBeside = (digit: string) => createId(digit, secureRandomBytes);

/** One told event in so long, about visitors' tokens that somebody has pasted. */
const TOLD_AGAIN_MS = 30 * 86_400_000;

/**
 * Tokens that are over, or were revoked, change nothing. A visitor's token is in the source of a page, for anybody to paste: the team is
 * told, once in 30 days for an idea bank, and only a verified report ends it.
 */
export async function endLeakedTokens(
  c: Context<AppEnv>,
  { databases, views }: Memory,
  { found, reporter }: Terms<AnyToken>,
): Promise<void> {
  const now = Date.now();
  const live = found.filter(({ secret }) => timeRefusal(secret, Math.floor(now / 1000)) === undefined);
  const byDatabase = Map.groupBy(live, ({ secret }) => databaseDigit(secret.ideaBankId));
  const recorded = await Promise.allSettled(
    [...byDatabase].map(async ([digit, ofDatabase]) => {
      const session = databases.of(c, digit)?.withoutSession();
      if (session === undefined) return;
      const issued = ofDatabase.flatMap(({ secret, foundAt }) =>
        isSigned(secret) ? [] : [toLeaked(secret, secret.panelistId, foundAt)],
      );
      const signed = await namedBy(session, ofDatabase, now);
      const newest = newestOfEach([...issued, ...signed]);
      const tokens = reporter.isVerified ? newest : await Promise.all(newest.map((token) => asPasted(token, now)));
      if (tokens.length === 0) return;
      for (const revocation of await recordLeakedTokens(session, { found: tokens, reporter: reporter.name, now }))
        views.noteRevocation(revocation);
    }),
  );
  throwFirst(recorded);
}

const isSigned = (token: AnyToken): token is SignedToken => token.panelistId === undefined;

const toLeaked = (token: AnyToken, panelistId: string | null, foundAt: string, externalId?: string): LeakedToken => ({
  eventId: idBeside(token.ideaBankId),
  foundAt,
  secret: externalId !== undefined ? "signed-token" : panelistId === null ? "visitor-token" : "token",
  ideaBankId: token.ideaBankId,
  panelistId,
  externalId: externalId ?? null,
  issuedAt: token.issuedAt * 1000,
  ends: true,
});

const asPasted = async (token: LeakedToken, now: number): Promise<LeakedToken> =>
  token.secret === "visitor-token"
    ? {
        ...token,
        ends: false,
        eventId: await dailyEventId(token.ideaBankId, "visitor-token-pasted", now - (now % TOLD_AGAIN_MS)),
      }
    : token;

/** The signed tokens whose secret is still valid, with the panelists that their server has named. */
async function namedBy(session: Session, found: readonly Found<AnyToken>[], now: number): Promise<LeakedToken[]> {
  const signed = found.flatMap(({ secret, foundAt }) => (isSigned(secret) ? [{ secret, foundAt }] : []));
  const byIdeaBank = [...Map.groupBy(signed, ({ secret }) => secret.ideaBankId)].slice(0, MOST_IDEA_BANKS);
  const named = await Promise.all(
    byIdeaBank.map(async ([ideaBankId, tokens]) => {
      const [accountId] = tokens.map(({ secret }) => secret.signed.accountId);
      if (accountId === undefined) return [];
      const epochs = await loadSigningEpochs(session, accountId, ideaBankId);
      const salt = await loadPanelistSalt(session, accountId);
      if (epochs === null || salt === undefined) return [];
      return Promise.all(
        tokens
          .filter(({ secret }) => isEpochGood(secret.signed, epochs, now))
          .map(async ({ secret, foundAt }) => {
            const { externalId } = secret.signed;
            return toLeaked(secret, await deriveId({ accountId, externalId }, salt), foundAt, externalId);
          }),
      );
    }),
  );
  return named.flat();
}

/** The latest token of each person, or of each idea bank's visitors: earlier ones end with it. */
function newestOfEach(tokens: readonly LeakedToken[]): LeakedToken[] {
  const newest = new Map<string, LeakedToken>();
  for (const token of tokens.toSorted((one, other) => one.issuedAt - other.issuedAt))
    newest.set(token.panelistId ?? token.ideaBankId, token);
  return [...newest.values()];
}

/**
 * Finds this deployment's secrets among the texts. A webhook's and a signing secret do not name their database. Anybody can make up texts
 * that only the database knows, so the reports of such texts are counted for each address that pastes them.
 */
export async function rotateLeakedSecrets(
  c: Context<AppEnv>,
  memory: Memory,
  {
    webhooks,
    signing,
    reporter,
  }: {
    readonly webhooks: Terms<string>["found"];
    readonly signing: Terms<string>["found"];
    readonly reporter: Reporter;
  },
): Promise<ReadonlySet<string>> {
  const { signingKeys } = c.get("settings");
  const tags = await Promise.all(webhooks.map(({ secret }) => isTaggedWebhookSecret(secret, signingKeys)));
  const tagged = webhooks.filter((_, index) => tags[index]);
  const isGuess = tagged.length < webhooks.length || signing.length > 0;
  const mayLook = !isGuess || reporter.isVerified || (await mayPass(c.env.PANELIST_WRITES, `leaks ${senderOf(c)}`));
  const known = mayLook
    ? await rotateAll(c, memory, { webhooks, signing, reporter })
    : await rotateAll(c, memory, { webhooks: tagged, signing: [], reporter });
  if (!mayLook) throw new Error("more texts than are looked up for one sender");
  return known;
}

const senderOf = (c: Context<AppEnv>): string => clientOf(c.req.header("CF-Connecting-IP") ?? "");

async function rotateAll(
  c: Context<AppEnv>,
  { databases, views }: Memory,
  { webhooks, signing, reporter: { name: reporter } }: Parameters<typeof rotateLeakedSecrets>[2],
): Promise<ReadonlySet<string>> {
  if (webhooks.length + signing.length === 0) return new Set();
  const now = Date.now();
  const { signingKeys } = c.get("settings");
  const hashes = await Promise.all(signing.map(({ secret }) => hashSecret(secret)));
  const looked = await Promise.allSettled(
    databases.all(c).map(async ({ database, digit }) => {
      const session = database.withoutSession();
      const ofHere = <Each extends { readonly foundAt: string }>({ foundAt }: Each) => ({
        eventId: idBeside(digit),
        foundAt,
      });
      const found = await Promise.all(
        webhooks.map(async (each) => ({
          ...ofHere(each),
          text: each.secret,
          newSecret: await createWebhookSecret(secureRandomBytes, signingKeys),
        })),
      );
      const signed = signing.map((each, index) => ({ ...ofHere(each), text: each.secret, hash: hashes[index] ?? "" }));
      const webhookTexts = found.length === 0 ? [] : await rotateLeakedWebhooks(session, { found, reporter, now });
      if (signed.length === 0) return webhookTexts;
      const { known, ended } = await rotateLeakedSigningSecrets(session, { found: signed, reporter, now });
      for (const { ideaBankId, epochs } of ended) views.noteEpochs(ideaBankId, epochs);
      return [...webhookTexts, ...known];
    }),
  );
  throwFirst(looked);
  return new Set(looked.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : [])));
}

function throwFirst(outcomes: readonly PromiseSettledResult<unknown>[]): void {
  const missed = outcomes.find((outcome) => outcome.status === "rejected");
  if (missed !== undefined) throw missed.reason;
}
