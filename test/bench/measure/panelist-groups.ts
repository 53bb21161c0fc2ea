/** What panelists do with proposals, beside a Worker that counts votes when it reads them, and the bare route. */
import type { Runtime } from "../runtime.ts";
import { seedIdeaBanks, seedProposals, seedVotes, tokenFor, tokenOf, voterIds } from "../seed.ts";
import type { Group, MakeBare } from "./speed.ts";

const IDEA_BANK_ID = "0IdeaBank000";
const PROPOSALS = 1_000;
/** So many panelists have voted for many proposals. */
const EARLY_VOTERS = 40;
const LISTED = 20;
/** The one that is read and voted for. */
const NUMBER = 39;

type Headers = { readonly Authorization: string };

/** An idea bank with votes; a panelist who reads, panelists who have not voted yet, and the path of one proposal. */
export async function prepareIdeas(
  database: D1Database,
  voters: number,
): Promise<{ reader: Headers; voters: Headers[]; proposal: string }> {
  const ids = voterIds(EARLY_VOTERS + voters);
  await seedIdeaBanks(database, [IDEA_BANK_ID]);
  await seedProposals(database, IDEA_BANK_ID, PROPOSALS, () => {});
  await seedVotes(database, IDEA_BANK_ID, ids, EARLY_VOTERS);
  const authorize = async (token: Promise<string>) => ({ Authorization: await token });
  return {
    reader: await authorize(tokenFor(IDEA_BANK_ID)),
    voters: await Promise.all(ids.slice(EARLY_VOTERS).map((id) => authorize(tokenOf(id, IDEA_BANK_ID)))),
    proposal: `/${IDEA_BANK_ID.slice(0, 4)}${String(NUMBER).padStart(8, "0")}`,
  };
}

/** `turns` times so many panelists vote, each once. */
export async function preparePanelistGroups(
  runtime: Runtime,
  database: D1Database,
  bare: MakeBare,
  { turns, votes }: { turns: number; votes: number },
): Promise<Group[]> {
  const { reader, voters, proposal } = await prepareIdeas(database, 1 + turns * votes);
  const [checker = reader, ...others] = voters;
  const ours = `${runtime.url("ours")}/ideabank/proposals`;
  const peer = `${runtime.url("straightforward-ideas")}/proposals`;
  const slice = (turn: number) => others.slice(turn * votes, (turn + 1) * votes);

  const reading = async (title: string, name: string, below: string, peers = below): Promise<Group> => ({
    title,
    subjects: [
      { name: "limit: bare Hono route", ...(await bare(name, ours + below, reader)) },
      { name: "ours", url: ours + below, headers: [reader], status: 200 },
      { name: "peer: count(*) each time", url: peer + peers, headers: [reader], status: 200 },
    ],
  });
  const vote = { method: "PUT", headers: [checker], status: 200, once: slice } as const;
  return [
    await reading("proposals by votes", "proposals", "?sort=top", ""),
    await reading("a proposal", "proposal", proposal),
    {
      title: "a vote",
      subjects: [
        {
          name: "limit: bare Hono route",
          ...(await bare("vote", `${ours}${proposal}/vote`, checker, "answers", "PUT")),
        },
        { name: "ours", url: `${ours}${proposal}/vote`, ...vote },
        { name: "peer: count(*) each time", url: `${peer}${proposal}/vote`, ...vote },
      ],
    },
  ];
}

type Proposal = { readonly id?: unknown; readonly votes?: unknown; readonly voted?: unknown };

/** Whether a body is the page of proposals with the most votes first, the proposal, or the answer to the vote. */
export function isParticipation(body: string): boolean {
  const answer: Proposal & { items?: Proposal[] } = JSON.parse(body);
  const { items = [answer] } = answer;
  const votes = items.map((item) => Number(item.votes));
  const isSorted = votes.every((count, index) => index === 0 || count <= (votes[index - 1] ?? 0));
  const isComplete = items.every(
    ({ id, votes, voted }) => Number.isInteger(votes) && (id === undefined) === (voted === true),
  );
  return isSorted && isComplete && (items.length === LISTED || items.length === 1);
}
