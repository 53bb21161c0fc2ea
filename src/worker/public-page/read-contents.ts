/** What is on a board's page, read from D1 as a stranger may see it. */

import type { Position } from "../credentials/cursor.ts";
import { listCommentsForPanelist } from "../database/comments/panelist-comments.ts";
import { listEntries } from "../database/idea-banks/changelog-entries.ts";
import type { TokenClaims } from "../database/panelists/panelist-access.ts";
import { listForPanelist } from "../database/proposals/panelist-proposals.ts";
import { listTags } from "../database/proposals/tags.ts";
import { listOpenSurveys, type SeenSurvey } from "../database/surveys/panelist-surveys.ts";
import type { ChangelogEntry } from "../model/changelog.ts";
import type { Page } from "../model/pagination.ts";
import type { PanelistComment, PanelistProposal } from "../model/panelist-proposal.ts";
import type { ProposalStatus } from "../model/proposal.ts";
import type { TagCount } from "../model/tag.ts";
import type { OpenPage, PageMemory } from "./open-page.ts";

/** The API's page size, with which the elements go on. */
const PAGE = 20;

/** Nobody's: a page is the same for all, whoever comes first. */
const strangerOf = (ideaBankId: string): TokenClaims => ({ ideaBankId, panelistId: null, issuedAt: 0 });

const nameOf = (after: Position | undefined): string => (after === undefined ? "" : ` ${after.key} ${after.id}`);

const contentOf = <Value extends object | null>(
  { contents }: PageMemory,
  { id, ideaBank, terms }: OpenPage,
  { name, isFirst = false }: { readonly name: string; readonly isFirst?: boolean },
  load: Parameters<typeof contents.get<Value>>[0]["load"],
): Promise<Value> => contents.get({ accountId: ideaBank.accountId, ideaBankId: id, name, isFirst, load }, terms);

/** The list that the board begins with. */
export const readIdeas = (
  memory: PageMemory,
  page: OpenPage,
  after: Position | undefined,
): Promise<Page<PanelistProposal>> =>
  contentOf(memory, page, { name: `ideas${nameOf(after)}`, isFirst: after === undefined }, async (session) => {
    const asked = { token: strangerOf(page.id), filter: { sort: "hot" } as const, request: { limit: PAGE, after } };
    return (await listForPanelist(session, asked)).page;
  });

/** The tags that its filter offers. */
export const readTags = (memory: PageMemory, page: OpenPage): Promise<readonly TagCount[]> =>
  contentOf(memory, page, { name: "tags", isFirst: true }, async (session) => [
    ...(await listTags(session, strangerOf(page.id))).tags,
  ]);

/** As the roadmap asks for them. */
export const ROADMAP = [
  { status: "planned", sort: "top" },
  { status: "in-progress", sort: "top" },
  { status: "implemented", sort: "active" },
] as const satisfies readonly { readonly status: ProposalStatus; readonly sort: string }[];
const ROADMAP_LIMIT = 10;

/** `after`: where the column of a status goes on. */
export const readRoadmap = (
  memory: PageMemory,
  page: OpenPage,
  after: { readonly status: string; readonly position: Position } | undefined,
): Promise<readonly Page<PanelistProposal>[]> =>
  Promise.all(
    ROADMAP.map((filter) => {
      const from = after?.status === filter.status ? after.position : undefined;
      const content = { name: `roadmap ${filter.status}${nameOf(from)}`, isFirst: from === undefined };
      return contentOf(memory, page, content, async (session) => {
        const asked = { token: strangerOf(page.id), filter, request: { limit: ROADMAP_LIMIT, after: from } };
        return (await listForPanelist(session, asked)).page;
      });
    }),
  );

/** Of the whole changelog: after a position, or its first so many. */
export const readEntries = (
  memory: PageMemory,
  page: OpenPage,
  { after, limit = PAGE }: { readonly after: Position | undefined; readonly limit?: number },
): Promise<Page<Omit<ChangelogEntry, "publishedAt">>> =>
  contentOf(
    memory,
    page,
    { name: `entries ${limit}${nameOf(after)}`, isFirst: after === undefined },
    async (session) => {
      const { page: entries } = await listEntries(session, { token: strangerOf(page.id), request: { limit, after } });
      return entries;
    },
  );

type ReadIdea = { readonly idea: PanelistProposal; readonly comments: Page<PanelistComment> };

/** Null for one that a stranger cannot see, and for one that was merged. */
export const readIdea = (
  memory: PageMemory,
  page: OpenPage,
  { proposalId, after }: { readonly proposalId: string; readonly after: Position | undefined },
): Promise<ReadIdea | null> =>
  contentOf(memory, page, { name: `idea ${proposalId}${nameOf(after)}` }, async (session) => {
    const {
      proposal,
      merged,
      page: comments,
    } = await listCommentsForPanelist(session, {
      ...{ token: strangerOf(page.id), proposalId },
      request: { limit: PAGE, after },
    });
    return proposal === null || merged || comments === null ? null : { idea: proposal, comments };
  });

/** As the API shows it to somebody who has not answered. */
export type PageSurvey = Pick<SeenSurvey, "id" | "title" | "description" | "thanks" | "questions"> &
  Pick<SeenSurvey, "anonymous" | "editable" | "closesAt"> & { readonly response: null };

/** The surveys that are open to everybody who signs in. */
export const readSurveys = (memory: PageMemory, page: OpenPage): Promise<readonly PageSurvey[]> =>
  contentOf(memory, page, { name: "surveys", isFirst: true }, async (session) => {
    const { surveys } = await listOpenSurveys(session, strangerOf(page.id), []);
    return surveys.map(({ answerable, revision, salt, ...survey }) => ({ ...survey, response: null }));
  });
