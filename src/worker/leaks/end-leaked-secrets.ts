/** Ends tokens, webhooks' secrets and signing secrets that were found in public, each as its kind is. */
import type { Context } from "hono";
import { hashSecret } from "../credentials/api-key.ts";
import { secureRandomBytes } from "../credentials/base62.ts";
import { type SignedToken, timeRefusal } from "../credentials/compound-token.ts";
import { createId, databaseDigit, deriveId } from "../credentials/id.ts";
import { createWebhookSecret } from "../credentials/webhook-signature.ts";
import { rotateLeakedSigningSecrets, rotateLeakedWebhooks } from "../database/leaked-secrets.ts";
import { type LeakedToken, recordLeakedTokens } from "../database/leaked-tokens.ts";
import { loadPanelistSalt } from "../database/panelist-salts.ts";
import { loadSigningEpochs } from "../database/signing-secrets.ts";
import type { AppEnv } from "../http/app-env.ts";
import type { IdeaBankViews } from "../idea-bank/views.ts";
import { type AnyToken, isEpochGood } from "../model/signed-token.ts";
import type { Databases } from "../store/databases.ts";
import type { Session } from "../store/session.ts";
import type { Found } from "./end-leaked-keys.ts";

type Memory = { readonly databases: Databases; readonly views: IdeaBankViews };
type Terms<Secret> = { readonly found: readonly Found<Secret>[]; readonly reporter: string };

/** A neighbor in a report cannot use up the statements of a request. Signed tokens of further idea banks end by themselves within an hour. */
const MOST_IDEA_BANKS = 50;

const idBeside = (digit: string) => createId(digit, secureRandomBytes);

/** Tokens that are over, or were revoked, change nothing. */
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
      const tokens = newestOfEach([...issued, ...signed]);
      if (tokens.length === 0) return;
      for (const revocation of await recordLeakedTokens(session, { found: tokens, reporter, now }))
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
});

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

/** Finds this deployment's secrets among the texts. A webhook's and a signing secret do not name their database. */
export async function rotateLeakedSecrets(
  c: Context<AppEnv>,
  { databases }: Memory,
  {
    webhooks,
    signing,
    reporter,
  }: { readonly webhooks: Terms<string>["found"]; readonly signing: Terms<string>["found"]; readonly reporter: string },
): Promise<ReadonlySet<string>> {
  if (webhooks.length + signing.length === 0) return new Set();
  const now = Date.now();
  const hashes = await Promise.all(signing.map(({ secret }) => hashSecret(secret)));
  const looked = await Promise.allSettled(
    databases.all(c).map(async ({ database, digit }) => {
      const session = database.withoutSession();
      const ofHere = <Each extends { readonly foundAt: string }>({ foundAt }: Each) => ({
        eventId: idBeside(digit),
        foundAt,
      });
      const found = webhooks.map((each) => ({
        ...ofHere(each),
        text: each.secret,
        newSecret: createWebhookSecret(secureRandomBytes),
      }));
      const signed = signing.map((each, index) => ({ ...ofHere(each), text: each.secret, hash: hashes[index] ?? "" }));
      return [
        ...(found.length === 0 ? [] : await rotateLeakedWebhooks(session, { found, reporter, now })),
        ...(signed.length === 0 ? [] : await rotateLeakedSigningSecrets(session, { found: signed, reporter, now })),
      ];
    }),
  );
  throwFirst(looked);
  return new Set(looked.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : [])));
}

function throwFirst(outcomes: readonly PromiseSettledResult<unknown>[]): void {
  const missed = outcomes.find((outcome) => outcome.status === "rejected");
  if (missed !== undefined) throw missed.reason;
}
