/** The e-mail with a code: text alone, no link that a scanner could follow, nothing that somebody has typed. */
import { AUTOMATIC, codeOf } from "../../mails/send-mail.ts";
import type { Brand } from "../../model/brand.ts";
import { directionOf, type Language } from "../../model/language.ts";
import { oneLine } from "../../model/unlinked.ts";
import { answerWithin, DeadlineExceeded } from "../../store/deadline.ts";
import { wordsOf } from "./words.ts";

type CodeMail = {
  readonly to: string;
  readonly code: string;
  readonly board: string;
  readonly brand: Brand;
  /** As `timeInWords` has it. */
  readonly time: string;
  readonly language: Language;
};

/**
 * The subject has the code: no two e-mails have the same one, so no mail program folds them together. On a lock screen the code is worth
 * nothing to others, because it works in the browser that asked for it alone.
 */
function renderCodeMail({ code, board: named, brand, time, language }: Omit<CodeMail, "to">) {
  const say = wordsOf(language);
  const board = oneLine(named);
  // From right to left, a plain space makes two numbers of the code, and shows the second one first. A no-break space keeps them one.
  const shown = code.replace(/(?<=^...)/, directionOf(language) === "rtl" ? "\u00A0" : " ");
  return {
    subject: say("mailSubject", { code: shown, board }),
    text: [
      say("mailLead", { board }),
      shown,
      say("mailHow", { time }),
      say("mailIgnore"),
      `--\n${[...new Set([board, oneLine(brand.name)])].join(" · ")}`,
    ]
      .join("\n\n")
      .concat("\n"),
    headers: {
      "Content-Language": language,
      ...AUTOMATIC,
    },
  };
}

/** What became of an e-mail. `unknown`: the service did not answer, so it may have been sent. */
type Sent = "sent" | "not-sent" | "unknown";

/**
 * The service takes no e-mail for this one address: whoever asks learns nothing of that
 * (https://developers.cloudflare.com/email-service/api/send-emails/workers-api/).
 */
const OF_THE_ADDRESS = ["E_RECIPIENT_SUPPRESSED", "E_DELIVERY_FAILED"];

const isOfTheAddress = (error: unknown): boolean => OF_THE_ADDRESS.includes(codeOf(error));

/** `fail` gets the reason for the log. */
export async function sendCodeMail(
  { NOTICES: notices, NOTICES_FROM: from }: { readonly NOTICES?: SendEmail; readonly NOTICES_FROM?: string },
  mail: CodeMail,
  { withinMs, fail }: { readonly withinMs: number; readonly fail: (error: unknown) => void },
): Promise<Sent> {
  if (notices === undefined || !from) return "not-sent";
  try {
    await answerWithin(withinMs, notices.send({ from, to: mail.to, ...renderCodeMail(mail) }));
    return "sent";
  } catch (error) {
    fail(error);
    if (isOfTheAddress(error)) return "sent";
    return error instanceof DeadlineExceeded ? "unknown" : "not-sent";
  }
}
