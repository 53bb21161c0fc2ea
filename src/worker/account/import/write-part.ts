/**
 * A part of a file that a member imports: ideas with people, votes and comments, or one idea that repeats another. Each can be sent
 * again, as a browser does that has lost an answer. Nobody is told of imported ideas; webhooks are.
 */
import type { Context } from "hono";
import * as z from "zod/mini";
import { secureRandomBytes } from "../../credentials/base62.ts";
import { createId, dailyEventId } from "../../credentials/id.ts";
import { loadIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { importProposals } from "../../database/proposals/imported-proposals.ts";
import { listProposals, mergeProposal } from "../../database/proposals/proposals.ts";
import { invalid, parseOrThrow } from "../../http/invalid-request.ts";
import { JSON_TYPE, parseJson, readBytes } from "../../http/read-body.ts";
import { TenantComment } from "../../model/comment.ts";
import { ProposalExternalId } from "../../model/external-id.ts";
import { Id } from "../../model/id.ts";
import { ExternalId, KnownPeople, type KnownPerson } from "../../model/panelist.ts";
import { type Proposal, ProposalUpsert } from "../../model/proposal.ts";
import { Moment } from "../../model/text.ts";
import { Problem } from "../../problem.ts";
import { openOwn } from "../account-databases.ts";
import { asMember, decide, noteBoards, orNotFound } from "../frame/decide.ts";
import type { Own, OwnerEnv } from "../owner-env.ts";

/** The longest idea and a comment, with names and ids. */
const MAX_BYTES = 192 * 1024;
/** Of what is written in one transaction. */
const AT_MOST = { rows: 20, people: 100, votes: 100, comments: 100 } as const;

const Author = z.nullable(ExternalId);
const Row = z.strictObject({
  externalId: ProposalExternalId,
  idea: ProposalUpsert,
  author: Author,
  voters: z.array(ExternalId).check(z.maxLength(AT_MOST.votes)),
  note: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  comments: z
    .array(z.strictObject({ author: Author, body: TenantComment.shape.body, createdAt: Moment }))
    .check(z.maxLength(AT_MOST.comments)),
});
const Part = z.strictObject({
  board: Id,
  file: z.string().check(z.minLength(1), z.maxLength(200)),
  people: z.optional(KnownPeople.shape.panelists),
  rows: z.array(Row).check(z.minLength(1), z.maxLength(AT_MOST.rows)),
});
const MergePart = z.strictObject({ board: Id, merge: ProposalExternalId, into: ProposalExternalId });

/** What became of a row. `in-part`: the idea is there, without the votes and comments of people who are blocked. */
type RowOutcome = "new" | "here" | "in-part" | "author-deleted" | "author-blocked";

/** What became of each row of the part. */
type Written = { readonly rows: readonly RowOutcome[] } | { readonly merged: boolean };

export async function writePart(c: Context<OwnerEnv>): Promise<Written> {
  const { value } = parseJson(await readBytes(c, { expectedType: JSON_TYPE, maxBytes: MAX_BYTES }));
  const own = await openOwn(c);
  const isMerge = typeof value === "object" && value !== null && "merge" in value;
  return isMerge ? merge(c, own, parseOrThrow(MergePart, value)) : write(c, own, parseOrThrow(Part, value));
}

type Part = z.infer<typeof Part>;

async function write(c: Context<OwnerEnv>, own: Own, { board, file, people = [], rows }: Part): Promise<Written> {
  const { accountId } = own;
  const now = Date.now();
  requireBounds(rows, now);
  orNotFound(await loadIdeaBank(own.session, accountId, board));
  const known: (KnownPerson & { readonly id: string })[] = [];
  // One after the other: the first may read the account's salt, which all others need.
  for (const person of people)
    known.push({
      ...person,
      id: await c.var.views.panelistIds.of({ accountId, externalId: person.externalId }, own.session),
    });
  const eventId = await dailyEventId(accountId, `import ${board} ${c.var.owner.person} ${file}`, now);
  const outcome = await asMember(c, own, (session) =>
    importProposals(session, {
      ...{ accountId, ideaBankId: board, owner: c.var.owner, eventId, fileName: file, people: known, now },
      proposals: rows.map(
        ({ externalId, idea: { createdAt, minor: _, ...fields }, author, voters, note, comments }) => ({
          ...{ id: createId(accountId, secureRandomBytes), externalId, fields, author, voters },
          note: note === undefined ? undefined : { id: createId(accountId, secureRandomBytes), body: note },
          createdAt: createdAt === undefined ? now : Date.parse(createdAt),
          comments: comments.map((comment) => ({
            ...comment,
            id: createId(accountId, secureRandomBytes),
            createdAt: Date.parse(comment.createdAt),
          })),
        }),
      ),
    }),
  );
  const { isNew, blocked } = orNotFound(outcome);
  noteBoards(c, own, [board]);
  return { rows: rows.map((row, place) => outcomeOf(row, { isNew: isNew[place], blocked })) };
}

type Found = { readonly isNew: boolean | undefined; readonly blocked: ReadonlySet<string> };

function outcomeOf({ author, voters, comments }: Part["rows"][number], { isNew, blocked }: Found): RowOutcome {
  const isBlocked = (person: string | null) => person !== null && blocked.has(person);
  if (isNew === undefined) return isBlocked(author) ? "author-blocked" : "author-deleted";
  if (voters.some(isBlocked) || comments.some((comment) => isBlocked(comment.author))) return "in-part";
  return isNew ? "new" : "here";
}

/** Throws `invalid-request`. */
function requireBounds(rows: Part["rows"], now: number): void {
  const sum = (count: (row: Part["rows"][number]) => number) => rows.reduce((all, row) => all + count(row), 0);
  if (sum(({ voters }) => voters.length) > AT_MOST.votes || sum(({ comments }) => comments.length) > AT_MOST.comments)
    throw invalid([{ path: "rows", message: "have too many votes or comments" }]);
  for (const [index, { idea, comments }] of rows.entries())
    if ([idea, ...comments].some(({ createdAt }) => createdAt !== undefined && Date.parse(createdAt) > now))
      throw invalid([{ path: `rows.${index}`, message: "must not be of the future" }]);
}

/** `merged`: it was not so before. */
async function merge(
  c: Context<OwnerEnv>,
  { session, accountId }: Own,
  { board: ideaBankId, merge: source, into: target }: z.infer<typeof MergePart>,
): Promise<Written> {
  const find = async (externalId: string): Promise<Proposal> => {
    const request = { limit: 1, after: undefined };
    const page = await listProposals(session, { accountId, ideaBankId, filter: { externalId }, request });
    return orNotFound(page?.items[0] ?? null);
  };
  const [from, to] = await Promise.all([find(source), find(target)]);
  const into = to.duplicateOf ?? to.id;
  if (from.duplicateOf !== null || into === from.id) return { merged: false };
  const path = { ideaBankId, proposalId: from.id };
  const { answer } = await decide(c, { kind: "proposal", id: from.id, ideaBankId }, (own) =>
    mergeProposal(own.session, { accountId, path, into }),
  );
  if (answer === "busy")
    throw new Problem("conflict", {
      detail: "Other merges are under way. Try again in a minute.",
      headers: { "Retry-After": "20" },
    });
  return { merged: "target" in orNotFound(answer) };
}
