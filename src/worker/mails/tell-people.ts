/**
 * Tells people of their ideas, in slices of the scheduled job: starts what is due, finds who is told, sends. Each account has its turn, so that
 * 50,000 voters of one delay nobody else's e-mail. No e-mail is sent twice, whatever fails.
 */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createMailKey } from "../credentials/mail-link.ts";
import { startDue } from "../database/mails/outbox.ts";
import {
  claimMails,
  type Ended,
  type EndState,
  endMails,
  findRecipients,
  finishMails,
  mailKeyOf,
  nextMailTurn,
  stopMails,
  type ToldIdea,
} from "../database/mails/recipients.ts";
import { type SlicePosition, startPosition } from "../database/slices.ts";
import { logError } from "../log.ts";
import { type BrandVariables, toBrand } from "../model/brand.ts";
import { type MailLinkEnv, mailOriginOf, tellsPeople } from "../model/mail-settings.ts";
import { DEADLINE_MS, DeadlineExceeded } from "../store/deadline.ts";
import type { Session } from "../store/session.ts";
import { renderIdeaMail } from "./idea-mail.ts";
import {
  codeOf,
  isFaultOfMail,
  isUnreachable,
  type Outcome,
  type Sent,
  sendMail,
  withoutAddress,
} from "./send-mail.ts";

/** NOTICES_PER_MINUTE, NOTICES_PER_DAY: what e-mails to people may use of the service. Sign-in codes have the rest. */
export type TellEnv = MailLinkEnv &
  BrandVariables & {
    readonly NOTICES_PER_MINUTE?: string;
    readonly NOTICES_PER_DAY?: string;
  };

const PER_MINUTE = { standard: 60, most: 300 };
/** Of one slice, sent at the same time. */
export const AT_A_TIME = 10;
/** A service that refuses the sender, or has sent what it sends in a day, is asked again after this. */
const STOPPED_MS = 3_600_000;
/** One that does not answer. */
const SILENT_MS = 5 * 60_000;

const numberOf = (text: string | undefined): number | undefined =>
  /^\d{1,9}$/.test(text ?? "") ? Number(text) : undefined;

export type Run = {
  readonly env: TellEnv;
  readonly now: number;
  /** What the run of the job has left for all databases: e-mails, and calls of any kind. */
  readonly mails: { left: number };
  readonly calls: { left: number };
  /** How many databases share the quota of a day. */
  readonly databases: number;
};

export const mailsOfARun = ({ NOTICES_PER_MINUTE }: TellEnv) => ({
  left: Math.min(numberOf(NOTICES_PER_MINUTE) ?? PER_MINUTE.standard, PER_MINUTE.most),
});

/** The slices for one database, each false when nothing is left. */
export function tellingPeople(session: Session, run: Run): (() => Promise<boolean>)[] {
  if (!tellsPeople(run.env)) return [];
  const [finding, sending] = [startPosition(), startPosition()];
  const idle = new Set<string>();
  // Each goes on while the one before it may still have something for it.
  let [starts, finds] = [true, true];
  return [
    async () => {
      starts = await startDue(session, run.now);
      return starts;
    },
    async () => {
      finds = (await findRecipients(session, finding, run.now)) || starts;
      return finds;
    },
    async () => (await sendSlice(session, run, { position: sending, idle })) || (finds && hasRoom(run)),
  ];
}

/** How many e-mails the account may send now: no more than half of a day's while others may need theirs. */
export function roomOf(
  { env, mails, databases }: Run,
  { sentToday, allSentToday }: { sentToday: number; allSentToday: number },
): number {
  const perDay = numberOf(env.NOTICES_PER_DAY);
  if (perDay === undefined) return mails.left;
  const share = perDay / databases;
  return Math.min(mails.left, Math.floor(share - allSentToday), Math.ceil(share / 2) - sentToday);
}

const hasRoom = ({ mails, calls }: Run): boolean => mails.left > 0 && calls.left > AT_A_TIME;

/** `idle`: the accounts that could not send in this run. */
type Turns = { readonly position: SlicePosition; readonly idle: Set<string> };

