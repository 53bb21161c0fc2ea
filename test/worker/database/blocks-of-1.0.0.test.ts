/** The step that lets blocks last, on a database of 1.0.0, whose job has deleted the row of a block, and may run again after a rollback. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

const files = import.meta.glob<string>("../../../migrations/*.sql", { query: "?raw", import: "default", eager: true });
const steps = Object.entries(files).toSorted(([left], [right]) => (left < right ? -1 : 1));
const DAY = 86_400_000;

/** The statement of the scheduled job of 1.0.0. */
const jobOf100 = (now: number) =>
  env.DB.prepare(
    `DELETE FROM token_revocations WHERE seq IN (SELECT seq FROM token_revocations WHERE seq > 0 ORDER BY seq LIMIT 500)
       AND max(recorded_at, revoked_at % 9007199254740991) < ?1`,
  )
    .bind(now - 91 * DAY)
    .run();

it("a block whose row was deleted has one again, and 1.0.0's job deletes none of them after a rollback", {
  tags: "slow",
}, async () => {
  await reset();
  const later = steps.findIndex(([path]) => path.endsWith("_blocks_last.sql"));
  for (const [, sql] of steps.slice(0, later)) await env.DB.prepare(sql).run();
  await env.DB.prepare("INSERT INTO accounts (id, owner_email, created_at) VALUES ('a', 'o@example.com', 1)").run();
  const run = (sql: string) => env.DB.prepare(sql).run();
  await run(
    "INSERT INTO panelists (id, account_id, created_at) VALUES ('lost', 'a', 1), ('kept', 'a', 1), ('active', 'a', 1), ('revoked', 'a', 1)",
  );
  await run("UPDATE panelists SET active = 0 WHERE id IN ('lost', 'kept')");
  await run("UPDATE panelists SET tokens_revoked_at = 1 WHERE id = 'revoked'");
  await run("DELETE FROM token_revocations WHERE panelist_id = 'lost'");
  const blocked = async () =>
    (
      await env.DB.prepare(
        "SELECT panelist_id FROM token_revocations WHERE revoked_at = 9007199254740991 ORDER BY 1",
      ).all()
    ).results.map(({ panelist_id }) => panelist_id);
  expect(await blocked()).toEqual(["kept"]);
  for (const [, sql] of steps.slice(later)) await env.DB.prepare(sql).run();
  expect(await blocked()).toEqual(["kept", "lost"]);
  await run("UPDATE panelists SET active = 0 WHERE id = 'active'");
  await jobOf100(Date.now() + 400 * DAY);
  expect(await blocked()).toEqual(["active", "kept", "lost"]);
  expect((await env.DB.prepare("SELECT count(*) AS n FROM token_revocations").first())?.n).toBe(3);
});
