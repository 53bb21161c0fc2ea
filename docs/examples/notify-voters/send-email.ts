/** What a tenant fills in: how a person is reached. */
import type { Env } from "./index.ts";

/** `externalId` is your own id for the person: you have the address. Put `unsubscribeUrl` into `List-Unsubscribe`, too. */
export type Letter = {
  readonly externalId: string;
  readonly subject: string;
  readonly text: string;
  readonly unsubscribeUrl: string;
};

/** False: nothing was sent, try it again later. What it throws means that it may have been sent: then it is not sent again. */
export async function sendEmail(letter: Letter, env: Env): Promise<boolean> {
  const response = await fetch(env.MAIL_URL, { method: "POST", body: JSON.stringify(letter) });
  if ([429, 503].includes(response.status)) return false;
  if (!response.ok) throw new Error(`The mail service answered ${response.status}.`);
  return true;
}