async function sendSlice(session: Session, run: Run, { position, idle }: Turns): Promise<boolean> {
  if (!hasRoom(run)) return false;
  const turn = await nextMailTurn(session, position, run.now);
  if (turn === undefined || idle.has(turn.accountId)) return false;
  const { accountId } = turn;
  idle.add(accountId);
  const limit = Math.min(AT_A_TIME, roomOf(run, turn));
  if (limit <= 0) return true;
  const claimed = await claimMails(session, { accountId, limit, now: run.now });
  if (claimed.length === 0) {
    await finishMails(session, { accountId, now: run.now });
    return true;
  }
  const { isOurs, ...ended } = await sendAll(session, run, claimed);
  // What the service takes from nobody is not tried on everybody: the next run goes on.
  if (!isOurs) idle.delete(accountId);
  await endMails(session, { accountId, now: run.now, ...ended });
  return true;
}

/** What one address is told of one board is one e-mail. */
function inMails(ideas: readonly ToldIdea[]): readonly (readonly [ToldIdea, ...ToldIdea[]])[] {
  const mails = new Map<string, [ToldIdea, ...ToldIdea[]]>();
  for (const idea of ideas) {
    const key = `${idea.ideaBank.id} ${idea.email}`;
    const mail = mails.get(key);
    if (mail === undefined) mails.set(key, [idea]);
    else mail.push(idea);
  }
  return [...mails.values()];
}

const STATES: Readonly<Record<Outcome, EndState>> = {
  sent: "sent",
  unknown: "unknown",
  refused: "refused",
  later: "waiting",
  stopped: "waiting",
};

/** After e-mails that were not sent: all stand still for a while, or until the next run. */
export async function stopAfter(session: Session, { mails, now }: Run, sent: readonly Sent[]): Promise<void> {
  const failed = sent.find(({ outcome }) => outcome === "stopped");
  const isSilent = sent.length > 0 && sent.every(({ error }) => error instanceof DeadlineExceeded);
  if (failed !== undefined || isSilent) {
    const reason = failed ? codeOf(failed.error) || withoutAddress(failed.error).message : "no answer";
    logError("e-mails to people stand still", withoutAddress(failed?.error ?? sent[0]?.error), reason);
    await stopMails(session, { reason, now, until: now + (failed ? STOPPED_MS : SILENT_MS) });
  }
  // Too many at the moment: the next run goes on.
  if (failed !== undefined || isSilent || sent.some(({ outcome }) => outcome === "later")) mails.left = 0;
}

async function sendAll(session: Session, run: Run, claimed: readonly ToldIdea[]) {
  const { env } = run;
  const origin = mailOriginOf(env) ?? "";
  const brand = toBrand(env);
  const told = claimed.filter(({ isSkipped }) => !isSkipped);
  const skipped = claimed.filter(({ isSkipped }) => isSkipped).map((idea) => endOf(idea, "skipped"));
  const [one] = told;
  const mailKey = one && (one.mailKey ?? (await mailKeyOf(session, one.accountId, createMailKey(secureRandomBytes))));
  const mails = inMails(told);
  run.mails.left -= mails.length;
  run.calls.left -= mails.length;
  const sent = await Promise.all(
    mails.map(async (ideas) => {
      const mail = await renderIdeaMail(ideas, {
        brand,
        origin,
        mailKey: mailKey ?? "",
        hasReplyTo: Boolean(env.NOTICES_REPLY_TO),
      });
      const { language: _, ...content } = mail;
      return { ideas, ...(await sendMail(env, content, DEADLINE_MS.without)) };
    }),
  );
  for (const { ideas, outcome, error } of sent)
    if (outcome === "unknown")
      logError("nobody knows whether an e-mail about an idea was sent", withoutAddress(error), ideas[0].proposalId);
  await stopAfter(session, run, sent);
  const isOurs = isFaultOfMail(sent);
  const ended = sent.flatMap(({ ideas, outcome, error }) =>
    ideas.map((idea) => endOf(idea, STATES[outcome], !isOurs && isUnreachable(error))),
  );
  return {
    isOurs,
    ended: [...ended, ...skipped],
    mails: sent.filter(({ outcome }) => outcome === "sent" || outcome === "unknown").length,
  };
}

const endOf = ({ outboxId, email, panelistId }: ToldIdea, state: EndState, isUnreachableNow = false): Ended => ({
  ...{ outboxId, email, panelistId, state },
  isUnreachable: state === "refused" && isUnreachableNow,
});
