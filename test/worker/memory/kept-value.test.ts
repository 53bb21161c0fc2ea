/** The last value that a store gave: every promise of `kept-value.ts`, over histories of a store, in virtual time. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeptValue } from "../../../src/worker/memory/kept-value.ts";
import { Defect, freezeTime, pass, type Read, ScriptedStore, WAYS } from "../../support/scripted-store.ts";

const OUTAGE_MS = 300_000;
const SECOND_MS = 1_000;
/** Who looks at memory every few milliseconds sees an answer so much later at most. */
const FEW_MS = 20;
const NEVER = Number.POSITIVE_INFINITY;

/** The two users, as they use it. */
const USERS = {
  gate: { freshMs: 60_000, renewMs: undefined, forgets: true },
  view: { freshMs: 5_000, renewMs: 1_000, forgets: false },
} as const;
type User = (typeof USERS)[keyof typeof USERS];

/** What may happen: a request; time; the store's way; a change, with the call that follows it or without; the clock. */
type Event =
  | { readonly kind: "request" | "change" | "foreign change" }
  | { readonly kind: "time" | "clock"; readonly by: number }
  | { readonly kind: "way"; readonly way: Read["way"] };

const event = ({ freshMs, forgets }: User): fc.Arbitrary<Event> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant({ kind: "request" } as const) },
    { weight: 6, arbitrary: fc.constantFrom(1, 300, 900, 2_000, freshMs / 2, freshMs, freshMs + 1).map(time) },
    { weight: 1, arbitrary: fc.constantFrom(OUTAGE_MS - 1, OUTAGE_MS).map(time) },
    { weight: 3, arbitrary: fc.constantFrom(...WAYS).map((way) => ({ kind: "way", way }) as const) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(forgets ? "change" : "foreign change", "foreign change")
        .map((kind) => ({ kind }) as const),
    },
    { weight: 1, arbitrary: fc.constantFrom(-3_600_000, -50, 3_600_000).map((by) => ({ kind: "clock", by }) as const) },
  );
const time = (by: number) => ({ kind: "time", by }) as const;

/** A request of a history, and how it ended. `order` and `last` are when, among all events; `kept` is what could serve then. */
type Request = {
  readonly began: number;
  readonly wall: number;
  readonly order: number;
  readonly keptBefore: number | undefined;
  ended: number;
  last: number;
  keptAfter?: number | undefined;
  wallAfter?: number;
  answer?: Read;
  error?: unknown;
};

/** Plays a history and lets every request end. */
async function play(user: User, events: readonly Event[]) {
  freezeTime();
  const store = new ScriptedStore();
  const value = new KeptValue<Read>({ now: store.now, isOutage: ScriptedStore.isOutage });
  const requests: Request[] = [];
  const changes: number[] = [];
  const steps: number[] = [];
  const request = () => {
    const [began, wall, order] = [store.real(), store.now(), store.next()];
    const asked: Request = { began, wall, order, keptBefore: value.kept?.readAt, ended: NEVER, last: NEVER };
    requests.push(asked);
    const end = (outcome: Pick<Request, "answer" | "error">) =>
      Object.assign(asked, outcome, {
        ended: store.real(),
        wallAfter: store.now(),
        last: store.next(),
        keptAfter: value.kept?.readAt,
      });
    const { freshMs, renewMs } = user;
    value.read({ load: store.load, freshMs, ...(renewMs && { renewMs }), waitUntil: () => {} }).then(
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
      value.forget();
      changes.push(store.next());
    }
    await pass(0);
  }
  await pass(20_000);
  return { store, requests, changes, steps, request };
}

type History = Awaited<ReturnType<typeof play>>;

const during = (events: readonly number[], { order, last }: Pick<Request, "order" | "last">) =>
  events.filter((each) => each > order && each < last).length;
const canServe = (readAt = Number.NaN, now = Number.NaN) => now >= readAt && now - readAt <= OUTAGE_MS;
const isGood = ({ way }: Read) => way === "ok" || way === "slow" || way === "crawl";
/** When it is known that a read brings nothing in time. */
const failedAt = ({ way, began, ended = NEVER }: Read) =>
  isGood({ way } as Read) ? began + 2_000 : Math.min(ended, began + 2_000);

