/** Tells members what is new on their boards, as each has chosen, in slices of the scheduled job. Nothing new: no e-mail. */
import {
  claimMembers,
  endMembers,
  type MemberTurn,
  nextMembers,
  readNews,
  readStanding,
  type ToldMode,
} from "../database/mails/told-members.ts";
import { type SlicePosition, startPosition } from "../database/slices.ts";
import { logError } from "../log.ts";
import { toBrand } from "../model/brand.ts";
import { nextDigestAt } from "../model/member-mails.ts";
import { DEADLINE_MS } from "../store/deadline.ts";
import type { Session } from "../store/session.ts";
import { renderMemberMail } from "./member-mail.ts";
import { type Sent, sendMail, withoutAddress } from "./send-mail.ts";
import { AT_A_TIME, type Run, roomOf, stopAfter } from "./tell-people.ts";
import { tellTeamSlice } from "./tell-team.ts";

/** What is written now may be stored in a moment, and is told by the next e-mail. */
const SETTLED_MS = 30_000;

/** The slices for one database, each false when nothing is left. None where no e-mail is bound: what is new waits. */
export function tellingMembers(session: Session, run: Run): (() => Promise<boolean>)[] {
  const { NOTICES, NOTICES_FROM, SIGN_IN_URL } = run.env;
  if (NOTICES === undefined || !NOTICES_FROM || !SIGN_IN_URL || !URL.canParse(SIGN_IN_URL)) return [];
  const ofTeam = { run, position: startPosition(), upTo: run.now - SETTLED_MS, signInUrl: SIGN_IN_URL };
  return [
    () => tellTeamSlice(session, ofTeam),
    ...(["now", "daily"] as const).map((mode) => {
      const position = startPosition();
      return () => tellSlice(session, { run, position, mode, signInUrl: SIGN_IN_URL });
    }),
  ];
}

type Slice = {
  readonly run: Run;
  readonly position: SlicePosition;
  readonly mode: ToldMode;
  readonly signInUrl: string;
};

async function tellSlice(session: Session, { run, position, mode, signInUrl }: Slice): Promise<boolean> {
  const { env, now, mails, calls } = run;
  if (mails.left <= 0 || calls.left <= AT_A_TIME) return false;
  const when = { mode, now, upTo: now - SETTLED_MS };
  const { turns, isLast } = await nextMembers(session, position, { ...when, limit: Math.min(AT_A_TIME, mails.left) });
  const told = withRoom(run, turns);
  const news = told.length === 0 ? [] : await readNews(session, told, when);
  // A digest without news is over, too.
  const claims = (mode === "daily" ? told : news.map(({ turn }) => turn)).map((turn) => ({
    turn,
    nextAt: nextDigestAt(now, turn),
  }));
  const standing =
    mode === "daily" && news.length > 0
      ? await readStanding(session, [...new Set(news.map(({ turn }) => turn.accountId))])
      : undefined;
  const claimed = new Set(await claimMembers(session, claims, when));
  const due = news.filter(({ turn }) => claimed.has(turn));
  mails.left -= due.length;
  calls.left -= due.length;
  const sender = { brand: toBrand(env), signInUrl, hasReplyTo: Boolean(env.NOTICES_REPLY_TO) };
  const sent = await Promise.all(
    due.map(async (each): Promise<Sent & { readonly turn: MemberTurn }> => {
      const mail = renderMemberMail(each, { mode, standing: standing?.get(each.turn.accountId) }, sender);
      return { turn: each.turn, ...(await sendMail(env, mail, DEADLINE_MS.without)) };
    }),
  );
  await endSlice(session, { run, sent, when });
  return !isLast;
}

/** Those for whose account there is room today. The others have their turn in a later run. */
function withRoom(run: Run, turns: readonly MemberTurn[]): readonly MemberTurn[] {
  const taken = new Map<string, number>();
  return turns.filter((turn, index) => {
    const own = taken.get(turn.accountId) ?? 0;
    const { sentToday, allSentToday } = turn;
    if (roomOf(run, { sentToday: sentToday + own, allSentToday: allSentToday + index }) <= 0) return false;
    taken.set(turn.accountId, own + 1);
    return true;
  });
}

async function endSlice(
  session: Session,
  {
    run,
    sent,
    when,
  }: {
    readonly run: Run;
    readonly sent: readonly (Sent & { readonly turn: MemberTurn })[];
    readonly when: { readonly mode: ToldMode; readonly now: number; readonly upTo: number };
  },
): Promise<void> {
  for (const { outcome, error, turn } of sent)
    if (outcome === "unknown" || outcome === "refused")
      logError(
        "an e-mail to a member about new ideas was not sent, or nobody knows",
        withoutAddress(error),
        turn.accountId,
      );
  const turnsOf = (outcomes: readonly Sent["outcome"][]) =>
    sent.filter(({ outcome }) => outcomes.includes(outcome)).map(({ turn }) => turn);
  await endMembers(session, { sent: turnsOf(["sent", "unknown"]), unsent: turnsOf(["later", "stopped"]) }, when);
  await stopAfter(session, run, sent);
}
