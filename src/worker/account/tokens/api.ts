/** Ends all tokens of an account: what `/account/tokens/end` does, and `POST /account/api/tokens/end`. */
import type { Context } from "hono";
import { stamp } from "../../database/activity/audit-events.ts";
import { endAllTokens, loadEndOfTokens } from "../../database/tokens/end-of-tokens.ts";
import { EndedTokens } from "../../model/account-key.ts";
import type { IdempotencyKey } from "../../model/idempotency-key.ts";
import { toTimestamp } from "../../model/text.ts";
import { openOwn } from "../account-databases.ts";
import { isRepeated, repeatedProblem } from "../frame/repeated.ts";
import { whyNotAllowed } from "../identity/role.ts";
import { operation } from "../operation.ts";
import type { OwnerEnv } from "../owner-env.ts";

/** From the answer on, this isolate refuses every token that the account had given out; the others do within 11 seconds. */
export async function endTokens(c: Context<OwnerEnv>, idempotencyKey?: IdempotencyKey): Promise<EndedTokens> {
  const { session, accountId } = await openOwn(c);
  const { owner, views } = c.var;
  const end = await endAllTokens(session, { owner, accountId, stamp: stamp(accountId), idempotencyKey });
  if (end === null) throw await whyNotAllowed(c, "admin");
  if (isRepeated(end)) throw repeatedProblem(end);
  views.noteEnd(accountId, end);
  return { endedAt: toTimestamp(end.tokensEndedAt) };
}

/** When all tokens were last ended: Unix milliseconds, or null. */
export async function lastEndOfTokens(c: Context<OwnerEnv>): Promise<number | null> {
  const { session, accountId } = await openOwn(c);
  return (await loadEndOfTokens(session, accountId))?.tokensEndedAt ?? null;
}

export const TOKEN_END_OPERATIONS = {
  endTokens: operation({
    method: "POST",
    path: "/account/api/tokens/end",
    needs: "admin",
    answer: EndedTokens,
    effect: "ends",
    idempotent: false,
    status: 200,
    problems: ["conflict"],
    summary: "End all tokens of the account",
    description:
      "For when an API key or a signing secret has leaked. Ends every token that the account has given out: panelists', visitors', and " +
      "those that your servers have signed, also within the grace of a rotation. They are refused within 11 seconds. " +
      "Then everybody needs a new token, pages need a new visitor's token, and a server that signs must read the signing secret again. " +
      "API keys stay: revoke a leaked one first. It cannot be undone.",
    handle: async (c, { idempotencyKey }) => c.json(await endTokens(c, idempotencyKey)),
  }),
};
