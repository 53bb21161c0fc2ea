/** `GET /ideabank/changelog/entries`: the whole changelog, for those who read on where the changelog itself ends. */
import { sealCursor } from "../credentials/cursor.ts";
import { listEntries } from "../database/idea-banks/changelog-entries.ts";
import { respondPage } from "../http/pagination.ts";
import { type ChangelogEntry, ListedEntry } from "../model/changelog.ts";
import { PageQuery } from "../model/pagination.ts";
import { feedIdOf } from "../view/render-feed.ts";
import { participation } from "./operation.ts";

export const ENTRY_OPERATIONS = {
  listChangelogEntries: participation({
    method: "GET",
    effect: "reads",
    path: "/ideabank/changelog/entries",
    capability: "canViewChangelog",
    surface: { capability: "canViewChangelog", closed: "idea-bank-not-found" },
    query: PageQuery,
    sealed: true,
    answer: ListedEntry,
    problems: ["too-many-requests", "idea-bank-not-found"],
    summary: "List all entries of the changelog",
    description:
      "The implemented proposals in the order of the changelog, in pages, the older ones too. A closed changelog returns the same 404 as an " +
      "idea bank that does not exist.",
    handle: async (c, { session, token, page: request }) => {
      const { access, page } = await listEntries(session, { token, request });
      const respond = async () => {
        const items = await Promise.all(page.items.map((entry) => toListed(token.ideaBankId, entry)));
        return respondPage(c, { ...page, items }, sealCursor);
      };
      return { access, respond };
    },
  }),
};

/** As the changelog shows it, with the identifier that it has in the feeds. */
async function toListed(
  ideaBankId: string,
  { id, title, description, lastActivityAt }: Omit<ChangelogEntry, "publishedAt">,
): Promise<ListedEntry> {
  return { id: await feedIdOf(ideaBankId, id), title, description, lastModified: Math.floor(lastActivityAt / 1000) };
}
