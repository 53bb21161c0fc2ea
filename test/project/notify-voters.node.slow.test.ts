/** docs/examples/notify-voters: a Worker that tells voters, between an API, a mail service and webhooks of which much gets lost. */
import { readFile } from "node:fs/promises";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import type { Letter } from "../../docs/examples/notify-voters/send-email.ts";
import { buildWorker } from "../../src/commands/development/build-worker.ts";
import { bundleWorker } from "../support/node/bundle-worker.ts";
import { makeState, runVersions } from "../support/node/two-versions.ts";

const EXAMPLE = "docs/examples/notify-voters";
const VOTERS = 2_000;
const WEBHOOK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
type Configuration = { compatibility_date: string; vars: Record<string, string> };

let state: Awaited<ReturnType<typeof makeState>>;
let runtime: Awaited<ReturnType<typeof runVersions>>;
let key = "";
const letters: Letter[] = [];
/** What the mail service does with each request, in turn: takes it, refuses it, or takes it and loses its answer. */
let reactions: readonly ("takes" | "refuses" | "loses")[] = ["takes"];
let requests = 0;

async function mail(request: { json(): Promise<unknown> }): Promise<Response> {
  const reaction = reactions[requests++ % reactions.length];
  if (reaction === "refuses") return new Response("Busy.", { status: 503 });
  letters.push((await request.json()) as Letter);
  if (reaction === "loses") throw new Error("the line is gone");
  return new Response("Taken.");
}

beforeAll(async () => {
  state = await makeState();
  const worker = await buildWorker();
  const { compatibility_date, vars }: Configuration = unstable_readConfig({ config: `${EXAMPLE}/wrangler.toml` });
  const { API_URL = "", MAIL_URL = "" } = vars;
  runtime = await runVersions({ front: worker, gates: worker }, state.folder, [
    {
      name: "notify",
      compatibilityDate: compatibility_date,
      modules: true,
      script: await bundleWorker(await readFile(`${EXAMPLE}/index.ts`, "utf8"), EXAMPLE),
      bindings: { API_URL, MAIL_URL, WEBHOOK_SECRET, UNSUBSCRIBE_SECRET: "what-signs-links", API_KEY: "" },
      d1Databases: { DB: "notify" },
      queueProducers: { QUEUE: "notify" },
      queueConsumers: { notify: { maxBatchSize: 1, maxBatchTimeout: 0, maxRetries: 100, retryDelay: 0 } },
      outboundService: async (request: Request) => {
        if (request.url === MAIL_URL) return mail(request);
        const { pathname, search } = new URL(request.url);
        return fetch(runtime.origin + pathname + search, { headers: { "X-API-Key": key } });
      },
    },
  ]);
  const told = await runtime.databaseOf("DB", "notify");
  for (const line of (await readFile(`${EXAMPLE}/schema.sql`, "utf8")).trim().split("\n")) await told.exec(line);
  ({ key } = await runtime.create({ name: "Notify" }));
});
afterAll(async () => {
  await runtime?.stop();
  await state?.remove();
});

const send = async (path: string, init: object = {}) => {
  const notify = await runtime.workerOf("notify");
  return notify.fetch(`https://notify.example${path}`, init);
};

/** A delivery of the webhook, of which the sender may come to know nothing. */
function deliver(change: object, secret = WEBHOOK_SECRET) {
  const [id, at, body] = ["msg_1", new Date(), JSON.stringify(change)];
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign(id, at, body),
  };
  return send("/webhook", { method: "POST", headers, body });
}

