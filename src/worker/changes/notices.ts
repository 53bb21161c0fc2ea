/** E-mails to members, through the optional binding NOTICES. One that cannot be sent is logged, and nothing else is lost. */
import { type Notice, takeNotices } from "../database/notices.ts";
import { logError } from "../log.ts";
import type { AuditEvent } from "../model/audit-event.ts";
import { answerWithin, DEADLINE_MS } from "../store/deadline.ts";
import type { Session } from "../store/session.ts";

/** NOTICES_FROM is the sender's address, SIGN_IN_URL the page where owners come in. */
export type NoticesEnv = {
  readonly NOTICES?: SendEmail;
  readonly NOTICES_FROM?: string;
  readonly SIGN_IN_URL?: string;
};

/** Without the binding, or with a setting that is missing, events wait: those of the last day are told when it is there. */
export async function sendNotices(session: Session, env: NoticesEnv, now: number): Promise<void> {
  const { NOTICES: notices, NOTICES_FROM: from, SIGN_IN_URL: link } = env;
  if (notices === undefined) return;
  if (!from || !link) throw new Error("the binding NOTICES needs the settings NOTICES_FROM and SIGN_IN_URL");
  const emails = (await takeNotices(session, now)).flatMap(({ event, members }: Notice) =>
    [...members, ...movedFrom(event)].map(async (to) => {
      const email = { from, to, ...render(event, link) };
      await answerWithin(DEADLINE_MS.without, notices.send(email)).catch((error: unknown) => {
        logError("an e-mail to a member was not sent", error, event.id);
      });
    }),
  );
  await Promise.all(emails);
}

/** The address that a member had before: it is told, too. */
const movedFrom = ({ changes }: AuditEvent): readonly string[] =>
  changes?.before?.member && changes.after?.member ? [changes.before.member] : [];

type AuditedSecret = NonNullable<AuditEvent["changes"]>["after"]["secret"];
const REVOKE_PERSON = "It still works: revoke the tokens of this person.";

/** Names are any text. */
const toHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The page that ends all tokens, if owners sign in at Account Settings itself: then a link can lead there. */
const endTokensAt = (signInUrl: string): string | undefined =>
  /^https:\/\/[^/]+\/account(\/|$)/.test(signInUrl) ? new URL("/account/tokens/end", signInUrl).href : undefined;

/** The subject, and the e-mail with its one link as plain text and HTML. */
export function render(event: AuditEvent, signInUrl: string) {
  const { subject, text } = inWords(event);
  const isOfKey = event.event === "leaked" && event.apiKeyId !== null;
  const page = isOfKey ? endTokensAt(signInUrl) : undefined;
  const [label, link] = page === undefined ? ["Open Account Settings", signInUrl] : ["End all tokens", page];
  return {
    subject,
    text: `${text}\n\n${label}: ${link}\n`,
    html: `<!doctype html><html lang="en"><body><p>${toHtml(text)}</p><p><a href="${toHtml(link)}">${label}</a></p></body></html>`,
  };
}

/** The secret that was found, the sentence about what has ended, and the one for an account that has leaks only marked. */
const LEAKED: Record<NonNullable<AuditedSecret>, readonly [string, string, string]> = {
  token: ["A person's token", "All tokens of this person have ended. Your server issues new ones.", REVOKE_PERSON],
  "signed-token": [
    "A token that your server signed",
    "All tokens of this person have ended. Your server signs new ones.",
    REVOKE_PERSON,
  ],
  "visitor-token": [
    "A visitor's token",
    "All visitors' tokens of this board have ended: put a new one into your pages.",
    "It still works: end the visitors' tokens of this board, and put a new one into your pages.",
  ],
  "webhook-secret": [
    "The secret of a webhook",
    "Its deliveries are signed with a new secret from now on. Rotate it in Account Settings, which shows the next one, and put that into your receiver. What the old secret signed may come from somebody else.",
    "It still signs: rotate it in Account Settings, and put the new one into your receiver.",
  ],
  "signing-secret": [
    "A secret that your server signs tokens with",
    "It has ended: every token that it has signed is refused. Have your server read the new secret.",
    "It still works: rotate it, and have your server read the new one.",
  ],
};

function inWords(told: AuditEvent) {
  const { event, apiKeyName: name, webhook, changes, createdAt } = told;
  const { expiresAt, ended, member } = changes?.after ?? {};
  if (event === "expiring") {
    const days = Math.ceil((Date.parse(expiresAt ?? "") - Date.parse(createdAt)) / 86_400_000);
    return {
      subject: `The API key “${name}” expires in ${days === 1 ? "a day" : `${days} days`}`,
      text: `The API key “${name}” expires on ${expiresAt?.slice(0, 16).replace("T", " ")} UTC. Requests with it are refused from then on. Set a later end, or make a new key.`,
    };
  }
  if (event === "leaked" && changes?.after.secret) {
    const [found, once, marked] = LEAKED[changes.after.secret];
    return {
      subject: `${found} was found in public`,
      text: `${found} was found in public: your activity says where. ${ended ? once : marked}`,
    };
  }
  if (event === "leaked") {
    return {
      subject: `The API key “${name}” was found in public`,
      // The place is a text of whoever reported it, so it stands in no e-mail of ours.
      text: `The API key “${name}” was found in public: your activity says where. ${ended ? `This has ended: the ${ended}.` : "It still works: rotate or revoke it."} Tokens that the key has issued still work, and so do those signed with a secret that it has read. To stop them, choose “End all tokens” on the page API keys: then everybody has to sign in again.`,
    };
  }
  const receiver = webhook && URL.canParse(webhook.url) ? new URL(webhook.url).host : webhook?.url;
  if (event === "webhook-failing") {
    return {
      subject: `Deliveries to ${receiver} are failing`,
      text: `No delivery to the webhook ${webhook?.url} has succeeded for a day. It is tried for four more days and then stopped. Changes wait in the log for 30 days, so nothing is lost yet. Fix the endpoint, then see the webhook's page for the last answers.`,
    };
  }
  if (event === "webhook-failed") {
    return {
      subject: `Deliveries to ${receiver} have stopped`,
      text: `Nothing more is sent to the webhook ${webhook?.url}: its receiver has refused deliveries. Changes wait in the log for 30 days. Fix the endpoint, then resume the webhook.`,
    };
  }
  const [from] = movedFrom(told);
  if (from !== undefined) {
    return {
      subject: `${member} has taken the place of ${from}`,
      text: `The operator of this service has moved a membership of your account from ${from} to ${member}, because the person's address has changed. If you do not know of it, ask the operator, and remove the member.`,
    };
  }
  return {
    subject: `${member} is a member of your account now`,
    text: `${member} has accepted an invitation to your account, and can do everything in it. If you do not know this person, remove the member.`,
  };
}
