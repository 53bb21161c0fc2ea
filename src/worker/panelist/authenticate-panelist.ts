/** Authenticates a panelist by the token, without I/O. The view of the idea bank tells later whether the token was revoked. */
import type { Context } from "hono";
import { timeRefusal, type VerifiedToken } from "../credentials/compound-token.ts";
import { VerifiedCredentials } from "../credentials/verified-credentials.ts";
import type { AppEnv } from "../http/app-env.ts";
import { oncePer } from "../http/once-per.ts";
import { type AnyTokenRefusal, verifyAnyToken } from "../model/signed-token.ts";
import { Problem } from "../problem.ts";

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

/**
 * Reads the token in `Authorization: <token>` or `Authorization: Bearer <token>`. It must be signed by this deployment and not
 * expired. No I/O.
 */
export class TokenReader {
  readonly #verified = new VerifiedCredentials<VerifiedToken, AnyTokenRefusal>(verifyAnyToken);

  /** Throws `unauthorized`. `inAddress` is a visitor's token in the URL. */
  async read(c: Context<AppEnv>, inAddress?: string): Promise<VerifiedToken> {
    const text = textOf(c.req.header("Authorization")) ?? inAddress;
    const token = await this.#verified.verify(text, c.get("settings").signingKeys);
    if (!token.ok) throw unauthorized(token.reason);
    const reason = timeRefusal(token.value, Math.floor(Date.now() / 1000));
    if (reason !== undefined) throw unauthorized(reason);
    return token.value;
  }
}

/** The subjects for which a consistency token counts in requests with this token. */
export const subjectsOf = ({ ideaBankId, panelistId }: VerifiedToken): readonly string[] => [
  ideaBankId,
  panelistId ?? ideaBankId,
];

const textOf = (authorization: string | undefined) => authorization?.replace(/^Bearer +/i, "");