/** An idea with so many voters, and the change that says that it is done. */
async function createIdea(title: string, voters: number) {
  const asTenant = { "X-API-Key": key };
  const { json: bank } = await runtime.send("POST", "/tenant/ideabanks", asTenant, { name: title, status: "OPEN" });
  const path = `/tenant/ideabanks/${bank.id}/proposals`;
  const { json: proposal } = await runtime.send("POST", path, asTenant, { title, status: "implemented" });
  const prefix = `0${bank.id.slice(1, 7)}`;
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${voters})`;
  const account = `(SELECT account_id FROM proposals WHERE id = '${proposal.id}')`;
  const person = `'${prefix}' || printf('%05d', i)`;
  await runtime.database.exec(
    `INSERT INTO panelists (id, account_id, external_id, created_at) ${numbers} SELECT ${person}, ${account}, '${prefix}-' || i, 1 FROM n`,
  );
  await runtime.database.exec(
    `INSERT INTO votes (proposal_id, panelist_id, account_id, idea_bank_id, created_at) ${numbers} SELECT '${proposal.id}', ${person}, ${account}, '${bank.id}', 1 FROM n`,
  );
  const ids = { ideaBankId: bank.id, proposalId: proposal.id };
  return { prefix, change: { type: "proposal.status-changed", ...ids, proposal: { ...proposal, title } } };
}

it(`tells ${VOTERS} voters, each once, whatever is lost and comes again`, async () => {
  reactions = ["takes", "refuses", "takes", "loses", "takes", "takes", "takes"];
  const { prefix, change } = await createIdea("Night buses", VOTERS);
  const answers = await Promise.all([1, 2].map(() => deliver(change)));
  expect(answers.map(({ status }) => status)).toEqual([204, 204]);
  await expect.poll(() => letters.length, { timeout: 500_000 }).toBe(VOTERS);
  expect((await deliver(change)).status).toBe(204);
  // Behind the third delivery in the queue.
  const after = await createIdea("Bike racks", 1);
  await deliver(after.change);
  await expect
    .poll(() => letters.some(({ subject }) => subject === "Done: Bike racks"), { timeout: 100_000 })
    .toBe(true);

  const told = letters.filter(({ subject }) => subject === "Done: Night buses").map(({ externalId }) => externalId);
  expect(told).toHaveLength(VOTERS);
  expect(new Set(told)).toEqual(new Set(Array.from({ length: VOTERS }, (_, index) => `${prefix}-${index + 1}`)));
});

it("tells nobody who has unsubscribed, by the button and not by opening the link", async () => {
  reactions = ["takes"];
  const { prefix, change } = await createIdea("Quiet cars", 2);
  await deliver(change);
  const lettersOf = (subject: string) => letters.filter((letter) => letter.subject === subject);
  await expect.poll(() => lettersOf("Done: Quiet cars").length).toBe(2);
  const [first] = lettersOf("Done: Quiet cars").filter(({ externalId }) => externalId === `${prefix}-1`);
  const { pathname, search } = new URL(first?.unsubscribeUrl ?? "");
  expect(first?.text).toContain(first?.unsubscribeUrl);
  const ask = async (path: string, method: string) => (await send(path, { method })).status;
  expect(await ask(`${pathname}${search}`, "GET")).toBe(200);
  // Longer, another one of the same length, and one with as many characters that has more bytes.
  for (const forged of [`${search}0`, search.replace(/.$/, "g"), search.replace(/.$/, "%C3%A9")])
    expect(await ask(`${pathname}${forged}`, "POST")).toBe(404);
  const notified = await runtime.databaseOf("DB", "notify");
  expect(await notified.prepare("SELECT count(*) AS n FROM unsubscribed").first("n")).toBe(0);
  expect(await ask(`${pathname}${search}`, "POST")).toBe(200);
  expect(await notified.prepare("SELECT panelist_id FROM unsubscribed").first("panelist_id")).toBe(`${prefix}00001`);

  // The same people vote for another idea.
  const other = await createIdea("More seats", 1);
  await runtime.database.exec(
    `UPDATE votes SET panelist_id = '${prefix}00001' WHERE proposal_id = '${other.change.proposalId}'`,
  );
  await runtime.database.exec(
    `INSERT INTO votes SELECT proposal_id, '${prefix}00002', account_id, idea_bank_id, 1 FROM votes WHERE proposal_id = '${other.change.proposalId}'`,
  );
  await deliver(other.change);
  await expect.poll(() => lettersOf("Done: More seats").map(({ externalId }) => externalId)).toEqual([`${prefix}-2`]);
});

it("takes no change that the API has not signed, and leaves others alone", async () => {
  reactions = ["takes"];
  const { change } = await createIdea("Forged", 1);
  expect((await deliver(change, "whsec_c2VjcmV0LXRoYXQtY29tZXMtYWZ0ZXItdGhpcw==")).status).toBe(401);
  const planned = { ...change, proposal: { ...change.proposal, status: "planned", title: "Planned" } };
  expect((await deliver(planned)).status).toBe(204);
  expect((await deliver({ ...change, type: "proposal.updated" })).status).toBe(204);
  const done = await createIdea("Last", 1);
  await deliver(done.change);
  await expect.poll(() => letters.some(({ subject }) => subject === "Done: Last")).toBe(true);
  expect(letters.filter(({ subject }) => /Forged|Planned/.test(subject))).toEqual([]);
  expect((await send("/")).status).toBe(404);
});
