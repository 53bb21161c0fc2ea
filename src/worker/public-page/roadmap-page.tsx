/** `/b/{id}/{name}/roadmap`: what is planned, in progress and done. */

import type { Context } from "hono";
import { roadmapMarkup } from "#markup";
import type { AppEnv } from "../http/app-env.ts";
import { withCursor } from "./cursors.ts";
import { Element } from "./element.tsx";
import { type Frame, ideaLink, partPath } from "./frame.ts";
import { Layout } from "./layout.tsx";
import type { OpenPage, PageMemory } from "./open-page.ts";
import { ROADMAP, readRoadmap } from "./read-contents.ts";
import { respondPage } from "./respond.tsx";

export async function roadmapPage(c: Context<AppEnv>, memory: PageMemory, page: OpenPage, around: Frame) {
  const frame = { ...around, element: "roadmap" as const };
  const { id, ideaBank, capabilities, visitor } = page;
  const { name, description } = ideaBank;
  const read = await readRoadmap(memory, page);
  const columns = await Promise.all(
    read.map((each, at) => withCursor(c, id, { path: "/ideabank/proposals", filters: { ...ROADMAP[at] }, page: each })),
  );
  const markup = roadmapMarkup({
    ...{ lang: frame.language, headingLevel: 1, access: { name, capabilities }, columns },
    ideaHref: (idea) => ideaLink(frame, idea),
  });
  const access = { name, capabilities: visitor, panelistCapabilities: capabilities };
  const title = frame.say("roadmap");
  return respondPage(
    c,
    frame,
    <Layout frame={frame} {...{ title, description, path: partPath(frame, "roadmap"), current: "roadmap" }}>
      <Element frame={frame} name="roadmap" markup={markup} initial={{ access, columns }} />
    </Layout>,
  );
}
