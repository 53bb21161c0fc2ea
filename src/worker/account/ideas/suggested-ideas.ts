/** `/account/ideas/suggestions.json`: the ideas of a board that a title may repeat, while it is typed. */
import { findInQueue } from "../../database/proposals/queue.ts";
import { isId } from "../../model/id.ts";
import { openOwn } from "../account-databases.ts";
import { file } from "../frame/page.tsx";
import { counted, IDEA_STATUSES } from "../frame/words.ts";
import { addressOf, IDEAS } from "./opened-idea.ts";

export const SUGGESTED_IDEAS_PATH = `${IDEAS}/suggestions.json`;
const SUGGESTED_AT_MOST = 5;
const ANY = { status: undefined, visibility: undefined, tag: undefined, sort: undefined };

export const SUGGESTED_IDEAS = file(SUGGESTED_IDEAS_PATH, async (c) => {
  const q = c.req.query("q")?.trim().slice(0, 200) ?? "";
  const ideaBankId = c.req.query("board") ?? "";
  const { session, accountId } = await openOwn(c);
  const found =
    q === "" || !isId(ideaBankId) ? [] : await findInQueue(session, { accountId, ideaBankIds: [ideaBankId] }, q, ANY);
  return c.json({
    items: found.slice(0, SUGGESTED_AT_MOST).map(({ id, title, votes, status }) => ({
      path: addressOf({ ideaBankId, proposalId: id }),
      label: title,
      hint: `${counted(votes, "vote")} · ${IDEA_STATUSES[status]}`,
    })),
  });
});
