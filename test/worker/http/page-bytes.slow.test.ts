/** A page of any list ends at about 1 MiB, in the answer and in what D1 sends, however large its items are. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { bindingOf, databaseOf } from "../../support/databases.ts";
import { meterDatabase } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { withoutLimits } from "../../support/limits.ts";
import { fillPath, operationsOf } from "../../support/operations.ts";
import { sendWith } from "../../support/panel.ts";
import { addOneOfEverything, createTenant } from "../../support/tenant.ts";
import { tokenFor } from "../../support/world.ts";

const MIB = 2 ** 20;
const ROWS = 45;
/** The longest text, of characters of four bytes: 40 KB. */
const LONGEST = "\u{1f600}".repeat(10_000);
const NAME = "\u{1f600}".repeat(100);

/** Adds 45 rows that are as large as they can be to every list of the account. */
async function fill(ids: Awaited<ReturnType<typeof addOneOfEverything>>): Promise<void> {
  const { accountId, ideaBankId, proposalId, panelistId } = ids;
  const insert = (sql: string, ...values: string[]) =>
    databaseOf(accountId)
      .prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS}) ${sql} FROM n`)
      .bind(accountId, ...values);
  const id = "'large' || printf('%07d', i)";
  await databaseOf(accountId).batch([
    insert(
      `INSERT INTO surveys (id, account_id, title, description, status, created_at, updated_at) SELECT ${id}, ?1, ?2, ?3, 'OPEN', i, 1`,
      NAME + NAME,
      LONGEST,
    ),
    insert(`INSERT INTO idea_banks (id, account_id, name, created_at) SELECT ${id}, ?1, ?2, i`, NAME),
    insert(
      `INSERT INTO panelists (id, account_id, external_id, display_name, created_at) SELECT ${id}, ?1, i || ?2, ?2, i`,
      NAME,
    ),
    insert(
      `INSERT INTO proposals (id, account_id, idea_bank_id, author_id, title, description, response, responded_at, status, created_at,
         last_activity_at)
       SELECT ${id}, ?1, ?2, ?3, ?4, ?5, ?5, 1, 'planned', i, i`,
      ideaBankId,
      panelistId,
      NAME + NAME,
      LONGEST,
    ),
    insert(
      `INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at, by_tenant)
       SELECT ${id}, ?1, ?5, ?2, ?3, ?4, i, 0`,
      proposalId,
      panelistId,
      LONGEST,
      ideaBankId,
    ),
  ]);
}

const lists = [...operationsOf("apiKey"), ...operationsOf("compoundToken")]
  // The feed of changes is no list of rows: tenant/changes.test.ts. A search shows the best: panelist/finding.test.ts. Responses have no
  // identifier: tenant/survey-results.slow.test.ts.
  .filter(
    ({ operation, name }) =>
      operation.query !== undefined &&
      !/^list(Changes|SimilarProposals|Votes|VotesOfPanelist|SurveyResponses|ResponsesOfPanelist|SurveyTexts)$/.test(
        name,
      ),
  )
  .flatMap((each) => {
    const filters: Record<string, string[]> = {
      listProposals: ["status=planned", "visibility=public", "status=planned&visibility=public"],
      listPanelistProposals: ["sort=top", "sort=active&status=planned", "mine=submitted"],
    };
    return ["", ...(filters[each.name] ?? [])].map((filter) => ({ ...each, filter }));
  });

describe.each(lists)("$name $filter", ({ path: template, operation, name, filter }) => {
  it("ends a page at 1 MiB, skips nothing, and is never empty", async () => {
    const ids = await addOneOfEverything();
    await fill(ids);
    const { accountId, ideaBankId, panelistId } = ids;
    if (name === "listChangelogEntries")
      await databaseOf(accountId).prepare("UPDATE proposals SET status = 'implemented' WHERE id GLOB 'large*'").run();
    let fromDatabase = 0;
    const database = meterDatabase(databaseOf(accountId), (results) => {
      fromDatabase += new TextEncoder().encode(JSON.stringify(results)).length;
    });
    const isolate = createIsolate(withoutLimits({ ...env, [bindingOf(accountId)]: database }));
    const send =
      operation.credential.kind === "apiKey"
        ? (await createTenant({ accountId }, isolate)).send
        : sendWith(isolate, await tokenFor(ideaBankId, panelistId));

    const found: { id: string; title?: string }[] = [];
    let cursor: string | undefined;
    do {
      fromDatabase = 0;
      const query = `${filter}${cursor === undefined ? "" : `&cursor=${cursor}`}`;
      const text = await (await send("GET", `${fillPath(template, ids)}?limit=100&${query}`)).text();
      const page: { items: typeof found; nextCursor?: string } = JSON.parse(text);
      expect(page.items.length).toBeGreaterThan(0);
      expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(MIB);
      expect(fromDatabase).toBeLessThanOrEqual(1.1 * MIB);
      found.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    // An entry of the changelog has an identifier of its own.
    const large = found.filter(({ id, title }) => id.startsWith("large") || title === NAME + NAME).map(({ id }) => id);
    expect(new Set(large).size).toBe(ROWS);
    expect(large).toHaveLength(ROWS);
  });
});
