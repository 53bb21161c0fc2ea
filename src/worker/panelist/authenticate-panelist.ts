/** Authenticates a panelist: the token, without I/O. Whether it was revoked is the idea bank's view's to say. */
import type { Context } from "hono";
import { timeRefusal, type VerifiedToken } from "../credentials/compound-token.ts";
import { VerifiedCredentials } from "../credentials/verified-credentials.ts";
import type { AppEnv } from "../http/app-env.ts";
import { oncePer } from "../http/once-per.ts";
import { type AnyTokenRefusal, verifyAnyToken } from "../model/signed-token.ts";
import { Problem } from "../problem.ts";

/** The same response for every reason: it says what is expected, not what was wrong. */
export const unauthorized = oncePer(
  (reason: string) =>
    new Problem("unauthorized", {
      detail:
        "This needs a valid token (`ibt_…`, `ibv_…` or one that your server has signed) in the header `Authorization`.",
      headers: { "WWW-Authenticate": 'Bearer realm="panelist"' },
      cause: reason,
    }),
);

/** The token in `Authorization: <token>` or `Authorization: Bearer <token>`: signed by us and not expired. No I/O. */
export class TokenReader {
  readonly #verified = new VerifiedCredentials<VerifiedToken, AnyTokenRefusal>(verifyAnyToken);

  /** Throws `unauthorized`. `inAddress`: a visitor's token that the address holds. */
  async read(c: Context<AppEnv>, inAddress?: string): Promise<VerifiedToken> {
    const text = textOf(c.req.header("Authorization")) ?? inAddress;
    const token = await this.#verified.verify(text, c.get("settings").signingKeys);
    if (!token.ok) throw unauthorized(token.reason);
    const reason = timeRefusal(token.value, Math.floor(Date.now() / 1000));
    if (reason !== undefined) throw unauthorized(reason);
    return token.value;
  }
}

/** What a consistency token of the token's holder may be for. */
export const subjectsOf = ({ ideaBankId, panelistId }: VerifiedToken): readonly string[] => [
  ideaBankId,
  panelistId ?? ideaBankId,
];

const textOf = (authorization: string | undefined) => authorization?.replace(/^Bearer +/i, "");
