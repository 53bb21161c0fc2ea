/** The ideas that a form names, of one board or of several. */

import type { QueuedIdea } from "../../database/proposals/queue.ts";
import { isId } from "../../model/id.ts";

/** The maximum of ideas on a page. */
const TOGETHER_AT_MOST = 100;

/** Of an idea that waited for approval when it was chosen: how often its author had written the text that was shown, if all of it was. */
export type Waited = { readonly edits: number | undefined };

export type Chosen = { readonly ideaBankId: string; readonly id: string; readonly waited?: Waited | undefined };

/** The text of an idea as the row of a list shows it is cut, so nobody has seen it whole. */
const CUT = "cut";

/** The value that chooses an idea. `isRead`: the list shows the texts of ideas that wait, which are approved there. */
export function toValue({ ideaBankId, id, visibility, edits, isCut }: QueuedIdea, isRead: boolean): string {
  const waits = isRead && visibility === "pending";
  return `${ideaBankId}-${id}${waits ? `-${isCut ? CUT : edits}` : ""}`;
}

/** An idea in a form is `<board>-<idea>`, or in the form of a board the idea alone; with what was seen of one that waits at its end. 1.1.0 had spaces between them. */
function toChosen(text: string, ofBoard: string | undefined): Chosen[] {
  const [first = "", second, seen] = text.split(/[- ]/);
  const [ideaBankId = "", id] = second === undefined ? [ofBoard, first] : [first, second];
  if (!isId(ideaBankId) || !isId(id)) return [];
  const waited = seen === undefined ? undefined : { edits: seen === CUT ? undefined : Number(seen) };
  return [{ ideaBankId, id, waited }];
}

/** The chosen ideas of a form or of an address, each once. */
export const chosenIn = (fields: URLSearchParams, ideaBankId: string | undefined): readonly Chosen[] =>
  [...new Set(fields.getAll("ids"))].flatMap((each) => toChosen(each, ideaBankId)).slice(0, TOGETHER_AT_MOST);
