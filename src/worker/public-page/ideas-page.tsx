/** `/b/{id}/{name}`: the ideas of a board, as its element begins with them. */

import type { Context } from "hono";
import { boardMarkup } from "#markup";
import type { AppEnv } from "../http/app-env.ts";
import { readAfter, withCursor } from "./cursors.ts";
import { Element } from "./element.tsx";
import { type Frame, ideaLink, linkTo, partPath } from "./frame.ts";
import { Layout } from "./layout.tsx";
import type { OpenPage, PageMemory } from "./open-page.ts";
import { readIdeas, readTags } from "./read-contents.ts";
import { respondPage } from "./respond.tsx";

/** The list that the board begins with. */
const LIST = { path: "/ideabank/proposals", filters: { sort: "hot" } };

export async function ideasPage(c: Context<AppEnv>, memory: PageMemory, page: OpenPage, around: Frame) {
  const frame = { ...around, element: "board" as const };
  const { id, ideaBank, capabilities, visitor } = page;
  const { name } = ideaBank;
  const after = await readAfter(c, id, LIST);
  const [list, tags] = await Promise.all([readIdeas(memory, page, after), readTags(memory, page)]);
  const ideas = await withCursor(c, id, { ...LIST, page: list });
  const path = partPath(frame, "ideas");
  const markup = boardMarkup({
    ...{ lang: frame.language, headingLevel: 1, access: { name, capabilities }, page: ideas },
    ideaHref: (idea) => ideaLink(frame, idea),
    moreHref: ideas.nextCursor && linkTo(frame, path, { after: ideas.nextCursor }),
  });
  const access = { name, capabilities: visitor, panelistCapabilities: capabilities };
  const shown = { title: name, description: ideaBank.description, path, current: "ideas" } as const;
  return respondPage(
    c,
    frame,
    <Layout frame={frame} {...shown} isUnlisted={ideaBank.hiddenFromSearch || after !== undefined}>
      {/* A later part of the list is for those without JavaScript: the element begins with the first. */}
      <Element
        frame={frame}
        name="board"
        markup={markup}
        {...(after === undefined && { initial: { access, ideas, tags: { items: tags } } })}
      />
    </Layout>,
  );
}
