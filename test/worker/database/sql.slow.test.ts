/**
 * `docs/sql.md`: the final SQL of each function of `src/worker/database/`, and the indexes of its plan. Made by requests for every
 * operation and by the scheduled job, on real D1. If it fails because a statement has changed: `npm run sql`, read the difference,
 * and commit the file.
 */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { deleteAccount } from "../../../src/worker/database/accounts/account-deletion.ts";
import { setAccountStatus } from "../../../src/worker/database/accounts/account-status.ts";
import { EXPORTED_LISTS, readExportedRows } from "../../../src/worker/database/accounts/exported-rows.ts";
import {
  findAccount,
  findKeyOfOwner,
  listAccounts,
  loadParts,
} from "../../../src/worker/database/accounts/found-accounts.ts";
import { loadHome, noteRenewedCode } from "../../../src/worker/database/accounts/home.ts";
import { endTokensAsOperator, setQuota } from "../../../src/worker/database/accounts/operator-changes.ts";
import { loadDecision, recordUseAfterRevocation } from "../../../src/worker/database/activity/audit-events.ts";
import { recordExport } from "../../../src/worker/database/activity/exports.ts";
import { findAuditEvents, loadNames } from "../../../src/worker/database/activity/found-events.ts";
import { findLastChange } from "../../../src/worker/database/activity/last-change.ts";
import { listWholeActivity } from "../../../src/worker/database/activity/whole-activity.ts";
import { listUndelivered } from "../../../src/worker/database/changes/changes.ts";
import { selectNames } from "../../../src/worker/database/changes/names.ts";
import { takeNotices } from "../../../src/worker/database/changes/notices.ts";
import {
  listMergedComments,
  loadStoredComment,
  undoComment,
  updateComment,
} from "../../../src/worker/database/comments/comments.ts";
import { countComments, listExportedComments } from "../../../src/worker/database/comments/exported-comments.ts";
import { listRecentComments, listWaitingComments } from "../../../src/worker/database/comments/recent-comments.ts";
import { countKeysFromBefore, countPeople, loadDiagnostics } from "../../../src/worker/database/diagnostics.ts";
import { countContents, IDEA_BANKS } from "../../../src/worker/database/idea-banks/idea-banks.ts";
import { listPublicIdeas, listPublicPages } from "../../../src/worker/database/idea-banks/public-pages.ts";
import { findOwnerOfKey, loadOwnApiKey } from "../../../src/worker/database/keys/account-keys.ts";
import { saveApiKeyUsage } from "../../../src/worker/database/keys/api-key-usage.ts";
import { recordLeaks } from "../../../src/worker/database/keys/leaked-keys.ts";
import { follow } from "../../../src/worker/database/mails/follows.ts";
import { loadMailChoices, saveMailChoices } from "../../../src/worker/database/mails/mail-choices.ts";
import { endOutbox, nextOutboxTurns, takeOutbox } from "../../../src/worker/database/mails/member-outbox.ts";
import { loadMuting, MUTE_SCOPES, mute, unmute } from "../../../src/worker/database/mails/mutes.ts";
import { countTold, deleteOldMails, listToldOfIdea, startDue } from "../../../src/worker/database/mails/outbox.ts";
import {
  claimMails,
  endMails,
  findRecipients,
  finishMails,
  listToldOfPerson,
  loadUnreachable,
  mailKeyOf,
  nextMailTurn,
  stopMails,
} from "../../../src/worker/database/mails/recipients.ts";
import {
  claimMembers,
  endMembers,
  nextMembers,
  readNews,
  readStanding,
} from "../../../src/worker/database/mails/told-members.ts";
import { allowAnotherAccount } from "../../../src/worker/database/members/another-account.ts";
import {
  findMember,
  findTouched,
  listAdmins,
  removeMember,
  setOwnName,
} from "../../../src/worker/database/members/members.ts";
import {
  announceMove,
  completeMove,
  loadMovable,
  moveMember,
} from "../../../src/worker/database/members/moved-members.ts";
import { findOwnAccount, isUnused, readAtVisit } from "../../../src/worker/database/members/owners.ts";
import {
  endSignIn,
  endSignInsOf,
  findOffered,
  findSignedIn,
  offerCode,
  offerSignIn,
  openSignIn,
} from "../../../src/worker/database/members/sign-ins.ts";
import { freeAddress, loadSubject, setSubject } from "../../../src/worker/database/members/subjects.ts";
import { listWriting, noteWriting } from "../../../src/worker/database/members/writing-members.ts";
import { addNote, deleteNote, editNote, listNotes } from "../../../src/worker/database/notes/notes.ts";
import { ownsPath } from "../../../src/worker/database/ownership.ts";
import { nameOfPanelist, signInByCode, teamOf } from "../../../src/worker/database/pages/page-people.ts";
import {
  addCode,
  countTry,
  emptyCode,
  endCodes,
  forgetCode,
  listSent,
} from "../../../src/worker/database/pages/sign-in-codes.ts";
import { countClearing } from "../../../src/worker/database/panelists/clearing.ts";
import { loadAccess } from "../../../src/worker/database/panelists/panelist-access.ts";
import {
  clearPanelist,
  countPanelists,
  isBlockedSince,
  loadPanelists,
  PANELISTS,
} from "../../../src/worker/database/panelists/panelists.ts";
import {
  findPanelists,
  findSharing,
  listContributions,
  listSameMailbox,
  loadActivity,
} from "../../../src/worker/database/panelists/people.ts";
import { readStored, SECTION_NAMES } from "../../../src/worker/database/panelists/stored-of-person.ts";
import {
  assignIdeas,
  countAssigned,
  listPrivateTags,
  loadTeamFields,
  setPrivateTags,
} from "../../../src/worker/database/proposals/assignment.ts";
import { deciding } from "../../../src/worker/database/proposals/decisions.ts";
import { deleteAllOfPanelist } from "../../../src/worker/database/proposals/deletions.ts";
import { loadExported } from "../../../src/worker/database/proposals/exported-ideas.ts";
import { listSteps, loadStep } from "../../../src/worker/database/proposals/history.ts";
import { importProposals } from "../../../src/worker/database/proposals/imported-proposals.ts";
import { countListed, countWaitingOf, listWaiting } from "../../../src/worker/database/proposals/pending-proposals.ts";
import {
  listMerged,
  loadAsTeam,
  loadStoredProposal,
  loadTexts,
} from "../../../src/worker/database/proposals/proposals.ts";
import {
  countQueue,
  countStatuses,
  countUnanswered,
  findComments,
  findInQueue,
  hasUnlisted,
  isPartlyCounted,
  listQueue,
  loadQueued,
  type QueuedIdea,
} from "../../../src/worker/database/proposals/queue.ts";
import { listOwnTags } from "../../../src/worker/database/proposals/tags.ts";
import { loadSchema } from "../../../src/worker/database/schema.ts";
import {
  rotateLeakedSigningSecrets,
  rotateLeakedWebhooks,
} from "../../../src/worker/database/secrets/leaked-secrets.ts";
import { loadSigningEpochs } from "../../../src/worker/database/secrets/signing-secrets.ts";
import { startPosition } from "../../../src/worker/database/slices.ts";
import { deleteOfAnonymous } from "../../../src/worker/database/surveys/anonymous-leavers.ts";
import { countAskable, listAnswered } from "../../../src/worker/database/surveys/asked-people.ts";
import { listKnownTexts, loadMatchingResults } from "../../../src/worker/database/surveys/survey-responses.ts";
import { loadSurveyState, SURVEYS, updateSurvey } from "../../../src/worker/database/surveys/surveys.ts";
import { loadEndOfTokens } from "../../../src/worker/database/tokens/end-of-tokens.ts";
import { recordLeakedTokens } from "../../../src/worker/database/tokens/leaked-tokens.ts";
import { keepSiteToken } from "../../../src/worker/database/tokens/site-tokens.ts";
import { countVoters } from "../../../src/worker/database/votes/voters.ts";
import {
  type ClaimedWebhook,
  claimWebhook,
  record as recordProgress,
  release,
  selectDue,
} from "../../../src/worker/database/webhooks/deliveries.ts";
import { loadWebhook } from "../../../src/worker/database/webhooks/webhooks.ts";
import { SORTS } from "../../../src/worker/model/panelist-proposal.ts";
import { PROPOSAL_STATUSES } from "../../../src/worker/model/proposal.ts";
import { NewSurvey } from "../../../src/worker/model/survey.ts";
import { openSession, Session } from "../../../src/worker/store/session.ts";
import type { Statement } from "../../../src/worker/store/statement.ts";
import { runJob } from "../../support/job.ts";
import { type OperationCase, operationsOf } from "../../support/operations.ts";
import { createOutageIsolate } from "../../support/outage-isolate.ts";
import { addTenants } from "../../support/outage-world.ts";
import { VirtualTime } from "../../support/virtual-time.ts";
import { newId } from "../../support/world.ts";

