/** Ends everything of this deployment that was found in public, each as its kind is, and tells its owner. */
import type { Context } from "hono";
import { hiddenBeginning } from "../credentials/hide-credentials.ts";
import type { AppEnv } from "../http/app-env.ts";
import { withoutInvisible } from "../model/text.ts";
import { Problem } from "../problem.ts";
import { endLeakedKeys, type Found, type LeakMemory, type Reporter } from "./end-leaked-keys.ts";
import { endLeakedTokens, rotateLeakedSecrets } from "./end-leaked-secrets.ts";
import { type FoundSecrets, findSecrets } from "./find-secrets.ts";

/** `foundAt` is a text from the reporter. */
type Finding = { readonly token: string; readonly foundAt: string };

/** The owner sees at most this many characters of it. */
const FOUND_AT_LENGTH = 500;

/** One line, without characters that change how the words around it are read. */
const toPlace = (foundAt: string, operatorSecret: string | undefined): string =>
  withoutInvisible(
    hiddenBeginning(foundAt, { length: FOUND_AT_LENGTH, operatorSecret })
      .toWellFormed()
      .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "),
  ).trim();

/**
 * Tells for each finding whether a secret of this deployment is in it, as it is or encoded. When it resolves, each has ended: a key
 * everywhere, tokens within 11 seconds. Those of an account that has leaks only marked are recorded, and so are visitors' tokens that
 * somebody has pasted. Throws `service-unavailable` when this is not certain; then repeating it is harmless.
 */
export async function endLeaks(
  c: Context<AppEnv>,
  {
    memory,
    findings,
    reporter,
  }: { readonly memory: LeakMemory; readonly findings: readonly Finding[]; readonly reporter: Reporter },
): Promise<boolean[]> {
  const { signingKeys } = c.get("settings");
  const found = await findSecrets(
    findings.map(({ token }) => token),
    signingKeys,
  );
  const read = found.map((secrets, index) => ({
    secrets,
    foundAt: toPlace(findings[index]?.foundAt ?? "", c.env.OPERATOR_SECRET),
  }));
  const all = <Secret>(of: (secrets: FoundSecrets) => readonly Secret[]): Found<Secret>[] =>
    read.flatMap(({ secrets, foundAt }) => of(secrets).map((secret) => ({ secret, foundAt })));
  const webhooks = all(({ webhookSecrets }) => webhookSecrets);
  const signing = all(({ signingSecrets }) => signingSecrets);
  const [known, ...others] = await Promise.allSettled([
    rotateLeakedSecrets(c, memory, { webhooks, signing, reporter }),
    endLeakedTokens(c, memory, { found: all(({ tokens }) => tokens), reporter }),
    endLeakedKeys(c, memory, { found: all(({ keys }) => keys), reporter }),
  ]);
  const missed = [known, ...others].find((outcome) => outcome.status === "rejected");
  if (known.status === "rejected" || missed !== undefined) {
    throw new Problem("service-unavailable", {
      detail: "Not all of it was confirmed. Send it again: what is done is not done twice.",
      headers: { "Retry-After": "5" },
      cause: missed?.reason,
    });
  }
  return read.map(({ secrets: { keys, tokens, webhookSecrets, signingSecrets } }) => {
    const isKnown = (text: string) => known.value.has(text);
    return keys.length + tokens.length > 0 || [...webhookSecrets, ...signingSecrets].some(isKnown);
  });
}
