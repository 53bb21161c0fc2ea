/** `/b/{id}/{name}/ideas/{proposalId}`: one idea, with its comments. */

import type { Context } from "hono";
import { ideaMarkup } from "#markup";
import type { AppEnv } from "../http/app-env.ts";
import { firstLine } from "../model/light-formatting.ts";
import { ideaPathOf } from "../model/page-path.ts";
import { readAfter, withCursor } from "./cursors.ts";
import { Element } from "./element.tsx";
import { type Frame, ideaLink, linkTo, partPath } from "./frame.ts";
import { Layout } from "./layout.tsx";
import type { OpenPage, PageMemory } from "./open-page.ts";
import { readIdea } from "./read-contents.ts";
import { respondNothing, respondPage } from "./respond.tsx";

/** What previews show of a text. */
const DESCRIPTION_CHARACTERS = 200;

export async function ideaPage(
  c: Context<AppEnv>,
  memory: PageMemory,
  page: OpenPage,
  around: Frame,
  proposalId: string,
) {
  const frame = { ...around, element: "board" as const };
  const { id, ideaBank, capabilities, visitor } = page;
  const { name } = ideaBank;
  const list = { path: `/ideabank/proposals/${proposalId}/comments` };
  const after = await readAfter(c, id, list);
  const found = await readIdea(memory, page, { proposalId, after });
  if (found === null) return respondNothing(c);
  const { idea } = found;
  const comments = await withCursor(c, id, { ...list, page: found.comments });
  const path = ideaPathOf({ id, name }, proposalId);
  const markup = ideaMarkup({
    ...{ lang: frame.language, headingLevel: 1, access: { name, capabilities }, idea, comments },
    ideaHref: (other) => ideaLink(frame, other),
    backHref: linkTo(frame, partPath(frame, "ideas")),
    moreHref: comments.nextCursor && linkTo(frame, path, { after: comments.nextCursor }),
  });
  const access = { name, capabilities: visitor, panelistCapabilities: capabilities };
  const description =
    [...firstLine(idea.description)].slice(0, DESCRIPTION_CHARACTERS).join("") || ideaBank.description;
  return respondPage(
    c,
    frame,
    <Layout
      frame={frame}
      {...{ title: idea.title, description, path, current: "ideas" }}
      isUnlisted={ideaBank.hiddenFromSearch || after !== undefined}
    >
      <Element
        frame={frame}
        name="board"
        markup={markup}
        attributes={{ proposal: proposalId }}
        {...(after === undefined && { initial: { access, idea, comments } })}
      />
    </Layout>,
  );
}
