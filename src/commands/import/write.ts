/**
 * Writes ideas through the tenant API. Everything is written under the ids of the file, and things that exist are not written
 * again. So an interrupted import is completed by running it again, and running it twice has the effect of running it once.
 */
import { createHash } from "node:crypto";
import type { Proposal, TenantComment } from "../../client/tenant-types.ts";
import { type Idea, type ImportedComment, type Person, peopleOf, toUpsert } from "../../import/ideas.ts";
import { type ImportClient, IN_FLIGHT } from "./import-client.ts";

type Written = { ideas: number; changed: number; panelists: number; votes: number; comments: number; merges: number };

const keyOf = (...parts: readonly string[]): string => createHash("sha256").update(JSON.stringify(parts)).digest("hex");

/** Does as many at a time as there are requests in flight. After a failure it begins no more, and throws when those under way have ended. */
async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  const failures: unknown[] = [];
  const workers = Array.from({ length: Math.min(IN_FLIGHT, items.length) }, async () => {
    for (const item of left)
      if (failures.length === 0) await work(item).catch((error: unknown) => void failures.push(error));
  });
  await Promise.all(workers);
  if (failures.length > 0) throw failures[0];
}

/** The API takes so many people, votes or comments in a request, and a body of 64 KiB. An item has names and ids beside its text. */
const [BATCH_ITEMS, BATCH_BYTES, ITEM_BYTES] = [100, 60_000, 150];

function inBatches<Item>(items: readonly Item[], bytesOf: (item: Item) => number): Item[][] {
  const batches: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const batch = batches.at(-1);
    const size = bytesOf(item) + ITEM_BYTES;
    bytes += size;
    if (batch !== undefined && batch.length < BATCH_ITEMS && bytes <= BATCH_BYTES) batch.push(item);
    else {
      batches.push([item]);
      bytes = size;
    }
  }
  return batches;
}

/** The receiver of the import, and the people who were written. */
class Writer {
  readonly #client: ImportClient;
  readonly #ideaBankId: string;
  /** By external id. */
  readonly #panelists = new Map<string, string>();
  readonly written: Written = { ideas: 0, changed: 0, panelists: 0, votes: 0, comments: 0, merges: 0 };

  constructor(client: ImportClient, ideaBankId: string) {
    this.#client = client;
    this.#ideaBankId = ideaBankId;
  }

  /** Creates those who do not exist. An existing name stays. */
  async people(people: readonly Person[], progress: (done: number, all: number) => void): Promise<void> {
    await forEach(
      inBatches(people, (person) => Buffer.byteLength(JSON.stringify(person))),
      async (batch) => {
        const { ids, created } = await this.#client.putPanelists({ panelists: batch });
        for (const [index, { externalId }] of batch.entries()) this.#panelists.set(externalId, ids[index] ?? "");
        this.written.panelists += created;
        progress(this.#panelists.size, people.length);
      },
    );
  }

  #panelist({ externalId }: Person): string {
    return this.#panelists.get(externalId) ?? "";
  }

