/** `…/ideas/{id}/writing`: a page says that its member writes a response there, or no longer, and says who else does. */

import type { Context } from "hono";
import { listWriting, noteWriting, type Writing } from "../../database/members/writing-members.ts";
import { readForm } from "../../http/read-body.ts";
import { openOwn } from "../account-databases.ts";
import { orNotFound } from "../frame/decide.ts";
import { action } from "../frame/page.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import type { IdeaPath } from "./decide.ts";
import { addressOf, IDEA, pathOfIdea } from "./opened-idea.ts";

export const WRITING = action(`${IDEA}/writing`, async (c) => {
  const fields = await readForm(c);
  const { session, accountId } = await openOwn(c);
  const of = { accountId, person: c.var.owner.person, now: Date.now() };
  const others = await noteWriting(session, of, { ...pathOfIdea(c), ends: fields.has("ends") });
  return c.json({ words: writingInWords(orNotFound(others)) });
});

export async function loadWriting(c: Context<OwnerEnv>): Promise<readonly Writing[]> {
  const { session, accountId } = await openOwn(c);
  return listWriting(session, { accountId, person: c.var.owner.person, now: Date.now() });
}

/** "Ana is writing a response." Nothing for nobody. */
export const writingInWords = (others: readonly Writing[]): string => {
  if (others.length === 0) return "";
  const names = new Intl.ListFormat("en").format(others.map(({ name }) => name));
  return `${names} ${others.length === 1 ? "is" : "are"} writing a response.`;
};

type Props = { readonly path: IdeaPath; readonly others: readonly Writing[] };

/** Beside the field of the response: the script says there who has begun since, too. */
export const WritingLine = ({ path, others }: Props) => (
  <p class="writing" role="status" data-writing={`${addressOf(path)}/writing`} hidden={others.length === 0}>
    {writingInWords(others)}
  </p>
);

/** While a response is written, colleagues learn of it. */
export const WRITING_SCRIPTS = ["writing.js"];
