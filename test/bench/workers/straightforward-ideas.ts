/**
 * A peer: proposals and votes as one would first write them. Every read counts the rows of votes and comments; the list counts
 * those of every proposal, since it is sorted by them. One round trip to D1, the same tokens and the same rate limit as ours;
 * but nothing is approved, merged, hidden or closed in parts.
 */
import { type Context, Hono } from "hono";
import { type CompoundToken, isExpired, verifyToken } from "../../../src/worker/credentials/compound-token.ts";
import { importSigningKeys, type SigningKeys } from "../../../src/worker/credentials/envelope.ts";

type Bindings = { DB: D1Database; CREDENTIAL_SECRETS: string; PANELIST_READS: RateLimit; PANELIST_WRITES: RateLimit };
type App = { Bindings: Bindings; Variables: { token: CompoundToken } };
type Row = Record<"id" | "title" | "description" | "status", string> &
  Record<"votes" | "comments" | "voted" | "created_at" | "last_activity_at", number>;

let signingKeys: SigningKeys | undefined;

const app = new Hono<App>();

app.use(async (c, next) => {
  signingKeys ??= await importSigningKeys([c.env.CREDENTIAL_SECRETS]);
  const token = await verifyToken(c.req.header("Authorization"), signingKeys);
  if (!token.ok || isExpired(token.value, Date.now() / 1000)) return c.json({ error: "unauthorized" }, 401);
  const limiter = c.req.method === "GET" ? c.env.PANELIST_READS : c.env.PANELIST_WRITES;
  const { success } = await limiter.limit({ key: token.value.panelistId ?? "" });
  if (!success) return c.json({ error: "too-many-requests" }, 429);
  c.set("token", token.value);
  return next();
});

const SELECT = `SELECT p.id, p.title, p.description, p.status, p.created_at, p.last_activity_at,
  (SELECT count(*) FROM ballots v WHERE v.proposal_id = p.id) AS votes,
  (SELECT count(*) FROM comments c WHERE c.proposal_id = p.id) AS comments,
  EXISTS (SELECT 1 FROM ballots v WHERE v.proposal_id = p.id AND v.panelist_id = ?2) AS voted
  FROM proposals p WHERE p.idea_bank_id = ?1`;

const toProposal = ({ voted, created_at, last_activity_at, ...row }: Row) => ({
  ...row,
  voted: voted === 1,
  createdAt: new Date(created_at).toISOString(),
  lastActivityAt: new Date(last_activity_at).toISOString(),
});

/** The results of the statements, with the check of access in the same round trip; undefined when there is none. */
async function query(c: Context<App>, ...statements: [sql: string, ...values: unknown[]][]) {
  const { ideaBankId, panelistId } = c.get("token");
  const access = c.env.DB.prepare(
    `SELECT 1 FROM idea_banks b JOIN accounts a ON a.id = b.account_id JOIN panelists p ON p.account_id = a.id
     WHERE b.id = ?1 AND p.id = ?2 AND p.active = 1 AND b.status = 'OPEN' AND a.status = 'active'`,
  );
  const [allowed, ...results] = await c.env.DB.batch([
    access.bind(ideaBankId, panelistId),
    ...statements.map(([sql, ...values]) => c.env.DB.prepare(sql).bind(ideaBankId, panelistId, ...values)),
  ]);
  return allowed?.results.length === 1 ? results.map(({ results: rows }) => rows as Row[]) : undefined;
}

app.get("/proposals", async (c) => {
  const [rows] = (await query(c, [`${SELECT} ORDER BY votes DESC, p.id DESC LIMIT 20`])) ?? [];
  return rows === undefined ? c.json({ error: "idea-bank-not-found" }, 404) : c.json({ items: rows.map(toProposal) });
});

app.get("/proposals/:id", async (c) => {
  const [rows] = (await query(c, [`${SELECT} AND p.id = ?3`, c.req.param("id")])) ?? [];
  const [row] = rows ?? [];
  return row === undefined ? c.json({ error: "proposal-not-found" }, 404) : c.json(toProposal(row));
});

app.put("/proposals/:id/vote", async (c) => {
  const id = c.req.param("id");
  const [, rows] =
    (await query(
      c,
      [
        `INSERT INTO ballots (proposal_id, panelist_id)
         SELECT ?3, ?2 WHERE EXISTS (SELECT 1 FROM proposals WHERE id = ?3 AND idea_bank_id = ?1) ON CONFLICT DO NOTHING`,
        id,
      ],
      [`${SELECT} AND p.id = ?3`, id],
    )) ?? [];
  const [row] = rows ?? [];
  if (row === undefined) return c.json({ error: "proposal-not-found" }, 404);
  return c.json({ voted: row.voted === 1, votes: row.votes });
});

export default app;
