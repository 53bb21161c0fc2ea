/**
 * 2,000 voters and a mail service that loses answers, refuses, limits and is slow, beside a database that fails: nobody gets a mail twice, and
 * nobody is forgotten but those who are listed. What the service has delivered is what the service says, not the product.
 */
import { expect, it } from "vitest";
import { interceptDatabases, meterDatabases } from "../../support/intercept-binding.ts";
import { runJob } from "../../support/job.ts";
import { addVoters, addVotes } from "../../support/many-rows.ts";
import { Random } from "../../support/random.ts";
import { createTold, MINUTE, refusal, telling, WINDOW } from "../../support/told.ts";

const VOTERS = 2_000;

async function votedScene(answer?: Parameters<typeof createTold>[0]) {
  const scene = await createTold(answer);
  const { bank } = scene.panel;
  const idea = await scene.panel.propose({ title: "Night buses" });
  await addVoters(bank, 1, VOTERS);
  await addVotes(bank, idea, 1, VOTERS);
  // Two people have one address.
  await scene.rows(
    "UPDATE panelists SET email = 'p' || rowid_of || '@example.com' FROM (SELECT id AS p_id, row_number() OVER (ORDER BY id) / 2 AS rowid_of FROM panelists) WHERE id = p_id AND account_id = ?1",
    bank.accountId,
  );
  const addresses = (
    await scene.rows("SELECT DISTINCT email FROM panelists WHERE id IN (SELECT panelist_id FROM votes)")
  ).map(({ email }) => String(email));
  return { ...scene, idea, addresses };
}

it.each([1, 2, 3])("seed %i: at most once, and nobody forgotten", async (seed) => {
  const random = new Random(seed);
  const delivered = new Map<string, number>();
  const suppressed = new Set<string>();
  const answer = async ({ to }: { to: string }) => {
    const draw = random.below(100);
    if (suppressed.has(to) || draw < 3) {
      suppressed.add(to);
      throw refusal("E_RECIPIENT_SUPPRESSED");
    }
    if (draw < 4) throw refusal("E_RATE_LIMIT_EXCEEDED");
    if (draw < 6) throw new Error("Network connection lost.");
    delivered.set(to, (delivered.get(to) ?? 0) + 1);
    if (draw < 8) throw new Error("Network connection lost.");
    if (draw < 9) throw refusal("E_INTERNAL_SERVER_ERROR");
  };
  const { idea, decide, addresses, rows } = await votedScene(answer);
  await decide(idea, { status: "planned" });
  let isFailing = false;
  // The database loses answers, before or after the statement has run.
  const failing = interceptDatabases({ ...telling, NOTICES_PER_MINUTE: "300" }, () => async (_, makeCall) => {
    if (!isFailing || random.below(100) >= 3) return makeCall();
    if (random.below(2)) await makeCall();
    throw new Error("D1_ERROR: Network connection lost.");
  });
  const start = Date.now() + WINDOW;
  for (let minute = 0; minute < 90; minute += 1) {
    isFailing = minute < 25;
    const at = () => start + minute * MINUTE;
    await Promise.allSettled([runJob(failing, at), ...(minute % 3 ? [] : [runJob(failing, at)])]);
  }
  const states = new Map(
    (await rows("SELECT email, state FROM recipients")).map(({ email, state }) => [String(email), String(state)]),
  );
  expect([...delivered.values()].filter((times) => times !== 1)).toEqual([]);
  const fate = (address: string) =>
    delivered.has(address)
      ? "delivered"
      : suppressed.has(address)
        ? "suppressed"
        : (states.get(address) ?? "forgotten");
  const forgotten = addresses.filter((address) => !["delivered", "suppressed", "unknown"].includes(fate(address)));
  expect(forgotten).toEqual([]);
  // What is listed as sent was delivered, and what was not is listed.
  expect(addresses.filter((address) => states.get(address) === "sent" && !delivered.has(address))).toEqual([]);
  expect(
    addresses.filter(
      (address) => !delivered.has(address) && !["unknown", "refused"].includes(states.get(address) ?? ""),
    ),
  ).toEqual([]);
});

it("costs at most 13 written rows for each who is told, and the decision one more than without", async () => {
  let written = 0;
  const count = (results: readonly D1Result[]) => {
    for (const { meta } of results) written += meta.rows_written;
  };
  const { idea, decide, addresses, mails } = await votedScene();
  await decide(idea, { status: "planned" });
  const metered = meterDatabases({ ...telling, NOTICES_PER_MINUTE: "300" }, count);
  for (let minute = 0; minute < 6; minute += 1) await runJob(metered, () => Date.now() + WINDOW + minute * MINUTE);
  expect(new Set(mails.map(({ to }) => to)).size).toBe(addresses.length);
  expect(mails).toHaveLength(addresses.length);
  console.info(`rows written for each of ${addresses.length} e-mails: ${(written / addresses.length).toFixed(2)}`);
  expect(written / addresses.length).toBeLessThan(13);
});

it("50,000 voters of one account do not delay the e-mail of another", async () => {
  const { idea, decide, to } = await votedScene();
  await decide(idea, { status: "planned" });
  const other = await createTold();
  const ana = await other.person("ana@neighbour.example");
  const second = await ana.submit("Dogs");
  await other.decide(second, { status: "planned" });
  const settings = { ...telling, NOTICES_PER_MINUTE: "60" };
  await runJob(settings, () => Date.now() + WINDOW);
  expect([...to(), ...other.to()]).toContain("ana@neighbour.example");
});
