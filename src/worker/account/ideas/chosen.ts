/** The ideas that a form names, of one board or of several. */

import type { QueuedIdea } from "../../database/proposals/queue.ts";
import { isId } from "../../model/id.ts";
import { PROPOSAL_STATUSES, type ProposalStatus } from "../../model/proposal.ts";

/** The maximum of ideas on a page. */
export const TOGETHER_AT_MOST = 100;

/** Of an idea that waited for approval when it was chosen: how often its author had written the text that was shown, if all of it was. */
export type Waited = { readonly edits: number | undefined };

/** `status`: the one that the list showed. */
export type Chosen = {
  readonly ideaBankId: string;
  readonly id: string;
  readonly waited?: Waited | undefined;
  readonly status?: ProposalStatus | undefined;
};

/** The text of an idea as the row of a list shows it is cut, so nobody has seen it whole. */
const CUT = "cut";

/** The value that chooses an idea. `isRead`: the list shows the texts of ideas that wait, which are approved there. */
export function toValue({ ideaBankId, id, visibility, edits, isCut, status }: QueuedIdea, isRead: boolean): string {
  const seen = isRead && visibility === "pending" ? (isCut ? CUT : edits) : status;
  return `${ideaBankId}-${id}-${seen}`;
}

/** An idea in a form is `<board>-<idea>`, or in the form of a board the idea alone; with what was seen of it at its end. 1.1.0 had spaces between them. */
function toChosen(text: string, ofBoard: string | undefined): Chosen[] {
  const [first = "", second, ...rest] = text.split(/[- ]/);
  const seen = rest.join("-");
  const status = PROPOSAL_STATUSES.find((each) => each === seen);
  const [ideaBankId = "", id] = second === undefined ? [ofBoard, first] : [first, second];
  if (!isId(ideaBankId) || !isId(id)) return [];
  const waited = seen === "" || status ? undefined : { edits: seen === CUT ? undefined : Number(seen) };
  return [{ ideaBankId, id, waited, status }];
}

/** The chosen ideas of a form or of an address, each once. */
export const chosenIn = (fields: URLSearchParams, ideaBankId: string | undefined): readonly Chosen[] =>
  [...new Set(fields.getAll("ids"))].flatMap((each) => toChosen(each, ideaBankId)).slice(0, TOGETHER_AT_MOST);
