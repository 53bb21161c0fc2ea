/** `npm run simulate`: random histories of the whole application, judged by oracles. `--help` says how. */
import { parseArgs } from "node:util";
import { loadApplication } from "./application.ts";
import { generate, isProfile, PROFILES, type Profile } from "./generate.ts";
import type { Oracle } from "./history.ts";
import { reportIncidents } from "./incident-report.ts";
import { ORACLES } from "./oracles/index.ts";
import { type Broken, judge, shrink } from "./referee.ts";
import { SCENARIOS } from "./scenarios.ts";
import { keepSeed } from "./seeds.ts";
import { toTrace } from "./trace.ts";

const HELP = `npm run simulate -- [options]

  --histories N   how many (default 100)
  --minutes N     or for how long
  --seed N        that one history, with its trace when it breaks a promise; with --histories, the first seed
  --profile P     ${PROFILES.join(", ")} or all (default all)
  --only NAME     judge by this oracle alone
  --scenario S    a table of a situation: ${Object.keys(SCENARIOS).join(", ")}
  --incidents     what users see of failures of D1 that were reported: writes docs/incidents.md
  --trace         print the trace of every history
  --keep          add the shortest plan of each promise that breaks to seeds.json, as known
  --keep-going    do not shrink: only list what was found`;

const PROGRESS_MS = 5_000;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    seed: { type: "string" },
    histories: { type: "string" },
    minutes: { type: "string" },
    profile: { type: "string", default: "all" },
    only: { type: "string" },
    scenario: { type: "string" },
    incidents: { type: "boolean", default: false },
    trace: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    "keep-going": { type: "boolean", default: false },
  },
});

const toNumber = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new Error(`--${name} takes a number, not ${text}`);
};

async function simulate(): Promise<void> {
  if (values.help) {
    console.log(HELP);
    return;
  }
  if (values.incidents) {
    await reportIncidents();
    return;
  }
  if (values.scenario !== undefined) {
    const scenario = SCENARIOS[values.scenario];
    if (scenario === undefined) throw new Error(`no scenario ${values.scenario}: ${Object.keys(SCENARIOS).join(", ")}`);
    console.table(await scenario(await loadApplication()));
    return;
  }
  if (values.profile !== "all" && !isProfile(values.profile))
    throw new Error(`no profile ${values.profile}: ${PROFILES.join(", ")}, all`);
  const profiles: readonly Profile[] = values.profile === "all" ? PROFILES : [values.profile];
  const seed = toNumber("seed", values.seed);
  const minutes = toNumber("minutes", values.minutes);
  const first = seed ?? 1;
  const histories =
    toNumber("histories", values.histories) ??
    (minutes !== undefined ? Number.POSITIVE_INFINITY : seed !== undefined ? 1 : 100);
  const application = await loadApplication();
  const oracles = ORACLES.filter(({ name }) => values.only === undefined || name === values.only);
  const begun = performance.now();
  const found = new Map<string, { readonly promise: string; readonly seeds: string[] }>();
  let [played, requests, told] = [0, 0, begun];
  const seconds = () => (performance.now() - begun) / 1_000;
  for (let index = 0; index < histories && (minutes === undefined || seconds() < minutes * 60); index++) {
    for (const profile of profiles) {
      const plan = generate(first + index, profile);
      const { history, broken } = await judge(plan, application, oracles);
      played += 1;
      for (const { kind } of history.events) if (kind === "sent") requests += 1;
      if (values.trace) console.log(toTrace(history).join("\n"));
      for (const { oracle, violation } of broken.filter(
        (each, at) => broken.findIndex(({ oracle: other }) => other === each.oracle) === at,
      )) {
        const known = found.get(oracle);
        if (known === undefined) {
          found.set(oracle, { promise: violation.promise, seeds: [`${profile} ${plan.seed}`] });
          await tell({ oracle, violation }, profile, plan.seed);
        } else known.seeds.push(`${profile} ${plan.seed}`);
      }
      if (performance.now() - told < PROGRESS_MS) continue;
      told = performance.now();
      console.error(
        `${played} histories, ${requests} requests, ${(played / seconds()).toFixed(1)} a second, ${found.size} promises broken`,
      );
    }
  }
  console.log(
    `\n${played} histories, ${requests} requests in ${seconds().toFixed(1)} s, ${(played / seconds()).toFixed(1)} a second`,
  );
  for (const [oracle, { promise, seeds }] of found) {
    console.log(`${oracle}: ${seeds.length} histories (${seeds.slice(0, 12).join(", ")})\n  ${promise}`);
  }
  if (found.size > 0) process.exitCode = 1;

  async function tell({ oracle, violation }: Broken, profile: Profile, of: number): Promise<void> {
    console.log(
      `\n${oracle}, seed ${of}, profile ${profile}\n  promise: ${violation.promise}\n  found: at ${Math.round(violation.at)} ms, ${violation.found}`,
    );
    const judgeBy = oracles.find(({ name }) => name === oracle);
    if (values["keep-going"] || judgeBy === undefined) return;
    await tellShortest(judgeBy, profile, of);
  }

  async function tellShortest(oracle: Oracle, profile: Profile, of: number): Promise<void> {
    const plan = await shrink(generate(of, profile), application, oracle);
    const { history, broken } = await judge(plan, application, [oracle]);
    if (values.keep) keepSeed({ oracle: oracle.name, found: broken[0]?.violation.found ?? "", known: true, plan });
    console.log(`  shortest: ${plan.commands.length} commands; ${broken[0]?.violation.found}`);
    for (const command of plan.commands) console.log(`    ${JSON.stringify(command)}`);
    console.log(toTrace(history).slice(-200).join("\n"));
  }
}

await simulate();
