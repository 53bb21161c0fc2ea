/** What can happen to an idea bank: each command does it in the model and in reality, and then every answer is compared. */
import fc from "fast-check";
import { expect, vi } from "vitest";
import { newId } from "../../../support/world.ts";
import { checkProposals, checkSnapshots } from "./check.ts";
import type { Answer, Panelist, Proposal, Reference, Token } from "./reference.ts";
import type { System, Through } from "./system.ts";

export type Command = fc.AsyncCommand<Reference, System>;

/** What a command works on, picked from what there is. */
export type Scene = {
  readonly model: Reference;
  readonly real: System;
  readonly through: Through;
  readonly token: Token;
  readonly panelist: Panelist;
  readonly proposal: Proposal;
  readonly other: Proposal;
  /** What the token's panelist may change, as a rule. */
  readonly own: Proposal;
  readonly comment: { readonly on: Proposal; readonly id: string };
  readonly ownComment: { readonly on: Proposal; readonly id: string };
};

const picks = fc.record({
  /** How long the clock goes on before, in milliseconds. */
  after: fc.constantFrom(0, 1, 700, 5_000, 60_000),
  through: fc.constantFrom<Through>(0, 0, 0, 1),
  /** Whether to take what the command can work on, where there is some: else whatever there is, or was. */
  fitting: fc.constantFrom(true, true, true, false),
  token: fc.nat(5),
  proposal: fc.nat(7),
  other: fc.nat(7),
  comment: fc.nat(5),
});
type Picks = typeof picks extends fc.Arbitrary<infer P> ? P : never;

/** The default of `FRESHNESS_SECONDS`, in milliseconds. */
export const FRESHNESS = 5_000;

/** `weight`: how often, beside the others. */
export function command<Input>(
  name: string,
  weight: number,
  input: fc.Arbitrary<Input>,
  run: (scene: Scene, input: Input) => Promise<void>,
  check: (model: Readonly<Reference>) => boolean = ({ suspended }) => !suspended,
): fc.Arbitrary<Command>[] {
  const arbitrary = fc.record({ picks, input }).map(
    ({ picks, input }): Command => ({
      check,
      toString: () => `${name} ${JSON.stringify(input)} ${JSON.stringify(picks)}`,
      async run(model, real) {
        const scene = toScene(model, real, picks);
        model.now += picks.after;
        vi.setSystemTime(model.now);
        if (picks.after >= FRESHNESS) for (const through of [0, 1] as const) await checkSnapshots(model, real, through);
        await run(scene, input);
        real.lastUsed[picks.through] = model.now;
        // An isolate shows at once what went through it, and the other's within the freshness window.
        const other = picks.through === 0 ? 1 : 0;
        if (model.now - real.lastUsed[other] >= FRESHNESS) await checkSnapshots(model, real, picks.through);
        await checkProposals(model, real, picks.through, real.step++);
      },
    }),
  );
  return Array.from({ length: weight }, () => arbitrary);
}

function toScene(model: Reference, real: System, picks: Picks): Scene {
  const { through, fitting } = picks;
  /** Of what fits, if it is to fit and something does. */
  const pick = <Item>(items: readonly Item[], fits: (item: Item) => boolean, fromTheLast: number): Item => {
    const fit = fitting ? items.filter(fits) : [];
    const from = fit.length > 0 ? fit : items;
    const item = from.at(-1 - (fromTheLast % from.length));
    if (item === undefined) throw new Error("a history starts with one of each");
    return item;
  };
  const token = pick(model.tokens, ({ dead }) => !dead, picks.token);
  const { panelist } = token;
  const isThere = (proposal: Proposal) => !model.deleted.has(proposal);
  const proposal = pick(model.proposals, isThere, picks.proposal);
  const comments = [...model.there(), proposal].flatMap((on) => [{ on, id: newId(), author: null }, ...commentsOf(on)]);
  return {
    model,
    real,
    through,
    token,
    panelist,
    proposal,
    other: pick(model.proposals, (other) => isThere(other) && other !== proposal, picks.other),
    own: pick(model.proposals, (each) => each.author === panelist && each.status === "submitted", picks.proposal),
    comment: pick(comments, ({ author }) => author !== null, picks.comment),
    ownComment: pick(comments, ({ author }) => author === panelist, picks.comment),
  };
}

const commentsOf = (on: Proposal) => on.comments.map(({ id, author }) => ({ on, id, author }));

/** That reality did what the model did; `body` where the answer is worth a look. */
export function agree(real: Answer, expected: Answer, body?: () => unknown): void {
  const { body: got, ...refusal } = real;
  if (expected.status < 300 && body) expect(real).toEqual({ ...expected, body: body() });
  else if (expected.body !== undefined) expect(real).toEqual(expected);
  else expect(refusal, JSON.stringify(got)).toEqual(expected);
}
