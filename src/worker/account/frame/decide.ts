/** Lets an owner's request read and decide about content, with the functions of the tenant API, in the owner's account. */
import type { Context } from "hono";
import { secureRandomBytes } from "../../credentials/base62.ts";
import { createId } from "../../credentials/id.ts";
import { stamp } from "../../database/activity/audit-events.ts";
import {
  type Decision,
  deciding,
  isNoMember,
  recordTogether,
  type Subject,
  selectRecorded,
} from "../../database/proposals/decisions.ts";
import { withDeliveries } from "../../deliveries/after-answer.ts";
import { isId } from "../../model/id.ts";
import type { IdempotentResult } from "../../model/idempotency-key.ts";
import { Problem } from "../../problem.ts";
import type { Session } from "../../store/session.ts";
import type { Statement } from "../../store/statement.ts";
import { openOwn } from "../account-databases.ts";
import { whyNotAllowed } from "../identity/role.ts";
import type { Own, OwnerEnv } from "../owner-env.ts";

export const noSuchContent = () => new Problem("not-found", { detail: "It may have been deleted." });

/** The resource. Throws `not-found` for null. */
export function orNotFound<Resource>(resource: Resource | null): Resource {
  if (resource === null) throw noSuchContent();
  return resource;
}

/** Throws `not-found` when nothing was done. */
export function requireDone({ kind }: IdempotentResult<unknown>): void {
  if (kind !== "done") throw noSuchContent();
}

/** The identifiers of a path. Throws `not-found` for a text that cannot be one. */
export function idsOf<Names extends string>(ids: Record<Names, string>): Record<Names, string> {
  if (!Object.values<string>(ids).every(isId)) throw noSuchContent();
  return ids;
}

/** The account of a decision, and its time in Unix milliseconds. */
type OwnNow = Own & { readonly now: number };

/** Without `id`, the subject is new, and gets an id. */
type MaybeNew = Omit<Subject, "id"> & Pick<Decision, "isUncounted" | "needs"> & { readonly id?: string };

/**
 * Records the one round trip of `change` as a decision about `subject`: it appears in the activity, and webhooks get it after the
 * answer. Also returns the event's id, for undoing it. Throws `forbidden` when the owner is no longer a member, or has not the role
 * that it `needs`.
 */
export async function decide<Answer>(
  c: Context<OwnerEnv>,
  subject: MaybeNew,
  change: (own: OwnNow & { readonly id: string }) => Promise<Answer>,
): Promise<{ readonly answer: Answer; readonly eventId: string }> {
  const own = await openOwn(c);
  const at = stamp(own.accountId);
  const id = subject.id ?? createId(own.accountId, secureRandomBytes);
  const decision = { ...subject, ...at, id, accountId: own.accountId, owner: c.var.owner };
  const answer = await asMember(c, { ...own, needs: subject.needs }, (session) =>
    change({ ...own, session: deciding(session, decision), now: at.now, id }),
  );
  // Who decides looks at the board next.
  noteBoards(c, own, [subject.kind === "ideabank" ? id : subject.ideaBankId]);
  return { answer, eventId: at.eventId };
}

/** A proposal, and the statement that changes it. */
export type ProposalDecision = {
  readonly subject: { readonly id: string; readonly ideaBankId: string };
  readonly statement: Statement;
  /** Tells people of it. */
  readonly told?: Statement | undefined;
};

/** Decides about several proposals in one transaction, and with one event. Returns its id; undefined when nothing was changed. */
export async function decideTogether(
  c: Context<OwnerEnv>,
  own: OwnNow,
  decisions: readonly ProposalDecision[],
): Promise<string | undefined> {
  if (decisions.length === 0) return undefined;
  const { eventId } = stamp(own.accountId);
  const { before, after } = recordTogether(
    { now: own.now, eventId, accountId: own.accountId, owner: c.var.owner },
    decisions.map(({ subject }) => subject),
  );
  const changed = decisions.flatMap(({ told, statement }) => [...(told ? [told] : []), statement]);
  const recorded = selectRecorded(eventId);
  const rows = await asMember(c, own, (session) => session.batch({ before, changed, after, recorded }));
  noteBoards(
    c,
    own,
    decisions.map(({ subject }) => subject.ideaBankId),
  );
  return rows.recorded[0]?.id;
}

/** What this isolate shows of these idea banks from now on includes what was just written. */
export function noteBoards(c: Context<OwnerEnv>, { session }: Own, ideaBankIds: readonly (string | undefined)[]): void {
  for (const id of new Set(ideaBankIds)) if (id !== undefined) c.get("views").noteWrite(id, session.bookmark);
}

/** Webhooks get what `send` writes after the answer. Throws `forbidden` when the owner is no longer a member. */
export async function asMember<Answer>(
  c: Context<OwnerEnv>,
  { session, accountId, needs = "member" }: Own & Pick<Decision, "needs">,
  send: (session: Session) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await withDeliveries(c, { session, account: { accountId }, send: c.var.send }, send);
  } catch (error) {
    throw isNoMember(error) ? await whyNotAllowed(c, needs) : error;
  }
}
