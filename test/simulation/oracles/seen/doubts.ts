import type { History } from "../../history.ts";
import type { Call } from "./calls.ts";
import { type Issued, ideaBankIdOf, panelistIdOf, tokenOf } from "./credentials.ts";
import { accountOfIdeaBank, capabilitiesAt } from "./expected.ts";
import { stepped } from "./faults.ts";
import { rowsOf } from "./rows.ts";

const SECOND_MS = 1_000;

/** What an isolate may remember is at most so old. */
const ageOf = (history: History): number => history.settings.freshnessMs + history.settings.anchorMs;

/** Issued so shortly before a request that a refusal is doubted. Its time is in whole seconds, by a clock that may have stepped. */
export const isNew = (history: History, call: Call, issued: Issued | undefined): boolean =>
  issued !== undefined &&
  call.at - issued.call.answeredAt < ageOf(history) + SECOND_MS + stepped(history, 0, call.answeredAt);

/** A new token that an isolate may take for refused: "only when the primary says so; when the primary does not answer: 503". */
export const mayBeDoubted = (history: History, call: Call, issued: Issued | undefined): boolean => {
  const token = tokenOf(call);
  if (token === undefined || !isNew(history, call, issued)) return false;
  const rows = rowsOf(history);
  const from = call.at - ageOf(history);
  const ideaBank = ideaBankIdOf(token);
  const isShown = ({ open, canViewChangelog }: ReturnType<typeof capabilitiesAt>) =>
    call.operation === "getChangelog" ? canViewChangelog : open;
  const banks = rows.span(accountOfIdeaBank(rows, ideaBank) ?? "", from, call.answeredAt);
  const panelists = rows.versions("panelists", panelistIdOf(token)).filter(({ at }) => at <= call.answeredAt);
  const seen = panelists.filter(({ at }, index) => at >= from || index === panelists.length - 1);
  return (
    banks.length === 0 ||
    !banks.every((moment) => isShown(capabilitiesAt(rows, ideaBank, moment))) ||
    !seen.every(({ row }) => row?.active === 1)
  );
};
