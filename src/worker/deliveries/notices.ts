/** E-mails to members, through the optional binding NOTICES. One that cannot be sent is logged, and nothing else is lost. */
import { type Notice, takeNotices } from "../database/changes/notices.ts";
import { logError } from "../log.ts";
import type { AuditEvent } from "../model/audit-event.ts";
import { type BrandVariables, toBrand } from "../model/brand.ts";
import { answerWithin, DEADLINE_MS } from "../store/deadline.ts";
import type { Session } from "../store/session.ts";
import { renderNotice } from "./render-notice.ts";

/** NOTICES_FROM is the sender's address, SIGN_IN_URL the page where owners come in. */
export type NoticesEnv = BrandVariables & {
  readonly NOTICES?: SendEmail;
  readonly NOTICES_FROM?: string;
  readonly SIGN_IN_URL?: string;
};

/** Without the binding or a setting, events wait. Those of the last day are sent once it is there. */
export async function sendNotices(session: Session, env: NoticesEnv, now: number): Promise<void> {
  const { NOTICES: notices, NOTICES_FROM: from, SIGN_IN_URL: signInUrl } = env;
  if (notices === undefined || !from || !signInUrl) return;
  // Before any event is taken: those of the last day wait until the setting is right.
  if (!URL.canParse(signInUrl)) throw new Error("the setting SIGN_IN_URL is no URL, and each e-mail has a link to it");
  const brand = toBrand(env);
  const emails = (await takeNotices(session, now)).flatMap((notice: Notice) =>
    [...notice.to, ...movedFrom(notice.event)].map(async (to) => {
      const email = { from, to, ...renderNotice(notice, { brand, signInUrl }) };
      await answerWithin(DEADLINE_MS.without, notices.send(email)).catch((error: unknown) => {
        logError("an e-mail to a member was not sent", error, notice.event.id);
      });
    }),
  );
  await Promise.all(emails);
}

/** The address that a member had before gets the e-mail, too. */
const movedFrom = ({ changes }: AuditEvent): readonly string[] =>
  changes?.before?.member && changes.after?.member ? [changes.before.member] : [];