/** The promises, for one request. */
function check({ freshMs }: User, { store, changes, steps }: History, asked: Request) {
  const { answer, error, began, wall, ended, order, last, wallAfter = Number.NaN } = asked;
  const [changed, stepped] = [during(changes, asked), during(steps, asked)];

  // It ends: within two seconds when something can serve, within ten otherwise. Forgetting, and a step of the clock, begin anew.
  // What a read brings that began in the future of a clock that has stepped back serves nobody, and may replace what could.
  const isReplaced = store.reads.some(
    (read) => read.order < order && read.wall > wall && (read.ended ?? NEVER) >= began,
  );
  const serves = canServe(asked.keptBefore, wall + 2_000) && changed === 0 && !isReplaced;
  const within = serves ? 2_000 : 10_000 * (1 + changed);
  expect(ended - began).toBeLessThanOrEqual(within + stepped * 10_000);

  // All are answered when the first read is, whoever made it.
  if (changed + stepped === 0) {
    const first = store.reads
      .filter((read) => isGood(read) && (read.wall > wall - freshMs || read.wall >= wall) && read.wall <= wall + 10_000)
      .filter((read) => during(changes, { order: read.order, last }) + during(steps, { order: read.order, last }) === 0)
      .map((read) => read.ended ?? NEVER)
      .filter((end) => end >= began);
    expect(ended).toBeLessThanOrEqual(Math.min(...first) + FEW_MS);
  }

  // It fails only when nothing that is kept can serve, or by a defect.
  if (error !== undefined) {
    if (!(error instanceof Defect) && stepped === 0) expect(canServe(asked.keptAfter, wallAfter)).toBe(false);
    return;
  }
  if (answer === undefined) return expect.unreachable("a request ends with an answer or an error");
  expect(answer.order).toBeGreaterThan(changes.findLast((each) => each < last) ?? 0);
  if (stepped + steps.filter((each) => each > answer.order).length > 0) return;

  // What is older than the freshness window serves only when the store failed, or was late: when it was last asked.
  expect(canServe(answer.wall, wallAfter)).toBe(true);
  if (wall - answer.wall >= freshMs) {
    const asks = store.reads.filter((read) => read.order > answer.order && read.order < last);
    expect(asks.some((read) => failedAt(read) <= ended)).toBe(true);
  }
  expect(order).toBeLessThan(last);
}

/** The store is asked once a second, however slow it is: the last read has ended, or began a second ago; and a second after a failure. */
function checkPace({ store, changes, steps }: History) {
  for (const [index, read] of store.reads.entries()) {
    const [before, until] = [store.reads[index - 1], { last: read.order }];
    if (before === undefined) continue;
    const upset = during(changes, { order: before.order, ...until }) + during(steps, { order: before.order, ...until });
    if (upset > 0) continue;
    if ((before.ended ?? NEVER) > read.began) expect(read.began - before.began).toBeGreaterThanOrEqual(SECOND_MS);
    else if (!isGood(before)) {
      const newer = store.reads.some(
        (each) => isGood(each) && each.wall >= before.wall && (each.ended ?? NEVER) <= read.began,
      );
      if (!newer) expect(read.began - (before.ended ?? 0)).toBeGreaterThanOrEqual(SECOND_MS);
    }
  }
}

describe.each(Object.entries(USERS))("as the %s uses it", (_, user) => {
  it("keeps its promises over every history", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event(user), { minLength: 5, maxLength: 40 }), async (events) => {
        const history = await play(user, events);
        const { store, requests, request } = history;
        for (const asked of requests) check(user, history, asked);
        checkPace(history);

        // Answers never go back: a request that begins after another's answer is served the same version or a later one.
        const answered = requests.flatMap(({ answer, order, last }) => (answer ? [{ answer, order, last }] : []));
        for (const { answer, order } of answered) {
          const earlier = answered.filter(({ last }) => last < order).map((other) => other.answer.version);
          expect(answer.version).toBeGreaterThanOrEqual(Math.max(0, ...earlier));
        }

        // Repaired, it serves what the store has, at most a freshness window and a pause later.
        store.way = "ok";
        store.skew = Math.max(store.skew, 0);
        await pass(user.freshMs + SECOND_MS);
        const repaired = request();
        await pass(10);
        expect(repaired.answer?.version).toBe(store.version);
      }),
      { numRuns: 300 },
    );
  });
});
