import type { Oracle } from "../history.ts";
import { acknowledged, nothingLost, retriesAreSafe } from "./acknowledged.ts";
import { activeKeys } from "./active-keys.ts";
import { answersKept } from "./answers-kept.ts";
import { approval } from "./approval.ts";
import { available, outlasts, statedRefusals } from "./availability.ts";
import { budgets, forged, refusedAgain } from "./budgets.ts";
import { changesFollowed, changesInOrder } from "./changes.ts";
import { closedIsMissing } from "./closed-is-missing.ts";
import { counters } from "./counters.ts";
import { counts } from "./counts.ts";
import { deliveredInOrder, deliveriesSigned, oneDelivery } from "./deliveries.ts";
import { earlyRefusals, retryAfterRespected } from "./early-refusals.ts";
import { etags } from "./etags.ts";
import { expiry } from "./expiry.ts";
import { externalIds } from "./external-ids.ts";
import { capabilitiesFresh, changelogFresh, proposalsFound, proposalsFresh } from "./freshness.ts";
import { health } from "./health.ts";
import { hungSessions } from "./hung-sessions.ts";
import { narrowing } from "./key-changes.ts";
import { revocation, unconfirmedRevocation } from "./key-revocation.ts";
import { rotation } from "./key-rotation.ts";
import { lastUse } from "./last-use.ts";
import { leaks } from "./leaks.ts";
import { members } from "./members.ts";
import { newToken } from "./new-token.ts";
import { nobodyIdentified, nothingInternal, shownOnce } from "./nothing-internal.ts";
import { oneResponse } from "./one-response.ts";
import { operationCounts } from "./operation-counts.ts";
import { panelistLimit } from "./panelist-limit.ts";
import { rateLimit } from "./rate-limit.ts";
import { consistencyTokens, readYourWrites } from "./read-your-writes.ts";
import { slices } from "./slices.ts";
import { storage } from "./storage.ts";
import { surveyTotals } from "./survey-totals.ts";
import { resumption, suspension } from "./suspension.ts";
import { oneAccount, oneDatabase, tenants } from "./tenants.ts";
import { tokensEnd } from "./tokens-end.ts";
import { validKeys } from "./valid-keys.ts";
import { visitorsOnlyRead } from "./visitors.ts";
import { deadlines, nobodyWaitsInLine } from "./waiting.ts";

/** All invariants. Each reads a history alone: none knows how the service works inside. */
export const ORACLES: readonly Oracle[] = [
  rateLimit,
  earlyRefusals,
  retryAfterRespected,
  revocation,
  unconfirmedRevocation,
  rotation,
  narrowing,
  leaks,
  suspension,
  resumption,
  validKeys,
  panelistLimit,
  expiry,
  counts,
  lastUse,
  operationCounts,
  changelogFresh,
  capabilitiesFresh,
  proposalsFresh,
  proposalsFound,
  etags,
  readYourWrites,
  consistencyTokens,
  newToken,
  tokensEnd,
  visitorsOnlyRead,
  closedIsMissing,
  nothingInternal,
  nobodyIdentified,
  shownOnce,
  acknowledged,
  nothingLost,
  retriesAreSafe,
  answersKept,
  externalIds,
  approval,
  counters,
  surveyTotals,
  oneResponse,
  activeKeys,
  members,
  storage,
  slices,
  changesInOrder,
  changesFollowed,
  deliveredInOrder,
  oneDelivery,
  deliveriesSigned,
  tenants,
  oneDatabase,
  oneAccount,
  forged,
  budgets,
  refusedAgain,
  available,
  outlasts,
  hungSessions,
  health,
  statedRefusals,
  deadlines,
  nobodyWaitsInLine,
];
