/** The compound tokens of a tenant's panelists, and of the visitors of its idea banks. */
import { issueToken, TOKEN_LIFETIME, VISITOR_LIFETIME } from "../credentials/compound-token.ts";
import { revokePanelistTokens } from "../database/panelists/panelists.ts";
import { endVisitorTokens, type NamedPanelist, prepareTokenIssue, VISITOR } from "../database/tokens/token-issues.ts";
import { respondCreated } from "../http/idempotency-key.ts";
import { IssuedToken, TokenRequest, TokenRevocation } from "../model/panelist.ts";
import { toTimestamp } from "../model/text.ts";
import { Problem } from "../problem.ts";
import { dailyActOf } from "./daily-act.ts";
import { type TenantRequest, tenantOperations } from "./operation.ts";
import { PANELIST, PANELIST_TAG } from "./panelists.ts";
import { respondDeleted } from "./refuse-foreign.ts";

/** A panelist's token that lasts longer is an event: it outlives the day on which somebody would notice a stolen key. */
const LONG_SECONDS = 86_400;

const justRevoked = () =>
  new Problem("conflict", {
    detail: "These tokens were ended several times within the last second. Try again in a second.",
    headers: { "Retry-After": "1" },
  });

const operation = tenantOperations(PANELIST_TAG);

const namedBy = async (
  { panelistId = "", externalId, displayName, email }: TokenRequest,
  panelistIdOf: TenantRequest["panelistIdOf"],
): Promise<NamedPanelist> => ({
  ...(externalId === undefined ? { panelistId } : { externalId, newPanelistId: await panelistIdOf(externalId) }),
  displayName,
  email,
});

export const TOKEN_OPERATIONS = {
  issueToken: operation({
    method: "POST",
    effect: "overwrites",
    idempotent: false,
    path: "/tenant/ideabanks/{ideaBankId}/tokens",
    // A panelist's token is that person's secret. A visitor's is none.
    forAgents: {
      effect: "adds",
      fields: ["visitor", "lifetimeSeconds"],
      description:
        "Send `visitor` as `true`: the token is for everybody who is not signed in. It only reads, so it may be in a page. A " +
        "panelist's token is a secret, which only your server gets.",
    },
    scope: "panelists:write",
    body: TokenRequest,
    answer: IssuedToken,
    problems: ["conflict"],
    summary: "Issue a compound token",
    description:
      "Names the panelist by `panelistId`, or by `externalId`, your own id for this person. An unknown `externalId` creates the " +
      "panelist, so no other call is needed. The panelist's client sends the token to the panelist API.\n\n" +
      "With `visitor`, the token is for everybody who is not signed in. It only reads, so it may be in a page.",
    handle: async (c, { session, accountId, ids, body, now, idempotencyKey, panelistIdOf }) => {
      const { ideaBankId } = ids;
      const panelist = body.visitor ? VISITOR : await namedBy(body, panelistIdOf);
      const { lifetimeSeconds = (body.visitor ? VISITOR_LIFETIME : TOKEN_LIFETIME).default } = body;
      const isLong = panelist !== VISITOR && lifetimeSeconds > LONG_SECONDS;
      const recorded = isLong ? await dailyActOf(c, "long-token-issued", now) : undefined;
      const found = await prepareTokenIssue(session, {
        accountId,
        ideaBankId,
        panelist,
        now,
        idempotencyKey,
        recorded,
      });
      if (found.kind === "inactive") throw new Problem("conflict", { detail: "The panelist is not active." });
      if (found.kind === "just-revoked") throw justRevoked();
      return respondCreated(c, {
        result: found,
        toBody: async (issue) => {
          const expiresAt = issue.issuedAt + lifetimeSeconds;
          const token = await issueToken({ ideaBankId, ...issue, expiresAt }, c.get("settings").signingKeys);
          return { token, panelistId: issue.panelistId, expiresAt: toTimestamp(expiresAt * 1000) };
        },
      });
    },
  }),

  revokeTokens: operation({
    method: "DELETE",
    effect: "ends",
    idempotent: false,
    path: `${PANELIST}/tokens`,
    scope: "panelists:write",
    summary: "Revoke all of a panelist's tokens",
    description: "Tokens issued afterwards are valid. Visitors' tokens are not affected.",
    handle: async (c, { session, accountId, ids, now, idempotencyKey, noteRevocation }) => {
      const panelist = { accountId, id: ids.panelistId, now };
      const { result, revocation } = await revokePanelistTokens(session, panelist, idempotencyKey);
      noteRevocation(revocation);
      return respondDeleted(c, result);
    },
  }),

  revokeTokensOf: operation({
    method: "POST",
    effect: "ends",
    idempotent: false,
    path: "/tenant/tokens/revoke",
    scope: "panelists:write",
    body: TokenRevocation,
    summary: "Revoke all of a person's tokens",
    description:
      "Names the panelist by `externalId`. An unknown one creates the panelist, because a person who has only read with a token that your server signed is not stored yet.",
    handle: async (
      c,
      { session, accountId, body: { externalId }, now, idempotencyKey, panelistIdOf, noteRevocation },
    ) => {
      const panelist = { accountId, id: await panelistIdOf(externalId), newExternalId: externalId, now };
      const { result, revocation } = await revokePanelistTokens(session, panelist, idempotencyKey);
      noteRevocation(revocation);
      return respondDeleted(c, result);
    },
  }),

  endVisitorTokens: operation({
    method: "DELETE",
    effect: "ends",
    idempotent: false,
    path: "/tenant/ideabanks/{ideaBankId}/visitor-tokens",
    scope: "panelists:write",
    summary: "End the visitors' tokens",
    description: "Ends all existing visitors' tokens of the idea bank. Tokens issued afterwards are valid.",
    handle: async (c, { session, accountId, ids, idempotencyKey, noteRevocation }) => {
      const { result, revocation } = await endVisitorTokens(session, {
        accountId,
        ideaBankId: ids.ideaBankId,
        idempotencyKey,
      });
      noteRevocation(revocation);
      return respondDeleted(c, result);
    },
  }),
};
