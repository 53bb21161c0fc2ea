/** Plays random histories of the whole application, and judges them by oracles. */
import { Failure } from "../../src/commands/command-line/failure.ts";
import { loadApplication } from "./application.ts";
import { generate, isProfile, PROFILES, type Profile } from "./generate.ts";
import type { Oracle } from "./history.ts";
import { reportIncidents } from "./incident-report.ts";
import { ORACLES } from "./oracles/index.ts";
import { type Broken, judge, shrink } from "./referee.ts";
import { SCENARIOS } from "./scenarios.ts";
import { keepSeed } from "./seeds.ts";
import { toTrace } from "./trace.ts";

/** What `npm run simulate` was told. */
export type Told = {
  readonly seed?: string | undefined;
  readonly histories?: string | undefined;
  readonly minutes?: string | undefined;
  readonly profile?: string | undefined;
  readonly only?: string | undefined;
  readonly scenario?: string | undefined;
  readonly incidents?: boolean | undefined;
  readonly trace?: boolean | undefined;
  readonly keep?: boolean | undefined;
  readonly list?: boolean | undefined;
};

const PROGRESS_MS = 5_000;

function toSeed(text: string | undefined): number | undefined {
  if (text === undefined || /^\d{1,15}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new Failure(`--seed ${text}: a whole number, such as 7.`);
}

function toNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined || Number(text) > 0) return text === undefined ? undefined : Number(text);
  throw new Failure(`--${name} ${text}: a number above 0, such as 7.`);
}

const unknown = (noun: string, name: string, names: readonly string[]) =>
  new Failure(`There is no ${noun} ${name}. Name one of ${names.join(", ")}.`);

/** Throws a Failure when a promise is broken, and for what it cannot do. */
export async function runHistories(values: Told): Promise<void> {
  if (values.incidents) {
    await reportIncidents();
    return;
  }
  if (values.scenario !== undefined) {
    const scenario = SCENARIOS[values.scenario];
    if (scenario === undefined) throw unknown("scenario", values.scenario, Object.keys(SCENARIOS));
    console.table(await scenario(await loadApplication()));
    return;
  }
  const { profile = "all" } = values;
  if (profile !== "all" && !isProfile(profile)) throw unknown("profile", profile, [...PROFILES, "all"]);
  const profiles: readonly Profile[] = profile === "all" ? PROFILES : [profile];
  const seed = toSeed(values.seed);
  const minutes = toNumber("minutes", values.minutes);
  const first = seed ?? 1;
  const histories =
    toNumber("histories", values.histories) ??
    (minutes !== undefined ? Number.POSITIVE_INFINITY : seed !== undefined ? 1 : 100);
  const oracles = ORACLES.filter(({ name }) => values.only === undefined || name === values.only);
  if (values.only !== undefined && oracles.length === 0)
    throw unknown(
      "oracle",
      values.only,
      ORACLES.map(({ name }) => name),
    );
  const application = await loadApplication();
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
  if (found.size > 0) throw new Failure(`Broken promises: ${found.size}.`);

  async function tell({ oracle, violation }: Broken, profile: Profile, of: number): Promise<void> {
    console.log(
      `\n${oracle}, seed ${of}, profile ${profile}\n  promise: ${violation.promise}\n  found: at ${Math.round(violation.at)} ms, ${violation.found}`,
    );
    const judgeBy = oracles.find(({ name }) => name === oracle);
    if (values.list || judgeBy === undefined) return;
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
