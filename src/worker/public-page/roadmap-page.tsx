/** `/b/{id}/{name}/roadmap`: what is planned, in progress and done. */

import type { Context } from "hono";
import { roadmapMarkup } from "#markup";
import type { AppEnv } from "../http/app-env.ts";
import { readAfter, withCursor } from "./cursors.ts";
import { Element } from "./element.tsx";
import { type Frame, ideaLink, linkTo, partPath } from "./frame.ts";
import { Layout } from "./layout.tsx";
import type { OpenPage, PageMemory } from "./open-page.ts";
import { ROADMAP, readRoadmap } from "./read-contents.ts";
import { respondPage } from "./respond.tsx";

const PATH = "/ideabank/proposals";

export async function roadmapPage(c: Context<AppEnv>, memory: PageMemory, page: OpenPage, around: Frame) {
  const frame = { ...around, element: "roadmap" as const };
  const { id, ideaBank, capabilities, visitor } = page;
  const { name, description } = ideaBank;
  const after = await columnAfter(c, id);
  const read = await readRoadmap(memory, page, after);
  const columns = await Promise.all(
    read.map((each, at) => withCursor(c, id, { path: PATH, filters: { ...ROADMAP[at] }, page: each })),
  );
  const path = partPath(frame, "roadmap");
  const markup = roadmapMarkup({
    ...{ lang: frame.language, headingLevel: 1, access: { name, capabilities }, columns },
    ideaHref: (idea) => ideaLink(frame, idea),
    moreHrefOf: (status, cursor) => linkTo(frame, path, { status, after: cursor }),
  });
  const access = { name, capabilities: visitor, panelistCapabilities: capabilities };
  const title = frame.say("roadmap");
  return respondPage(
    c,
    frame,
    <Layout
      frame={frame}
      {...{ title, description, path, current: "roadmap" }}
      isUnlisted={ideaBank.hiddenFromSearch || after !== undefined}
    >
      <Element
        frame={frame}
        name="roadmap"
        markup={markup}
        {...(after === undefined && { initial: { access, columns } })}
      />
    </Layout>,
  );
}

/** Where the column that the address names goes on, for those without JavaScript. */
async function columnAfter(c: Context<AppEnv>, id: string) {
  const filter = ROADMAP.find(({ status }) => status === c.req.query("status"));
  if (filter === undefined) return undefined;
  const position = await readAfter(c, id, { path: PATH, filters: { ...filter } });
  return position && { status: filter.status, position };
}
