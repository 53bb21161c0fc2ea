/** An e-mail like those with which people sign in on a board's page, to the owner who wants to see that they arrive. */
import { logError } from "../log.ts";
import { toBrand } from "../model/brand.ts";
import { answerWithin, DEADLINE_MS } from "../store/deadline.ts";
import type { NoticesEnv } from "./notices.ts";

type Code = { readonly to: string; readonly board: string; readonly code: string };

/**
 * What the binding says where it does not send it; undefined when it was sent. The code opens nothing. A subject of its own keeps mail
 * programs from hiding the newest one below the others.
 */
export async function sendTestCode(
  { NOTICES, NOTICES_FROM, ...env }: NoticesEnv,
  { to, board, code }: Code,
): Promise<string | undefined> {
  if (NOTICES === undefined || !NOTICES_FROM) return "The binding NOTICES or the setting NOTICES_FROM is missing.";
  const paragraphs = [
    `People who sign in on the page of “${board}” get an email like this, with a code:`,
    code,
    "This is a test: the code doesn’t sign anyone in.",
    `--\nYou’re getting this because someone pressed “Send me a code” on ${toBrand(env).name}.`,
  ];
  const email = {
    ...{ from: NOTICES_FROM, to, subject: `${code} is a test code for ${board}` },
    text: paragraphs.join("\n\n").concat("\n"),
  };
  try {
    await answerWithin(DEADLINE_MS.without, NOTICES.send(email));
    return undefined;
  } catch (error) {
    logError("a test code was not sent", error);
    return error instanceof Error ? error.message : String(error);
  }
}
