/** The e-mail with a code: whoever reads the address says with it that the platform's subject is theirs. */
import { toBrand } from "../model/brand.ts";
import { answerWithin } from "../store/deadline.ts";
import type { NoticesEnv } from "./notices.ts";
import { toPage } from "./render-notice.ts";

/** Whether the deployment sends e-mail. */
export const canSendEmail = ({ NOTICES, NOTICES_FROM }: NoticesEnv): boolean =>
  NOTICES !== undefined && Boolean(NOTICES_FROM);

/** Rejects when it was not sent, or not within these milliseconds. */
export async function sendAddressCode(
  env: NoticesEnv,
  { to, code, withinMs }: { readonly to: string; readonly code: string; readonly withinMs: number },
): Promise<void> {
  const { NOTICES: notices, NOTICES_FROM: from } = env;
  if (notices === undefined || !from) throw new Error("the deployment sends no e-mail");
  const brand = toBrand(env);
  const paragraphs = [
    `Someone wants to open the accounts of ${to} on ${brand.name}. If that’s you, enter this code on the page that asks for it:`,
    code,
    "The code works for 15 minutes. If it isn’t you, do nothing, and give the code to nobody. Nobody gets in without it.",
  ];
  const why = `You’re getting this because ${to} has accounts on ${brand.name}, or was invited to one.`;
  const email = {
    ...{ from, to, subject: `Your code for ${brand.name}` },
    text: [...paragraphs, `--\n${why}`].join("\n\n").concat("\n"),
    html: toPage(brand, { paragraphs, why }),
  };
  await answerWithin(withinMs, notices.send(email));
}
