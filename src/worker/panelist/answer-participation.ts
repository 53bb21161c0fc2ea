/**
 * Answers the operations on proposals, votes, comments and surveys: first the token, then the panelist's rate limit, then one D1 round
 * trip that checks the access and does the work. Refusals in order: 401, 403 for a visitor's write (both by the view), 429, 404
 * (the panelist cannot see it), 403 (closed).
 */
import type { Context } from "hono";
import { holderOf, limitHeaders, limitPanelist } from "../access/limit-panelist.ts";
import { type IdeaBankMemory, subjectsOf, unauthorized } from "../access/open-idea-bank.ts";
import { isIssuedAfter, isYoungToken, type VerifiedToken } from "../credentials/compound-token.ts";
import { loadAccess, type PanelistAccess } from "../database/panelists/panelist-access.ts";
import { loadForPanelist } from "../database/proposals/panelist-proposals.ts";
import { deliverAfterAnswer, watchWebhooks } from "../deliveries/after-answer.ts";
import type { Send } from "../deliveries/send.ts";
import type { AppEnv } from "../http/app-env.ts";
import { readConsistencyToken, sendConsistencyToken } from "../http/consistency.ts";
import { mergedInto } from "../http/merged-proposal.ts";
import type { AnyInput } from "../http/operation.ts";
import { readIds } from "../http/query.ts";
import { readInput } from "../http/read-input.ts";
import { hasCapability } from "../model/capabilities.ts";
import { isId } from "../model/id.ts";
import type { Capability } from "../model/idea-bank.ts";
import { Problem } from "../problem.ts";
import { laterOf } from "../store/anchors.ts";
import type { Session } from "../store/session.ts";
import { KnownSurveys } from "../view/known-surveys.ts";
import { addressOf, openIdeaBank, tokenOf } from "./answer-view.ts";
import type { ParticipationOperation, Surface } from "./operation.ts";

/** `proposal` is null if the panelist can see none with this id. */
type SeenAccess = { readonly access: PanelistAccess; readonly proposal?: unknown };

