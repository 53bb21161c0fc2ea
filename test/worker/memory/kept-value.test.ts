/** The last value through an outage: every promise of `kept-value.ts`, over histories of a store, in virtual time. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeptValue } from "../../../src/worker/memory/kept-value.ts";
import { Defect, freezeTime, pass, type Read, ScriptedStore, WAYS } from "../../support/scripted-store.ts";

const OUTAGE_MS = 300_000;

/** The two users, as they use it. */
const USERS = {
  gate: { freshMs: 60_000, pauseMs: 5_000, joins: {}, ahead: false, change: "forget" },
  snapshot: { freshMs: 1_000, pauseMs: 1_000, joins: { joinMs: 1_000 }, ahead: true, change: "expire" },
} as const;
type User = (typeof USERS)[keyof typeof USERS];

/** What may happen: a request; time; the store's way; a change, with the call that follows it or without; the clock. */
type Event =
  | { readonly kind: "request" | "change" | "foreign change" }
  | { readonly kind: "time" | "clock"; readonly by: number }
  | { readonly kind: "way"; readonly way: Read["way"] };

const event = ({ freshMs }: User): fc.Arbitrary<Event> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant({ kind: "request" } as const) },
    { weight: 5, arbitrary: fc.constantFrom(1, 300, 2_000, freshMs / 2, freshMs, 10_000).map(time) },
    { weight: 1, arbitrary: fc.constantFrom(OUTAGE_MS - 1, OUTAGE_MS).map(time) },
    { weight: 3, arbitrary: fc.constantFrom(...WAYS).map((way) => ({ kind: "way", way }) as const) },
    { weight: 1, arbitrary: fc.constantFrom("change", "foreign change").map((kind) => ({ kind }) as const) },
    { weight: 1, arbitrary: fc.constantFrom(-3_600_000, -50, 3_600_000).map((by) => ({ kind: "clock", by }) as const) },
  );
const time = (by: number) => ({ kind: "time", by }) as const;

/** A request of a history, and how it ended. `order` and `last` are when, among all events; `kept` is what could serve then. */
type Request = {
  readonly began: number;
  readonly wall: number;
  readonly order: number;
  readonly keptBefore: number | undefined;
  ended?: number;
  last?: number;
  keptAfter?: number | undefined;
  wallAfter?: number;
  answer?: Read;
  error?: unknown;
};

const isBad = ({ way }: Read) => way !== "ok" && way !== "slow" && way !== "defect";

/** Plays a history and lets every request end. */
async function play(user: User, events: readonly Event[]) {
  freezeTime();
  const store = new ScriptedStore();
  const value = new KeptValue<Read>({ now: store.now, isOutage: ScriptedStore.isOutage, joins: true, ...user.joins });
  const requests: Request[] = [];
  const changes: number[] = [];
  const steps: number[] = [];
  const request = () => {
    const [began, wall, order] = [store.real(), store.now(), store.next()];
    const asked: Request = { began, wall, order, keptBefore: value.kept?.readAt };
    requests.push(asked);
    const end = (outcome: Pick<Request, "answer" | "error">) =>
      Object.assign(asked, outcome, {
        ended: store.real(),
        wallAfter: store.now(),
        last: store.next(),
        keptAfter: value.kept?.readAt,
      });
    const refresh = user.ahead ? [(promise: Promise<void>) => void promise.catch(() => {})] : [];
    value.read(store.load, user.freshMs, ...refresh).then(
      (answer) => end({ answer }),
      (error: unknown) => end({ error }),
    );
    return asked;
  };
  for (const step of events) {
    if (step.kind === "request") request();
    else if (step.kind === "time") await pass(step.by);
    else if (step.kind === "way") store.way = step.way;
    else if (step.kind === "clock") {
      store.skew += step.by;
      steps.push(store.next());
    } else {
      store.version += 1;
      if (step.kind === "foreign change") continue;
      value[user.change]();
      changes.push(store.next());
    }
    await pass(0);
  }
  await pass(60_000);
  return { store, requests, changes, steps, request };
}

type History = Awaited<ReturnType<typeof play>>;

const during = (events: readonly number[], { order, last = 0 }: Request) =>
  events.filter((event) => event > order && event < last);

const canServe = (readAt = Number.NaN, now = Number.NaN) => now >= readAt && now - readAt <= OUTAGE_MS;

/** The promises, for one request. */
function check(user: User, { store, changes, steps }: History, asked: Request) {
  const { answer, error, began, ended = Number.NaN, last = 0, wallAfter = Number.NaN } = asked;
  const changed = during(changes, asked).length;
  const fallback = canServe(asked.keptBefore, asked.wall);

  // It ends: within two seconds when something can serve, within ten otherwise. Forgetting makes it look again.
  expect(ended - began).toBeLessThanOrEqual(fallback && changed === 0 ? 2_000 : 10_000 * (1 + changed));

  // What is kept goes only when it is forgotten, and a request fails only when nothing that is kept can serve.
  if (asked.keptBefore !== undefined && (user.change === "expire" || changed === 0)) {
    expect(asked.keptAfter).toBeDefined();
    if (steps.length === 0) expect(asked.keptAfter).toBeGreaterThanOrEqual(asked.keptBefore);
  }
  if (error !== undefined) {
    if (!(error instanceof Defect)) expect(canServe(asked.keptAfter, wallAfter)).toBe(false);
    return;
  }
  if (answer === undefined) return expect.unreachable("a request ends with an answer or an error");

  // From memory: at most five minutes old, and never from ahead of the clock.
  const fromMemory = (answer.ended ?? 0) < began;
  if (fromMemory && during(steps, asked).length === 0) expect(canServe(answer.wall, wallAfter)).toBe(true);

  // What is older than a change never serves again, or in an outage only.
  const failures = store.reads.filter((read) => isBad(read) && read.order < last);
  const change = changes.findLast((order) => order < (user.change === "forget" ? last : asked.order)) ?? 0;
  if (user.change === "forget") expect(answer.order).toBeGreaterThan(change);
  else if (answer.order < change) expect(failures.some((read) => read.order > change)).toBe(true);

  // Past the freshness window, from memory in an outage only: a read has failed, or hangs, and at most one has begun since.
  const fresh = asked.wall >= answer.wall && asked.wall - answer.wall < user.freshMs;
  if (fromMemory && !fresh && steps.length === 0) {
    const lately = began - 3 * user.pauseMs;
    expect(
      failures.some((read) => Math.min(read.ended ?? Number.POSITIVE_INFINITY, read.began + 10_000) >= lately),
    ).toBe(true);
  }
}

describe.each(Object.entries(USERS))("as the %s uses it", (_, user) => {
  it("keeps its promises over every history", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event(user), { minLength: 5, maxLength: 40 }), async (events) => {
        const history = await play(user, events);
        const { store, requests, request } = history;
        for (const asked of requests) check(user, history, asked);

        // Answers never go back: a request that begins after another's answer is served the same version or a later one.
        const answered = requests.flatMap(({ answer, order, last = 0 }) => (answer ? [{ answer, order, last }] : []));
        for (const { answer, order } of answered) {
          const earlier = answered.filter(({ last }) => last < order).map((other) => other.answer.version);
          expect(answer.version).toBeGreaterThanOrEqual(Math.max(0, ...earlier));
        }

        // Repaired, it serves what the store has, at most a freshness window and a pause later.
        store.way = "ok";
        store.skew = Math.max(store.skew, 0);
        await pass(user.freshMs + user.pauseMs);
        const repaired = request();
        await pass(10);
        expect(repaired.answer?.version).toBe(store.version);
      }),
      { numRuns: 1_000 },
    );
  });
});
