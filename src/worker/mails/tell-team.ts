/** Sends the e-mails of the members' outbox, in slices of the scheduled job: half a minute after what they tell of, all of a member in one. */
import {
  endOutbox,
  nextOutboxTurns,
  type OutboxTurn,
  type TakenRow,
  takeOutbox,
} from "../database/mails/member-outbox.ts";
import type { SlicePosition } from "../database/slices.ts";
import { logError } from "../log.ts";
import { toBrand } from "../model/brand.ts";
import { DEADLINE_MS } from "../store/deadline.ts";
import type { Session } from "../store/session.ts";
import { type Sent, sendMail, withoutAddress } from "./send-mail.ts";
import { renderTeamMail } from "./team-mail.ts";
import { AT_A_TIME, type Run, roomOf, stopAfter } from "./tell-people.ts";

type Slice = { readonly run: Run; readonly position: SlicePosition; readonly upTo: number; readonly signInUrl: string };

/** False when nobody else is left. */
export async function tellTeamSlice(session: Session, { run, position, upTo, signInUrl }: Slice): Promise<boolean> {
  const { env, now, mails, calls } = run;
  if (mails.left <= 0 || calls.left <= AT_A_TIME) return false;
  const limit = Math.min(AT_A_TIME, mails.left);
  const { turns, isLast } = await nextOutboxTurns(session, position, { now, upTo, limit });
  const taken = await takeOutbox(session, withRoom(run, turns), { upTo });
  const sender = { brand: toBrand(env), signInUrl, hasReplyTo: Boolean(env.NOTICES_REPLY_TO) };
  const due = ofEachMember(taken).flatMap((rows) => {
    const mail = renderTeamMail(rows, sender);
    return mail === undefined ? [] : [{ rows, mail }];
  });
  mails.left -= due.length;
  calls.left -= due.length;
  const sent = await Promise.all(
    due.map(async ({ rows, mail }) => ({ rows, ...(await sendMail(env, mail, DEADLINE_MS.without)) })),
  );
  await endSlice(session, run, sent);
  return !isLast;
}

/** Those for whose account there is room today. The others have their turn in a later run. */
function withRoom(run: Run, turns: readonly OutboxTurn[]): readonly OutboxTurn[] {
  const taken = new Map<string, number>();
  return turns.filter((turn, index) => {
    const own = taken.get(turn.accountId) ?? 0;
    const { sentToday, allSentToday } = turn;
    if (roomOf(run, { sentToday: sentToday + own, allSentToday: allSentToday + index }) <= 0) return false;
    taken.set(turn.accountId, own + 1);
    return true;
  });
}

const ofEachMember = (rows: readonly TakenRow[]): readonly (readonly TakenRow[])[] => [
  ...Map.groupBy(rows, ({ account_id, member_id }) => `${account_id} ${member_id}`).values(),
];

async function endSlice(
  session: Session,
  run: Run,
  sent: readonly (Sent & { readonly rows: readonly TakenRow[] })[],
): Promise<void> {
  const isUnsent = ({ outcome }: Sent) => outcome === "later" || outcome === "stopped";
  for (const { outcome, error, rows } of sent)
    if (outcome === "unknown" || outcome === "refused")
      logError(
        "an e-mail to a member about a note or an assigned idea was not sent, or nobody knows",
        withoutAddress(error),
        rows[0]?.account_id ?? "",
      );
  await endOutbox(
    session,
    {
      sentTo: sent
        .filter(({ outcome }) => outcome === "sent" || outcome === "unknown")
        .map(({ rows }) => rows[0]?.account_id ?? ""),
      unsent: sent.filter(isUnsent).flatMap(({ rows }) => rows),
    },
    run.now,
  );
  await stopAfter(session, run, sent);
}
