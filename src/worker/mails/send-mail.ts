/** Sends one e-mail to one address through the binding NOTICES, and says what became of it. */
import type { MailEnv } from "../model/mail-settings.ts";
import { answerWithin, DeadlineExceeded } from "../store/deadline.ts";

export type Mail = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * `unknown`: no answer, or one that does not say; it may have been sent. `refused`: not to this address, now or later. `later`: too many at
 * the moment. `stopped`: no e-mail of this deployment is sent, to nobody. Neither of the last three was sent.
 */
export type Outcome = "sent" | "unknown" | "refused" | "later" | "stopped";
export type Sent = { readonly outcome: Outcome; readonly error?: unknown };

/** https://developers.cloudflare.com/email-service/api/send-emails/workers-api/, "Error codes". */
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  E_RECIPIENT_SUPPRESSED: "refused",
  E_DELIVERY_FAILED: "refused",
  E_RECIPIENT_NOT_ALLOWED: "refused",
  E_VALIDATION_ERROR: "refused",
  E_RATE_LIMIT_EXCEEDED: "later",
  E_DAILY_LIMIT_EXCEEDED: "stopped",
  E_SENDER_NOT_VERIFIED: "stopped",
  E_SENDER_DOMAIN_NOT_AVAILABLE: "stopped",
  E_FIELD_MISSING: "stopped",
  E_HEADER_NOT_ALLOWED: "stopped",
  E_HEADER_USE_API_FIELD: "stopped",
  E_HEADER_VALUE_INVALID: "stopped",
  E_HEADER_NAME_INVALID: "stopped",
  E_HEADERS_TOO_LARGE: "stopped",
  E_HEADERS_TOO_MANY: "stopped",
  E_CONTENT_TOO_LARGE: "stopped",
};

/** The code of an error of the binding; empty for any other error. */
export const codeOf = (error: unknown): string =>
  error instanceof Error ? String((error as Error & { code?: unknown }).code ?? "") : "";

/** What an error of the binding means. One that it does not name may have come after the e-mail left. */
const outcomeOf = (error: unknown): Outcome => {
  if (error instanceof DeadlineExceeded) return "unknown";
  const code = codeOf(error) || /\bE_[A-Z_]+\b/.exec(String((error as Error)?.message))?.[0] || "";
  return OUTCOMES[code] ?? "unknown";
};

/** The service will not send to the address tomorrow either. */
export const isUnreachable = (error: unknown): boolean =>
  ["E_RECIPIENT_SUPPRESSED", "E_RECIPIENT_NOT_ALLOWED", "E_VALIDATION_ERROR"].includes(codeOf(error));

/** One address can be wrong, and two; then it is what we send. */
const WRONG_AT_MOST = 2;

/** The service finds fault with the e-mail, not with who gets it: so nothing is known about the addresses. */
export const isFaultOfMail = (sent: readonly Sent[]): boolean =>
  sent.filter(({ error }) => codeOf(error) === "E_VALIDATION_ERROR").length > WRONG_AT_MOST &&
  sent.every(({ outcome }) => outcome !== "sent");

/** For the log, which has no addresses: what the service says may name one. */
export const withoutAddress = (error: unknown): Error => {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return Object.assign(new Error(message.replace(/[^\s<>"',;:]+@[^\s<>"',;:]+/g, "…")), { name });
};

/** E-mail programs answer these with no "out of office". */
export const AUTOMATIC = { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" } as const;

/** `from`: the name that the reader sees. One recipient a message: nobody sees who else got it. */
export async function sendMail(
  { NOTICES: notices, NOTICES_FROM: from, NOTICES_REPLY_TO: replyTo }: MailEnv,
  mail: Mail & { readonly fromName: string },
  withinMs: number,
): Promise<Sent> {
  if (notices === undefined || !from)
    return { outcome: "stopped", error: new Error("NOTICES or NOTICES_FROM is missing") };
  const { fromName, headers, ...content } = mail;
  try {
    await answerWithin(
      withinMs,
      notices.send({
        ...content,
        from: { email: from, name: fromName },
        ...(replyTo && { replyTo }),
        headers: { ...AUTOMATIC, ...headers },
      }),
    );
    return { outcome: "sent" };
  } catch (error) {
    return { outcome: outcomeOf(error), error };
  }
}