export function createParticipationAnswer(memory: IdeaBankMemory, send: Send) {
  const { tokens, views, databases } = memory;
  const surveys = new KnownSurveys();
  return async function answer(c: Context<AppEnv>, operation: ParticipationOperation): Promise<Response> {
    const { effect, credential, surface } = operation;
    const isRead = effect === "reads";
    const text = tokenOf(c);
    const presented = await tokens.read({ text, sent: c.req.raw }, c.get("settings").signingKeys);
    if (presented.panelistId === null && !isRead) {
      await openIdeaBank(c, { memory, capability: null });
      throw new Problem("sign-in-required");
    }
    const database = databases.of(c, presented.ideaBankId);
    if (database === undefined) throw unauthorized("of no database");
    const known = await views.panelistIds.identify(presented);
    if (known === undefined) await limitPanelist(c.env, holderOf(presented, addressOf(c)), isRead);
    const token = known ?? (await views.panelistIds.identifyAt(presented, database));
    await limitPanelist(c.env, holderOf(token, addressOf(c)), isRead);
    c.set("listsOf", token.ideaBankId);
    c.set("sender", token.ideaBankId);
    c.set("person", holderOf(token, addressOf(c)));
    // A replica may not know yet what was created or opened a moment ago, so only the primary may refuse a young token.
    const { freshnessMs, anchorMs } = c.get("settings");
    const isYoung = isYoungToken(token, freshnessMs + anchorMs, Date.now());
    const needsPrimary = (access: PanelistAccess) => isYoung && refusalOf(access, token, surface) !== undefined;
    const consistency = await readConsistencyToken(c, subjectsOf(token));
    const floor = laterOf(consistency, views.floorOf(token));

    const refuse = (access: PanelistAccess) => {
      // Further requests with it do not count against its panelist's rate.
      if (isRevoked(access, token)) tokens.noteRevoked(text);
      const refusal = refusalOf(access, token, surface);
      if (refusal !== undefined) throw refusal;
    };

    const refuseUnread = async () => {
      const { proposalId } = readIds(c, operation);
      const seen = (session: Session): Promise<SeenAccess> =>
        proposalId !== undefined && isId(proposalId)
          ? loadForPanelist(session, token, proposalId)
          : loadAccess(session, token).then((access) => ({ access }));
      const { access, proposal } = await database.read(seen, {
        floor,
        needsPrimary: (found) => needsPrimary(found.access),
      });
      refuse(access);
      // A retry of what was done before is answered as then.
      if (c.req.header("Idempotency-Key") !== undefined) return;
      if (proposal === null) throw new Problem("proposal-not-found");
      requireCapability(access, credential.capability);
    };
    // Memory can only doubt, and D1 decides. So the body of somebody who is refused anyway takes no place of another's.
    if (operation.body !== undefined && views.doubts(token, credential.capability)) await refuseUnread();
    const input = await readCheckedInput(c, operation, token).catch(async (problem: unknown) => {
      const access = await database.read((session) => loadAccess(session, token), { floor, needsPrimary });
      refuse(access);
      throw problem;
    });
    const work = (session: Session) => operation.handle(c, { ...input, token, session, surveys, now: Date.now() });
    const read = () =>
      database.read(work, {
        floor,
        needsPrimary: ({ access }) => needsPrimary(access),
      });
    const primary = database.primary();
    const { ideaBankId } = token;
    const watched = isRead ? undefined : watchWebhooks(primary.session, { ideaBankId });
    const found = await (watched === undefined ? read() : work(watched.session));
    primary.noteAnswer();
    c.set("whose", { account: found.access.accountId ?? undefined });
    const waiting = watched?.waiting ?? [];
    deliverAfterAnswer(c, { session: database.withoutSession(), waiting, send });

    refuse(found.access);
    if (!found.wasDone) {
      if (found.proposal === null) throw new Problem("proposal-not-found");
      requireCapability(found.access, credential.capability);
      if (found.final) throw mergedInto(found.proposal?.duplicateOf ?? null);
    }
    const response = await found.respond();
    // Refusals do not have it: one that is counted would differ from one that is not.
    c.set("limits", limitHeaders(isRead));
    if (primary.bookmark !== undefined)
      await sendConsistencyToken(c, { response, subject: token.ideaBankId, bookmark: primary.bookmark });
    return response;
  };
}

/** A text that is not an identifier gives the same 404 as an unknown identifier. */
async function readCheckedInput(
  c: Context<AppEnv>,
  operation: ParticipationOperation,
  { ideaBankId, panelistId }: VerifiedToken,
): Promise<AnyInput> {
  const { proposalId, commentId, surveyId } = readIds(c, operation);
  if (surveyId !== undefined && !isId(surveyId)) throw new Problem("survey-not-found");
  if (proposalId !== undefined && !isId(proposalId)) throw new Problem("proposal-not-found");
  if (commentId !== undefined && !isId(commentId)) throw new Problem("comment-not-found");
  return readInput(c, operation, `${ideaBankId} ${panelistId}`);
}

/** `unauthorized` for a revoked token, the surface's problem when it is closed to panelists; undefined when it is open. */
function refusalOf(
  { ideaBank, panelist }: PanelistAccess,
  token: VerifiedToken,
  { capability, closed }: Surface,
): Problem | undefined {
  if (panelist === null || !isIssuedAfter(token, panelist.tokensValidAfter)) return unauthorized("revoked");
  if (ideaBank === null || !hasCapability(ideaBank, capability)) return new Problem(closed);
  return undefined;
}

/**
 * Whether the token is revoked for good. An inactive panelist does not count, because a lagging replica may not know that the
 * panelist is active again, with a newer token.
 */
const isRevoked = ({ panelist }: PanelistAccess, token: VerifiedToken): boolean =>
  panelist !== null && Number.isFinite(panelist.tokensValidAfter) && !isIssuedAfter(token, panelist.tokensValidAfter);

function requireCapability({ ideaBank }: PanelistAccess, capability: Capability): void {
  if (ideaBank === null || !hasCapability(ideaBank, capability)) throw new Problem("capability-closed");
}
