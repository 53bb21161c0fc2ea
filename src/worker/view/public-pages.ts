/**
 * What an isolate knows of the boards that have a page: for the sitemap, and for the start page of a deployment with one board. It asks once
 * a minute, so a page that was just switched on or off may be found a minute later.
 */
import { listPublicPages, type PublicPage } from "../database/idea-banks/public-pages.ts";
import { logWarning } from "../log.ts";
import type { Caller, Databases } from "../store/databases.ts";
import { Kept } from "../store/kept.ts";
import { isDatabaseOutage } from "../store/outage.ts";

/** Of each database. A sitemap may have 50,000 addresses. */
const MAX_PAGES = 1_000;
const FRESH_MS = 60_000;
/** The start page is there without an answer, too, and nobody waits long for it. */
const WAITS_MS = 1_000;

export class PublicPages {
  readonly #kept = new Kept<readonly PublicPage[]>({ now: () => Date.now(), isOutage: isDatabaseOutage });

  /** The oldest first, within each database. Rejects as D1 does when nothing is known. */
  list(databases: Databases, caller: Caller, withinMs?: number): Promise<readonly PublicPage[]> {
    return this.#kept.get({
      load: async () => {
        const all = databases
          .all(caller)
          .map(({ database }) => database.withoutBudget().read((session) => listPublicPages(session, MAX_PAGES)));
        return (await Promise.all(all)).flat();
      },
      freshMs: FRESH_MS,
      ...(withinMs !== undefined && { withinMs }),
      waitUntil: (promise) => caller.executionCtx.waitUntil(promise),
    });
  }

  /** The one page of the deployment. Null when there is none or several, and when a database does not answer. */
  async onlyPage(databases: Databases, caller: Caller): Promise<PublicPage | null> {
    try {
      const [only = null, ...others] = await this.list(databases, caller, WAITS_MS);
      return others.length === 0 ? only : null;
    } catch (error) {
      if (!isDatabaseOutage(error)) logWarning("the start page could not look for public pages", error);
      return null;
    }
  }
}
