/**
 * Writes ideas through the tenant API. Everything is written under the ids of the file, and things that exist are not written
 * again. So an interrupted import is completed by running it again, and running it twice has the effect of running it once.
 */
import { createHash } from "node:crypto";
import { Failure } from "../command-line/failure.ts";
import { type Idea, type ImportedComment, type Person, peopleOf, toUpsert } from "./ideas.ts";
import { IN_FLIGHT, type TenantApi } from "./tenant-api.ts";

type Written = { ideas: number; changed: number; panelists: number; votes: number; comments: number; merges: number };
type Proposal = { id: string; votes: number; comments: number; duplicateOf: string | null };
type Voter = { externalId: string | null };
type StoredComment = { by: string; panelistId: string | null; body: string; createdAt: string };

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

/** The receiver of the import, and the people who were written. */
class Writer {
  readonly #api: TenantApi;
  readonly #proposals: string;
  /** By external id. */
  readonly #names: ReadonlyMap<string, string | null>;
  /** By external id: the panelist's id, or its creation. */
  readonly #panelists = new Map<string, Promise<string>>();
  readonly written: Written = { ideas: 0, changed: 0, panelists: 0, votes: 0, comments: 0, merges: 0 };

  constructor(api: TenantApi, ideaBankId: string, people: readonly Person[]) {
    this.#api = api;
    this.#names = new Map(people.map(({ externalId, displayName }) => [externalId, displayName]));
    this.#proposals = `/tenant/ideabanks/${ideaBankId}/proposals`;
  }

  /** The id of the panelist, who is created if necessary. A panelist's existing name stays. */
  #panelist({ externalId }: Person): Promise<string> {
    const known = this.#panelists.get(externalId) ?? this.#createPanelist(externalId);
    this.#panelists.set(externalId, known);
    return known;
  }

  async #createPanelist(externalId: string): Promise<string> {
    const { status, body } = await this.#api.send<{ id?: string }>("POST", "/tenant/panelists", {
      body: { externalId, displayName: this.#names.get(externalId) ?? null },
      expected: [201, 409],
    });
    if (status === 201) this.written.panelists += 1;
    let { id } = body;
    if (status === 409)
      for await (const panelist of this.#api.list<{ id: string }>(
        `/tenant/panelists?externalId=${encodeURIComponent(externalId)}&`,
      ))
        id = panelist.id;
    if (id === undefined)
      throw new Failure(`no panelist can be made for ${externalId}: is the account's storage full?`);
    return id;
  }

  async idea(idea: Idea): Promise<Proposal> {
    const { externalId, author, voters, comments } = idea;
    const panelistId = author && (await this.#panelist(author));
    const name = encodeURIComponent(externalId);
    const { visibility, ...fields } = toUpsert(idea);
    const isModerated = visibility !== "public" && !(await this.#isThere(name));
    const put = await this.#api.send<Proposal>("PUT", `${this.#proposals}/by-external-id/${name}`, {
      body: { ...fields, panelistId, ...(isModerated && { visibility }) },
      expected: [200, 201],
    });
    this.written[put.status === 201 ? "ideas" : "changed"] += 1;
    // The votes of a merged one have moved.
    if (put.body.duplicateOf === null) await this.#votes(put.body, voters);
    await this.#comments(put.body, comments);
    return put.body;
  }

  async #isThere(name: string): Promise<boolean> {
    for await (const _ of this.#api.list(`${this.#proposals}?externalId=${name}&`)) return true;
    return false;
  }

  async #votes(proposal: Proposal, voters: readonly Person[]): Promise<void> {
    const path = `${this.#proposals}/${proposal.id}/votes`;
    const there = new Set<string | null>();
    if (proposal.votes > 0) for await (const { externalId } of this.#api.list<Voter>(`${path}?`)) there.add(externalId);
    await forEach(voters, async (voter) => {
      if (there.has(voter.externalId)) return;
      const panelistId = await this.#panelist(voter);
      await this.#api.send("PUT", `${path}/${panelistId}`, { expected: [200] });
      this.written.votes += 1;
    });
  }

  async #comments(proposal: Proposal, comments: readonly ImportedComment[]): Promise<void> {
    const path = `${this.#proposals}/${proposal.id}/comments`;
    const there = new Map<string, number>();
    const count = (key: string, by: number) => there.set(key, (there.get(key) ?? 0) + by);
    if (proposal.comments > 0)
      for await (const { by, panelistId, body, createdAt } of this.#api.list<StoredComment>(`${path}?`))
        count(keyOf(by === "tenant" ? "" : String(panelistId), body, createdAt), 1);
    await forEach([...comments.entries()], async ([index, { author, body, createdAt }]) => {
      const panelistId = author && (await this.#panelist(author));
      const key = keyOf(panelistId ?? "", body, createdAt);
      count(key, -1);
      if ((there.get(key) ?? 0) >= 0) return;
      const { isReplayed } = await this.#api.send("POST", path, {
        body: { body, panelistId, createdAt },
        idempotencyKey: keyOf(proposal.id, String(index), key),
        expected: [201],
      });
      if (!isReplayed) this.written.comments += 1;
    });
  }

  /** If the target was itself merged, into that one's target. */
  async merge(source: Proposal, target: Proposal): Promise<void> {
    const into = target.duplicateOf ?? target.id;
    if (source.duplicateOf !== null || into === source.id) return;
    await this.#api.send("POST", `${this.#proposals}/${source.id}/merge`, {
      body: { into },
      expected: [200],
    });
    this.written.merges += 1;
  }
}

/** `progress` is told after each idea. */
export async function writeIdeas(
  api: TenantApi,
  {
    ideaBankId,
    ideas,
    progress,
  }: { readonly ideaBankId: string; readonly ideas: readonly Idea[]; readonly progress: (done: number) => void },
): Promise<Written> {
  const writer = new Writer(api, ideaBankId, peopleOf(ideas));
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
