/** Every answer that panelists can read, held against the reference model. */
import { expect } from "vitest";
import { SORTS } from "../../../../src/worker/model/panelist-proposal.ts";
import { PROPOSAL_STATUSES } from "../../../../src/worker/model/proposal.ts";
import { CHANGELOG, listPath, PROPOSALS } from "../../../support/panel.ts";
import type { Answer, Reference, Token } from "./reference.ts";
import type { System, Through } from "./system.ts";
import {
  byId,
  type Filter,
  readCapabilities,
  readChangelog,
  readComments,
  readFound,
  readList,
  readOne,
  WORDS,
} from "./views.ts";

type Read = {
  readonly token: Token;
  readonly path: string;
  readonly expected: Answer;
  /** A list whose order the model does not say. */
  readonly unordered?: true;
};

/** What an isolate answers from its own view of the idea bank. */
const fromSnapshot = (model: Reference, token: Token): Read[] => [
  { token, path: "/ideabank", expected: readCapabilities(model, token) },
  { token, path: CHANGELOG, expected: readChangelog(model, token) },
];

const MINE = [undefined, "submitted", "voted"] as const;

/** Each sort and `mine`; and each sort of one status, which is another one with each step, as is its `mine`. */
const filtersOf = (step: number): Filter[] =>
  SORTS.flatMap((sort, index) => [
    ...MINE.map((mine) => ({ sort, mine, status: undefined })),
    { sort, mine: turn(MINE, step + index), status: turn(PROPOSAL_STATUSES, Math.floor(step / 3) + index) },
  ]);

const turn = <Item>(items: readonly Item[], step: number): Item | undefined => items[step % items.length];

function fromDatabase(model: Reference, token: Token, step: number): Read[] {
  const lists = filtersOf(step).map((filter) => ({
    token,
    path: listPath({ limit: "100", ...filter }),
    expected: readList(model, token, filter),
  }));
  const word = turn(WORDS, step) ?? WORDS[0];
  const found = MINE.map((mine): Read => {
    const filter = { sort: "new", mine, status: undefined } as const;
    const path = listPath({ limit: "100", ...filter, q: word });
    return { token, path, expected: readFound(model, token, filter, word), unordered: true };
  });
  const proposals = [...model.proposals.map(({ id }) => id), "000000000000"].flatMap((id) => [
    { token, path: `${PROPOSALS}/${id}`, expected: readOne(model, token, id) },
    { token, path: `${PROPOSALS}/${id}/comments?limit=100`, expected: readComments(model, token, id) },
  ]);
  // What is refused for the token is refused everywhere alike.
  return token.dead ? [...lists.slice(0, 1), ...proposals.slice(0, 2)] : [...lists, ...found, ...proposals];
}

async function hold(real: System, through: Through, { token, path, expected, unordered }: Read): Promise<void> {
  const answer = await real.read(through, token.text, path);
  const { items } = (answer.body ?? {}) as { items?: { id: string }[] };
  if (unordered) items?.sort(byId);
  if (JSON.stringify(answer) !== JSON.stringify(expected)) expect(answer, `GET ${path}`).toEqual(expected);
}

/** The latest token of each panelist, and the oldest dead one. */
function viewersOf({ panelists, tokens }: Reference): Token[] {
  const latest = panelists.flatMap((panelist) => tokens.findLast((token) => token.panelist === panelist) ?? []);
  return [...new Set([...latest, ...tokens.filter(({ dead }) => dead).slice(0, 1)])];
}

/** Capabilities and changelog: exact in the isolate that has written, and in any other after the freshness window. */
export async function checkSnapshots(model: Reference, real: System, through: Through): Promise<void> {
  const [first, ...others] = viewersOf(model).flatMap((token) => fromSnapshot(model, token));
  if (first === undefined) return;
  // One after the other what reads the stores, and then what finds it in memory.
  await hold(real, through, first);
  const changelog = others.find(({ path, token }) => path === CHANGELOG && !token.dead);
  if (changelog) await hold(real, through, changelog);
  await Promise.all(others.map((read) => hold(real, through, read)));
}

export async function checkProposals(model: Reference, real: System, through: Through, step: number): Promise<void> {
  const reads = viewersOf(model).flatMap((token) => fromDatabase(model, token, step));
  await Promise.all(reads.map((read) => hold(real, through, read)));
}
