/**
 * `npm run test:crash`: kills the development server (SIGKILL) at random moments under mixed load, 20 times unless `--crashes` says
 * otherwise, and restarts it on the same data. Each time: every acknowledged write is there exactly once, retries do not duplicate,
 * counters agree with rows, the changelog equals the reference, what was revoked stays so, a limit is exceeded by no more than promised,
 * and webhooks deliver each change in order: no place passes what was not answered 2xx.
 */
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { optionsOf } from "../../src/commands/command-line/main.ts";
import { freePort, makeCheckout, startDev } from "../support/node/checkout.ts";
import { Random } from "../support/random.ts";
import { deliverAll, faultsOfDeliveries, passAnHour, placeOf, runJobs } from "./deliveries.ts";
import { Journal } from "./journal.ts";
import { Load, type Pick } from "./load.ts";
import { Receiver } from "./receivers.ts";
import { createScene, send } from "./scene.ts";
import { checkRevocations, excessOf, retryCreations, settleVotes } from "./settle.ts";
import { faultsOfDatabase, openDatabase, referenceChangelog } from "./stored.ts";

const PANELISTS = 6;
/** A kill comes this long after the load began, in milliseconds. */
const KILLED_AFTER = { min: 500, span: 4_000 };

const values = await optionsOf({
  name: "test:crash",
  summary: ["Kills the development server at random moments under load, and checks that nothing was lost."],
  options: {
    crashes: { type: "string", value: "<number>", help: "How many times. Default 20." },
    seed: { type: "string", value: "<number>", help: "Repeats a run: it prints its seed." },
  },
});
const crashes = Number(values.crashes ?? 20);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const random = new Random(seed);
const pick: Pick = (below) => random.below(below);
console.log(`${crashes} crashes, seed ${seed}`);

const checkout = await makeCheckout();
const stateFolder = join(checkout.folder, ".wrangler/state");
const port = await freePort();
const url = `http://localhost:${port}`;
const start = () => startDev(checkout.folder, "--port", String(port));
const journal = new Journal();
const faults: string[] = [];
const totals = { done: 0, notDone: 0, replayed: 0 };
const receivers = [new Receiver(), new Receiver(pick)];
let server = await start();
try {
  for (const receiver of receivers) await receiver.subscribe(url);
  const made = openDatabase(stateFolder);
  const places = receivers.map((receiver) => placeOf(made, receiver));
  made.close();
  const faultsOfWebhooks = (database: DatabaseSync) =>
    receivers.flatMap((receiver, index) => faultsOfDeliveries(database, receiver, places[index] ?? 0));
  const scene = await createScene(url, PANELISTS);
  for (let crash = 1; crash <= crashes; crash++) {
    const load = new Load({ url, scene, journal, pick });
    const killed = new Promise<void>((resolve) => setTimeout(resolve, KILLED_AFTER.min + pick(KILLED_AFTER.span)));
    for (const receiver of receivers) receiver.isQuiet = false;
    const running = Promise.all([load.run(() => false), runJobs(url)]);
    await killed;
    await server.kill();
    journal.crashes.push(performance.now());
    await running;
    for (const receiver of receivers) receiver.isQuiet = true;
    const acknowledged = journal.acknowledged;

    const found: string[] = [];
    const database = openDatabase(stateFolder);
    found.push(...faultsOfDatabase(database, journal), ...faultsOfWebhooks(database));
    passAnHour(database);
    database.close();

    server = await start();
    const { faults: retried, ...counts } = await retryCreations(url, journal);
    found.push(...retried, ...(await settleVotes(url, scene, journal)), ...(await checkRevocations(url, journal)));
    found.push(...(await deliverAll(url)));
    for (const name of ["done", "notDone", "replayed"] as const) totals[name] += counts[name];

    const Authorization = scene.panelists[0]?.token ?? "";
    const settled = openDatabase(stateFolder);
    found.push(...faultsOfDatabase(settled, journal), ...faultsOfWebhooks(settled));
    const expected = await referenceChangelog(settled, scene.ideaBankId);
    settled.close();
    const { text } = await send(`${url}/public/ideabank/changelog`, { headers: { Authorization } });
    if (text !== expected) found.push("the changelog is not the reference");
    found.push(...excessOf(journal.admissions, journal.crashes).faults);
    // What the receivers have seen is judged again each time.
    const more = [...new Set(found)].filter((fault) => !faults.includes(fault));
    faults.push(...more);
    console.log(`crash ${crash}: ${acknowledged} writes acknowledged so far, ${more.length} faults`);
    for (const fault of more) console.log(`  ${fault}`);
  }
} finally {
  for (const receiver of receivers) receiver.stop();
  await server.stop();
  await checkout.remove();
}

const { excess } = excessOf(journal.admissions, journal.crashes);
const deliveries = receivers.flatMap(({ received }) => received);
const changes = new Set(deliveries.map(({ id }) => id)).size;
const answers = [...journal.statuses].toSorted(([left], [right]) => left - right);
console.log(`
acknowledged writes      ${journal.acknowledged}
requests without answer  ${journal.lost}
  sent again: had been done ${totals.done}, had not ${totals.notDone}
acknowledged, sent again ${totals.replayed}
changes to two webhooks  ${changes}
  attempts               ${deliveries.length}, of them answered 2xx ${deliveries.filter(({ taken }) => taken).length}
most beyond the limit    ${Math.max(0, excess)}
answers by status        ${answers.map(([status, count]) => `${status}: ${count}`).join(", ")}
unexpected answers       ${journal.unexpected.length}
faults                   ${faults.length}`);
for (const line of [...new Set(journal.unexpected)].slice(0, 10)) console.log(`  ${line}`);
process.exitCode = faults.length === 0 && journal.unexpected.length === 0 ? 0 : 1;
