import type { History, Row } from "../../history.ts";
import { type Call, field } from "./calls.ts";
import { type Issued, ideaBankIdOf, isVisitors, panelistIdOf, signedOf, tokenOf } from "./credentials.ts";
import { accountOfIdeaBank, capabilitiesAt } from "./expected.ts";
import { stepped } from "./faults.ts";
import { rowsOf } from "./rows.ts";

const SECOND_MS = 1_000;

/** What an isolate may remember is at most so old. */
const ageOf = (history: History): number => history.settings.freshnessMs + history.settings.anchorMs;

/** Issued so shortly before a request that a refusal is doubted. Its time is in whole seconds, by a clock that may have stepped. */
export const isNew = (history: History, call: Call, issued: Issued | undefined): boolean =>
  issued !== undefined &&
  call.at - issued.call.answeredAt <
    ageOf(history) + SECOND_MS + nextSecond(history, issued) + stepped(history, 0, call.answeredAt);

/** One that is issued in the second of a revocation belongs to the next second. */
const nextSecond = (history: History, { token, ideaBank, panelist, call }: Issued): number => {
  const { versions: versionsOf } = rowsOf(history);
  const [versions, column] = isVisitors(token)
    ? ([versionsOf("idea_banks", ideaBank), "visitor_tokens_ended_at"] as const)
    : ([versionsOf("panelists", panelist), "tokens_revoked_at"] as const);
  const isRevoked = versions.some(({ at, row }, index) => {
    const revokedAt = row?.[column] ?? null;
    const isNow = at >= call.at - SECOND_MS && at <= call.answeredAt;
    return isNow && revokedAt !== null && revokedAt !== versions[index - 1]?.row?.[column];
  });
  return isRevoked ? SECOND_MS : 0;
};

/**
 * A new token that an isolate may take for refused: "only when the primary says so; when the primary does not answer: 503". `from` is
 * when it may have read what it remembers: long ago, while D1 is down.
 */
export const mayBeDoubted = (
  history: History,
  call: Call,
  issued: Issued | undefined,
  from = call.at - ageOf(history),
): boolean => {
  const token = tokenOf(call);
  if (token === undefined) return false;
  const rows = rowsOf(history);
  const ideaBank = ideaBankIdOf(token);
  const isShown = ({ open, canViewChangelog }: ReturnType<typeof capabilitiesAt>) =>
    call.operation === "getChangelog" ? canViewChangelog : open;
  const banks = rows.span(accountOfIdeaBank(rows, ideaBank) ?? "", from, call.answeredAt);
  const panelists = rows.versions("panelists", panelistIdOf(token)).filter(({ at }) => at <= call.answeredAt);
  const seen = panelists.filter(({ at }, index) => at >= from || index === panelists.length - 1);
  const epoch = signedOf(token)?.epoch;
  // A secret that memory does not know yet is asked for, however old the token is.
  if (!banks.every((moment) => isNewest(rows.row("idea_banks", ideaBank, moment), epoch))) return true;
  if (!isNew(history, call, issued)) return false;
  return (
    banks.length === 0 ||
    !banks.every((moment) => isShown(capabilitiesAt(rows, ideaBank, moment))) ||
    !seen.every(({ row }) => row?.active === 1)
  );
};

/** Whether the token is signed with the newest secret of the idea bank; true for a token of another kind. */
const isNewest = (row: Row | null, epoch: number | undefined): boolean =>
  epoch === undefined || row?.signing_epoch === epoch;

/** Nothing is shown: the token is not valid, or nothing is open. */
export const isRefused = (call: Call): boolean => {
  const capabilities = field(call.answer?.body, "capabilities");
  const isClosed = typeof capabilities === "object" && !Object.values(capabilities ?? {}).includes(true);
  return call.status === 401 || call.status === 404 || isClosed;
};

/** In so long every isolate knows that an idea bank is gone: until then it reads the idea bank first, and then the panelist. */
const KNOWN_MS = 11_000;

export const hasJustGone = (history: History, token: string, at: number): boolean =>
  rowsOf(history)
    .versions("idea_banks", ideaBankIdOf(token))
    .some((version) => version.row === null && version.at <= at && version.at > at - KNOWN_MS);
