/** The header `Consistency-Token`: on the answer to a write, and on the request that has to include it. */
import type { Context } from "hono";
import { signConsistencyToken, verifyConsistencyToken } from "../credentials/consistency-token.ts";
import type { Settings } from "../settings.ts";

export const CONSISTENCY_TOKEN = "Consistency-Token";

const seconds = () => Math.floor(Date.now() / 1000);

/** `subject` is the idea bank or the panelist that was written to, up to `bookmark`. */
export async function sendConsistencyToken(
  c: { get(key: "settings"): Settings },
  {
    response: { headers },
    subject,
    bookmark,
  }: { readonly response: Response; readonly subject: string; readonly bookmark: D1SessionBookmark },
): Promise<void> {
  const token = await signConsistencyToken(bookmark, { subject, now: seconds(), keys: c.get("settings").signingKeys });
  if (token !== undefined) headers.set(CONSISTENCY_TOKEN, token);
}

/**
 * The bookmark of the request's token, which the answer must include. Undefined without a token, and for a token of other
 * subjects.
 */
export async function readConsistencyToken(
  c: Pick<Context, "req"> & { get(key: "settings"): Settings },
  subjects: readonly string[],
): Promise<D1SessionBookmark | undefined> {
  const text = c.req.header(CONSISTENCY_TOKEN);
  return text === undefined
    ? undefined
    : verifyConsistencyToken(text, { subjects, now: seconds(), keys: c.get("settings").signingKeys });
}