/** By file and function: the statements that the function has sent. */
const recorded = new Map<string, Map<string, Set<string>>>();

/** Records statements under the outermost function of `src/worker/database/` that sends them now. */
function record(statements: readonly (Statement | undefined)[]): void {
  const frames = (new Error().stack ?? "").matchAll(
    /at (?:async )?(?:Object\.)?(\S+) \(\S*?src\/worker\/database\/((?:[\w-]+\/)?[\w-]+\.ts)/g,
  );
  const [, name, file] = [...frames].at(-1) ?? [];
  if (name === undefined || file === undefined) return;
  const functions = recorded.get(file) ?? new Map<string, Set<string>>();
  recorded.set(file, functions);
  const known = functions.get(name) ?? new Set();
  functions.set(name, known);
  for (const statement of statements) if (statement !== undefined) known.add(statement.sql);
}

/** Every statement goes through one of these. `first` calls `all`. */
function recordSessions(): void {
  const { batch, all, run, with: attach } = Session.prototype;
  vi.spyOn(Session.prototype, "batch").mockImplementation(function (this: Session, statements) {
    record(Object.values(statements).flat());
    return batch.call(this, statements) as never;
  });
  vi.spyOn(Session.prototype, "all").mockImplementation(function (this: Session, statement) {
    record([statement]);
    return all.call(this, statement);
  });
  vi.spyOn(Session.prototype, "run").mockImplementation(function (this: Session, statement) {
    record([statement]);
    return run.call(this, statement);
  });
  vi.spyOn(Session.prototype, "with").mockImplementation(function (this: Session, attached) {
    record([...(attached.before ?? []), ...attached.after]);
    return attach.call(this, attached);
  });
}

const operations = [...operationsOf("apiKey"), ...operationsOf("compoundToken"), ...operationsOf("access")];

/** Queries that choose other statements. */
const queriesOf = ({ name }: OperationCase): string[] => {
  if (name === "listPublicProposals" || name === "listProposals")
    return [
      "",
      ...PROPOSAL_STATUSES.slice(0, 1).map((status) => `?status=${status}`),
      "?tag=Mobile",
      "?q=words",
      ...(name === "listProposals"
        ? ["?externalId=a"]
        : [...SORTS.map((sort) => `?sort=${sort}`), "?mine=voted", "?mine=submitted"]),
    ];
  if (name === "listSurveyTexts") return ["?question=why", "?question=why&q=a"];
  if (name === "listSurveyResponses") return ["", "?question=recommend"];
  return [""];
};

async function send(each: OperationCase, time: VirtualTime): Promise<void> {
  for (const query of queriesOf(each)) {
    const [tenant] = await addTenants(1, "0");
    if (tenant === undefined) throw new Error("no tenant");
    const { answer, done } = createOutageIsolate(time).call({ ...each, path: `${each.path}${query}` }, tenant, 0, env);
    await time.until(answer);
    await done();
  }
}

const sources = import.meta.glob<string>("../../../src/worker/database/**/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The functions that take a session, as "file function". */
const FUNCTIONS = Object.entries(sources).flatMap(([path, text]) =>
  [
    ...text.matchAll(
      /^export (?:async )?(?:function|const) (\w+)(?:<.*>)?(?: = (?:async )?)?\(\s*(?:session|directory): Session/gm,
    ),
  ].map(([, name]) => `${path.replace(/^.*\/database\//, "")} ${name}`),
);

/** Functions that pages, gates and deliveries use, and no operation of the three tables. Their rows need not exist. */
async function callOthers(): Promise<void> {
  const session = openSession(
    () => env.DB,
    (run) => run(),
  );
  const [id, email, now] = [newId("0"), "owner@example.com", 1_900_000_000_000];
  const visit = { email, person: email, digit: "0", accountId: id, now };
  const page = { limit: 20, after: undefined };
  const webhook: ClaimedWebhook = {
    id,
    accountId: id,
    url: "https://example.com",
    shownUrl: "https://example.com",
    format: "standard",
    types: null,
    recent: [],
    secrets: [""],
    number: 0,
    attempts: 0,
    failingMs: 0,
    claimedUntil: 0,
  };
  await loadSchema(session);
  await listPublicPages(session, 10);
  await listPublicIdeas(session, id, 10);
  await readAtVisit(session, visit, {});
  await loadOwnApiKey(session, { email, id, now });
  await findOwnerOfKey(session, id);
  for (const account of [email, id]) await setAccountStatus(session, { account, status: "active", now });
  await loadWebhook(session, email, id);
  await saveApiKeyUsage(session, {
    apiKeyId: id,
    hours: [{ hour: 0, admitted: 1, limited: 0, operations: {} }],
    seen: {},
  });
  await recordUseAfterRevocation(session, { apiKeyId: id, eventId: id, address: null, now });
  await loadDecision(session, id, id);
  await isUnused(session, id);
  await listMergedComments(session, { accountId: id, proposalId: id });
  await loadTexts(session, { accountId: id, ids: [id] });
  await countClearing(session, id, id);
  await listUndelivered(session, webhook, { rows: 10 });
  await selectNames(session, id, [id]);
  await recordLeaks(session, { secrets: [{ id, secretHash: "", foundAt: "", eventId: id }], reporter: "", now });
  await endSignInsOf(session, [email]);
  const move = { from: email, to: "new@example.com" };
  const movable = { ...(await loadMovable(session, move)), madeByOld: id };
  const newAddress = { subject: "customer-42", email, isSure: false };
  await announceMove(session, move, { ...movable, newAddress });
  const moved = { accountId: id, move, memberId: id, ownsAnother: false, stamp: { now, eventId: id } };
  await moveMember(session, moved);
  await completeMove(session, move, movable);
  await loadSubject(session, newAddress);
  await freeAddress(session, newAddress, { isForced: false });
  await setSubject(session, newAddress);
  const leak = { eventId: id, foundAt: "" };
  const about = { ideaBankId: id, panelistId: id, externalId: null, issuedAt: 1, ends: true };
  const token = { ...leak, secret: "token" as const, ...about };
  await recordLeakedTokens(session, { found: [token], reporter: "", now });
  await rotateLeakedWebhooks(session, { found: [{ ...leak, text: "", newSecret: "" }], reporter: "", now });
  await rotateLeakedSigningSecrets(session, { found: [{ ...leak, text: "", hash: "" }], reporter: "", now });
  await findTouched(session, { accountId: id, actors: [email], now });
  const member = { accountId: id, email, told: 0, dueAt: now, timeZone: null, hour: 8, sentToday: 0, allSentToday: 0 };
  for (const mode of ["now", "daily"] as const) {
    const when = { mode, now, upTo: now };
    await nextMembers(session, { at: 0, id: "" }, { ...when, limit: 10 });
    await readNews(session, [member], when);
    await claimMembers(session, [{ turn: member, nextAt: now }], when);
    await endMembers(session, { sent: [member], unsent: [member] }, when);
  }
  await readStanding(session, [id]);
  const choices = await loadMailChoices(session, { accountId: id, person: email });
  const changes = (["ideas", "comments"] as const).map((kind) => ({ kind, ideaBankId: "", mode: "now" as const }));
  const clock = { timeZone: "UTC", hour: 8 };
  await saveMailChoices(session, { accountId: id, person: email }, { choices, changes, clock, nextDigestAt: now, now });
  const path = "/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}";
  await ownsPath(session, { accountId: id, path, ids: { ideaBankId: id, proposalId: id } });
  await listMerged(session, { accountId: id, proposalId: id });
  const imported = {
    ...{ accountId: id, ideaBankId: id, eventId: id, fileName: "ideas.csv", proposals: [], now },
    owner: { email, person: email, actor: email, address: null },
    people: [{ externalId: "kim", displayName: null, email: null, id }],
  };
  // Nobody is a member of an account that is not there.
  await expect(importProposals(session, imported)).rejects.toThrow("undo_texts.account_id");
  await loadAsTeam(session, { accountId: id, path: { ideaBankId: id, proposalId: id } });
  await keepSiteToken(session, {
    accountId: id,
    ideaBankId: id,
    now,
    lifetime: 60,
    renew: false,
    owner: { person: email, actor: email },
  });
  await loadEndOfTokens(session, id);
  await loadSigningEpochs(session, id, id);
  await loadAccess(session, { ideaBankId: id, panelistId: id, issuedAt: 0 });
  await follow(session, { token: { ideaBankId: id, panelistId: id, issuedAt: 0 }, proposalId: id, now });
  await loadPanelists(session, id, [id]);
  await isBlockedSince(session, { accountId: id, ids: [id], since: 0 });
  await SURVEYS.loadStored(session, id, id);
  await loadMatchingResults(session, { accountId: id, surveyId: id, key: "recommend" });
  const texts = { accountId: id, surveyId: id, question: "why", request: page };
  for (const [anonymous, q, key] of [
    [false, undefined, undefined],
    [false, "a", "recommend=9"],
    [true, "a", undefined],
  ] as const)
    await listKnownTexts(session, { ...texts, anonymous, q, key });
  await countAskable(session, id);
  await listAnswered(session, id, id);
  const survey = { accountId: id, id };
  await loadSurveyState(session, survey);
  const values: NewSurvey = { ...NewSurvey.parse({ title: "T" }), status: "OPEN" };
  await updateSurvey(
    session,
    { ...survey, changes: values, now },
    {
      was: {
        survey: { ...values, ...survey, responses: 0, openedAt: null, createdAt: "", updatedAt: "" },
        revision: 1,
        stored: "DRAFT",
        state: "",
      },
      salt: "",
    },
  );
  await deleteAllOfPanelist(session, { ...survey, deletesContent: true }, 1);
  await deleteOfAnonymous(session, { accountId: id, panelistId: id }, { when: "TRUE", values: {} });
  await countContents(session, { accountId: id, id });
  await IDEA_BANKS.loadStored(session, id, id);
  await PANELISTS.loadStored(session, id, id);
  // Requests for every operation send no filter.
  const request = { limit: 20, after: undefined };
  await PANELISTS.list(session, { accountId: id, request, externalId: id });
  await IDEA_BANKS.list(session, { accountId: id, request, status: "OPEN" });
  await loadStoredProposal(session, id, { ideaBankId: id, proposalId: id });
  await loadStoredProposal(session, id, { ideaBankId: id, externalId: id });
  await loadStoredComment(session, { accountId: id, path: { ideaBankId: id, proposalId: id }, commentId: id });
  await listWaiting(session, id, { ideaBankId: undefined, status: "unanswered", tag: "Bus" }, page);
  await countWaitingOf(session, id, 100);
  const comment = { accountId: id, path: { ideaBankId: id, proposalId: id }, commentId: id };
  await updateComment(session, { ...comment, comment: { body: "a", visibility: "hidden" } });
  for (const isAll of [true, false])
    await listRecentComments(session, { accountId: id, person: "a@example.com", ideaBankIds: [id], isAll }, page);
  await listWaitingComments(session, { accountId: id, ideaBankId: undefined }, page);
  await noteRenewedCode(session, { accountId: id, person: "a@example.com", actor: "a@example.com", now: Date.now() });
  await findMember(session, { accountId: id, person: "a@example.com", actor: "a@example.com" });
  await listAdmins(session, id);
  const nobody = { email: "a@example.com", person: "a@example.com", actor: "a@example.com", address: null };
  await setOwnName(session, { owner: nobody, accountId: id, name: "Ana", stamp: { now: 0, eventId: id } });
  await findOwnAccount(session, { email: "a@example.com", actor: "a@example.com" }, "0");
  const anyTime = { from: undefined, until: undefined };
  const anyEvent = { ...anyTime, apiKeyId: undefined, proposalId: undefined, actor: undefined, kind: "keys" } as const;
  await findAuditEvents(session, { visit, request: page, filter: anyEvent }).catch(() => {});
  await loadNames(session, id, [id]);
  await listSteps(session, { accountId: id, proposalId: id, most: 20 });
  await loadStep(session, { accountId: id, proposalId: id, number: 1 });
  await findAuditEvents(session, { visit, request: page, filter: { ...anyEvent, proposalId: id } }).catch(() => {});
  await findLastChange(session, { accountId: id, id, names: ["status"] });
  await clearPanelist(session, { accountId: id, id, now });
  const queue = { accountId: id, ideaBankIds: [id] };
  const anyIdea = { status: undefined, visibility: undefined, tag: undefined, sort: "top" } as const;
  await listQueue(session, queue, anyIdea, page);
  await findInQueue(session, queue, "a", anyIdea);
  await findInQueue(session, { ...queue, ideaBankIds: [id, id] }, "a", { ...anyIdea, sort: undefined });
  await listQueue(session, queue, { ...anyIdea, status: "unanswered" }, page);
  await listQueue(session, queue, { ...anyIdea, status: undefined, tag: undefined, sort: "top-30" }, page);
  await countQueue(session, queue, anyIdea, 1);
  await isPartlyCounted(session, queue, anyIdea);
  await countListed(session, id, { ...anyIdea, ideaBankId: undefined }, 1);
  await loadExported(session, id, [QUEUED]);
  await countComments(session, queue, 1);
  await listExportedComments(session, { accountId: id, ideaBankId: id, request: page });
  await countPanelists(session, id, 1);
  await countVoters(session, { accountId: id, path: { ideaBankId: id, proposalId: id } }, 1);
  for (const name of SECTION_NAMES)
    await readStored(session, { accountId: id, panelistId: id }, { name, after: undefined });
  await findInQueue(session, queue, "a", { ...anyIdea, status: "unanswered" });
  await findInQueue(session, queue, "a", { ...anyIdea, sort: "top-30" });
  for (const assignee of [null, { person: email }]) await listQueue(session, queue, { ...anyIdea, assignee }, page);
  await listQueue(session, queue, { ...anyIdea, privateTag: "a", visibility: "hidden" }, page);
  await listQueue(session, { ...queue, ideaBankIds: [id, id] }, { ...anyIdea, tag: "a" }, page);
  await findInQueue(session, queue, "a", { ...anyIdea, privateTag: "a" });
  await findComments(session, queue, "a");
  await countStatuses(session, queue);
  await countUnanswered(session, queue);
  await hasUnlisted(session, queue, undefined);
  const kept = {
    proposalId: id,
    panelistId: null,
    body: "a",
    createdAt: 1,
    byTenant: 1,
    onBehalf: 0,
    ...{ visibility: "public" as const, shownAt: null },
  };
  for (const [before, after] of [
    [kept, null],
    [null, kept],
    [kept, kept],
  ] as const)
    await undoComment(session, { accountId: id, id, before, after, since: 0 });
  await loadQueued(session, { accountId: id, ids: [id] });
  await loadHome(session, { accountId: id, person: "a@example.com", now: Date.now() });
  await findPanelists(session, id, "a");
  await listContributions(session, id, id);
  await loadActivity(session, []);
  await findSharing(session, []);
  await listSameMailbox(session, id, id);
  const [browser, mailbox, sender, code] = ["browser", "mailbox", "sender", "code"];
  await addCode(session, { id, ideaBankId: id, browser, email, mailbox, sender, code, now, isKnown: false });
  await listSent(session, id, browser);
  await countTry(session, { ideaBankId: id, browser, now });
  await endCodes(session, { ideaBankId: id, browser, now });
  const right = { accountId: id, codeId: id, code, email, mailbox, newPanelistId: id, name: null, language: "en", now };
  await signInByCode(session, right);
  await emptyCode(session, id);
  await forgetCode(session, id);
  await teamOf(session, id);
  await nameOfPanelist(session, { accountId: id, panelistId: id });
  await listOwnTags(session, id, [id]);
  await selectDue(session, 10);
  const told = { accountId: id, ideaBankId: id, proposalId: id, panelistId: id };
  await startDue(session, now);
  await findRecipients(session, startPosition(), now);
  await nextMailTurn(session, startPosition(), now);
  await claimMails(session, { accountId: id, limit: 1, now });
  const ended = [{ outboxId: 1, email, panelistId: id, state: "refused", isUnreachable: true }] as const;
  await endMails(session, { accountId: id, ended, mails: 1, now });
  await finishMails(session, { accountId: id, now });
  await stopMails(session, { reason: "E", now, until: now });
  await loadUnreachable(session, { accountId: id, panelistId: id });
  await mailKeyOf(session, id, "k");
  await deleteOldMails(session, now);
  await countTold(session, { accountId: id, proposalIds: [id], actor: email });
  await listToldOfIdea(session, told);
  await listToldOfPerson(session, told);
  await loadMuting(session, told);
  const muting = { accountId: id, mailKey: null, names: { idea: null, board: null }, email, language: null, muted: [] };
  for (const scope of MUTE_SCOPES) await mute(session, { muting, scope, link: told, now });
  await unmute(session, { muting, link: told });
  const ideaPath = { ideaBankId: id, proposalId: id };
  await loadTeamFields(session, { accountId: id, path: ideaPath });
  await listPrivateTags(session, id);
  await assignIdeas(session, { accountId: id, assignments: [{ ...ideaPath, assignee: id }], person: email, now });
  await listWriting(session, { accountId: id, person: email, now });
  await noteWriting(session, { accountId: id, person: email, now }, { ...ideaPath, ends: false });
  await countAssigned(session, id, id);
  await removeMember(session, {
    ...{ owner: { email, person: email, actor: email, address: null }, accountId: id, id },
    ...{ stamp: { eventId: id, now }, sentBy: () => ({ actors: [email], kept: [] }), takenBy: id },
  });
  await setPrivateTags(session, id, [{ path: ideaPath, was: [], tags: ["a"] }]);
  for (const of of [ideaPath, { panelistId: id }]) {
    const note = { accountId: id, of, id, person: email, body: "a", named: [id], now };
    await listNotes(session, { accountId: id, of, after: undefined });
    await addNote(session, note);
    await editNote(session, note);
    await deleteNote(session, note);
  }
  const turn = { accountId: id, memberId: id, sentToday: 0, allSentToday: 0 };
  await nextOutboxTurns(session, startPosition(), { now, upTo: now, limit: 10 });
  await takeOutbox(session, [turn], { upTo: now });
  const taken = { account_id: id, member_id: id, subject_id: id, kind: "named", actor: null, created_at: 1 } as const;
  await endOutbox(session, { sentTo: [id], unsent: [{ ...taken, email, account: email, by: null, what: null }] }, now);
  await claimWebhook(session, id);
  await recordProgress(session, webhook, { reached: 0, isLast: true, missed: 0 });
  await release(session, webhook);
  const owner = { email, person: email, actor: email, address: null };
  await recordExport(session, { eventId: id, now, accountId: id, owner, exported: "people", filter: "", rows: 1 });
  for (const kind of ["ideabank", "proposal", "comment", "panelist"] as const)
    deciding(session, { kind, id, ideaBankId: id, accountId: id, owner, eventId: id, now });
  await offerSignIn(session, { id, signIn: { email, returnTo: "/account" }, now });
  await offerCode(session, { id: "0Code0000001", signIn: { email, returnTo: "/account" }, now });
  await findOffered(session, { id, now, keptMs: 1 });
  await openSignIn(session, { id, now, keptMs: 1 });
  await findSignedIn(session, id, now);
  await endSignIn(session, id);
  await takeNotices(session, now);
  await loadDiagnostics(session, { failingSince: 1, dueBefore: 1 });
  await countPeople(session);
  await countKeysFromBefore(session, { before: 1, now: 1 });
  await callOperators(session);
}

/** An idea of the queue, of which nothing but the identifier is read. */
const QUEUED: QueuedIdea = {
  ...{
    id: "0Idea0000001",
    ideaBankId: "0Bank0000001",
    title: "",
    beginning: "",
    isCut: false,
    edits: 0,
    isAnswered: false,
    assignee: null,
    privateTags: [],
  },
  ...{ status: "submitted", visibility: "public", votes: 0, comments: 0, tags: [], author: null, authorId: null },
  ...{ createdAt: "", sortKey: 0 },
};

/** What the operator does to accounts, of one that has something in each of its lists. */
async function callOperators(session: Session): Promise<void> {
  const id = newId("1");
  const email = `${id}@example.com`;
  await env.DB.batch(
    [
      `INSERT INTO accounts (id, owner_email, created_at) VALUES ('${id}', '${id}', 1)`,
      `INSERT INTO owners (email, account_id) VALUES ('${email}', '${id}')`,
      `INSERT INTO deleted_idea_banks (id, account_id, deleted_at) VALUES ('${id}', '${id}', 1)`,
    ].map((sql) => env.DB.prepare(sql)),
  );
  await listAccounts(session, { after: undefined, now: 1 });
  for (const account of [id, email]) await findAccount(session, { account, orKey: account === id });
  await loadParts(session, id);
  await findKeyOfOwner(session, id);
  await setQuota(session, { accountId: id, maxBytes: 1 });
  await endTokensAsOperator(session, id);
  await listWholeActivity(session, { accountId: id, after: undefined });
  for (const list of EXPORTED_LISTS) await readExportedRows(session, id, { list, parents: [id] });
  await allowAnotherAccount(session, () => session, email);
  for await (const _ of deleteAccount(session, session, id));
}

/** The indexes and the scans of a statement's plan. */
async function planOf(sql: string): Promise<string> {
  const parameters = Math.max(0, ...[...sql.matchAll(/\?(\d+)/g)].map(([, number]) => Number(number)));
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...Array.from({ length: parameters }, () => 1))
    .all<{ detail: string }>();
  const used = results.flatMap(({ detail }) => {
    const [, index] = /USING (?:COVERING )?INDEX (\S+)/.exec(detail) ?? [];
    if (index !== undefined)
      return [index.startsWith("sqlite_autoindex_") ? `the key of ${index.slice(17).replace(/_\d+$/, "")}` : index];
    const [, table] = /^SEARCH (\S+) USING (?:INTEGER )?PRIMARY KEY/.exec(detail) ?? [];
    if (table !== undefined) return [`the key of ${table}`];
    const [, scanned] = /^SCAN (?!CONSTANT ROW|\()(\S+)/.exec(detail) ?? [];
    return scanned === undefined ? [] : [`scans ${scanned}`];
  });
  return [...new Set(used)].join(", ") || "none";
}

const dedent = (sql: string): string =>
  sql
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");

it("docs/sql.md has the SQL of every function, and its indexes", async () => {
  for (const level of ["warn", "error", "debug"] as const) vi.spyOn(console, level).mockImplementation(() => {});
  recordSessions();
  const time = new VirtualTime(1_900_000_000_000);
  for (const each of operations) await send(each, time);
  vi.useRealTimers();
  await runJob(env);
  await callOthers();
  const missing = FUNCTIONS.filter((each) => {
    const [file = "", name = ""] = each.split(" ");
    return !recorded.get(file)?.has(name);
  });
  expect(missing, "call each in callOthers, or send a request that does").toEqual([]);

  const page = [
    "# The SQL of the Worker",
    "The statements of each function in `src/worker/database/`, and the indexes of their plans (`EXPLAIN QUERY PLAN`). `npm run sql` writes this page, and [a test](../test/worker/database/sql.slow.test.ts) keeps it true. It sends a request for every operation, runs the scheduled job, and calls the other functions.",
    "“The key of” a table is its primary key or a unique column. A short name is an alias in the statement. A scanned name that is no table is a part of the statement itself: `json_each`, or a common table expression. The plan of an INSERT into `accounts` also names the tables that refer to it; they are read only while a constraint is deferred.",
  ];
  for (const [file, functions] of [...recorded].toSorted(([left], [right]) => (left < right ? -1 : 1))) {
    page.push(`## ${file}`);
    for (const [name, statements] of [...functions].toSorted(([left], [right]) => (left < right ? -1 : 1))) {
      page.push(`### ${name}`);
      for (const sql of [...statements].toSorted())
        page.push(`\`\`\`sql\n${dedent(sql)}\n\`\`\`\n\nIndexes: \`${await planOf(sql)}\``);
    }
  }
  await expect(`${page.join("\n\n")}\n`, "docs/sql.md is stale: npm run sql, and commit it").toMatchFileSnapshot(
    "../../../docs/sql.md",
  );
});