  async idea(idea: Idea): Promise<Proposal> {
    const { externalId, author, voters, comments } = idea;
    const panelistId = author && this.#panelist(author);
    const { visibility, ...fields } = toUpsert(idea);
    const isModerated = visibility !== "public" && !(await this.#isThere(externalId));
    const put = await this.#client.upsertProposal(
      {
        ...{ ideaBankId: this.#ideaBankId, externalId, ...fields },
        ...(panelistId !== undefined && { panelistId }),
        ...(isModerated && { visibility }),
      },
      {
        onAnswer: ({ status }) => {
          this.written[status === 201 ? "ideas" : "changed"] += 1;
        },
      },
    );
    // The votes of a merged one have moved.
    if (put.duplicateOf === null) await this.#votes(put, voters);
    await this.#comments(put, comments);
    return put;
  }

  async #isThere(externalId: string): Promise<boolean> {
    for await (const _ of this.#client.listProposals({ ideaBankId: this.#ideaBankId, externalId })) return true;
    return false;
  }

  async #votes(proposal: Proposal, voters: readonly Person[]): Promise<void> {
    const place = { ideaBankId: this.#ideaBankId, proposalId: proposal.id };
    const there = new Set<string | null>();
    if (proposal.votes > 0) for await (const { externalId } of this.#client.listVotes(place)) there.add(externalId);
    const missing = voters.filter(({ externalId }) => !there.has(externalId));
    for (const batch of inBatches(missing, () => 0)) {
      const given = batch.map((voter) => ({ panelistId: this.#panelist(voter) }));
      await this.#client.putVotes({ ...place, voters: given });
      this.written.votes += batch.length;
    }
  }

  async #comments(proposal: Proposal, comments: readonly ImportedComment[]): Promise<void> {
    const place = { ideaBankId: this.#ideaBankId, proposalId: proposal.id };
    const there = new Map<string, number>();
    const count = (key: string, by: number) => there.set(key, (there.get(key) ?? 0) + by);
    if (proposal.comments > 0)
      for await (const { by, panelistId, body, createdAt } of this.#client.listComments(place))
        count(keyOf(by === "tenant" ? "" : String(panelistId), body, createdAt), 1);
    const missing: TenantComment[] = [];
    for (const { author, body, createdAt } of comments) {
      const panelistId = author && this.#panelist(author);
      const key = keyOf(panelistId ?? "", body, createdAt);
      count(key, -1);
      if ((there.get(key) ?? 0) < 0) missing.push({ body, createdAt, ...(panelistId !== undefined && { panelistId }) });
    }
    for (const [index, batch] of inBatches(missing, ({ body }) => Buffer.byteLength(JSON.stringify(body))).entries())
      await this.#client.createComments(
        { ...place, comments: batch },
        {
          idempotencyKey: keyOf(proposal.id, String(index), JSON.stringify(batch)),
          // Those whose first answer was lost are not counted either.
          onAnswer: ({ headers }) => {
            if (headers.get("Idempotency-Replayed") !== "true") this.written.comments += batch.length;
          },
        },
      );
  }

  /** If the target was itself merged, into that one's target. */
  async merge(source: Proposal, target: Proposal): Promise<void> {
    const into = target.duplicateOf ?? target.id;
    if (source.duplicateOf !== null || into === source.id) return;
    await this.#client.mergeProposal({ ideaBankId: this.#ideaBankId, proposalId: source.id, into });
    this.written.merges += 1;
  }
}

/** `progress` is told after each idea, and `progressOfPeople` before that, after each request for some people. */
export async function writeIdeas(
  client: ImportClient,
  {
    ideaBankId,
    ideas,
    progress,
    progressOfPeople,
  }: {
    readonly ideaBankId: string;
    readonly ideas: readonly Idea[];
    readonly progress: (done: number) => void;
    readonly progressOfPeople: (done: number, all: number) => void;
  },
): Promise<Written> {
  const writer = new Writer(client, ideaBankId);
  await writer.people(peopleOf(ideas), progressOfPeople);
  const proposals = new Map<string, Proposal>();
  let done = 0;
  await forEach(ideas, async (idea) => {
    proposals.set(idea.externalId, await writer.idea(idea));
    progress(++done);
  });
  // Last: a merged proposal takes no votes.
  const targets = new Map(ideas.map(({ externalId, duplicateOf }) => [externalId, duplicateOf]));
  for (const { externalId } of ideas) {
    const [source, target] = [proposals.get(externalId), proposals.get(rootOf(externalId, targets) ?? "")];
    // One after the other: two merges into one target would wait for each other.
    if (source && target && source !== target) await writer.merge(source, target);
  }
  return writer.written;
}

/** The idea that it repeats in the end; undefined for one that goes in a circle. */
function rootOf(externalId: string, targets: ReadonlyMap<string, string | undefined>): string | undefined {
  const seen = new Set<string>();
  let at = externalId;
  for (;;) {
    const next = targets.get(at);
    if (next === undefined) return at;
    if (seen.has(at)) return undefined;
    seen.add(at);
    at = next;
  }
}
