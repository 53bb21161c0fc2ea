/** Finds what would be refused before anything is sent: every fault of each idea and of its people, by its place in the file. */
import { TenantComment } from "../worker/model/comment.ts";
import { ProposalExternalId } from "../worker/model/external-id.ts";
import { NewPanelist } from "../worker/model/panelist.ts";
import { ProposalUpsert } from "../worker/model/proposal.ts";
import { TAGS_OF_IDEA_BANK } from "../worker/model/tag.ts";
import { type Idea, peopleOf, toUpsert } from "./ideas.ts";

type Parsed = {
  readonly error?: { readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] };
};

/** The faults of each idea that has some, in their order. */
export function faultsByIdea(ideas: readonly Idea[]): ReadonlyMap<Idea, readonly string[]> {
  const seen = new Map<string, string>();
  const found = ideas.map((idea): readonly [Idea, readonly string[]] => {
    const { externalId, comments, place } = idea;
    const before = seen.get(externalId);
    seen.set(externalId, before ?? place);
    const faults = [
      ...issuesOf(ProposalExternalId.safeParse(externalId), "its id"),
      ...(before === undefined ? [] : [`${before} has the same id`]),
      ...issuesOf(ProposalUpsert.safeParse(toUpsert(idea))),
      ...comments.flatMap(({ body, createdAt }) => issuesOf(TenantComment.safeParse({ body, createdAt }), "a comment")),
      ...peopleOf([idea]).flatMap((person) =>
        issuesOf(NewPanelist.safeParse(person), `person ${JSON.stringify(person.externalId)}:`),
      ),
    ];
    return [idea, faults.map((fault) => `${place}: ${fault}`)];
  });
  return new Map(found.filter(([, faults]) => faults.length > 0));
}

/** A fault of all of them together; undefined for none. */
export function tooManyTags(ideas: readonly Idea[]): string | undefined {
  const tags = new Set(ideas.flatMap((idea) => idea.tags.map((tag) => tag.normalize("NFC").toLowerCase()))).size;
  return tags > TAGS_OF_IDEA_BANK
    ? `the ideas have ${tags} different tags: an idea bank has at most ${TAGS_OF_IDEA_BANK}`
    : undefined;
}

export const faultsOf = (ideas: readonly Idea[]): string[] => [
  ...[...faultsByIdea(ideas).values()].flat(),
  ...[tooManyTags(ideas) ?? []].flat(),
];

const issuesOf = ({ error }: Parsed, what = ""): string[] =>
  (error?.issues ?? []).map(({ path, message }) => [what, path.join("."), message].filter(Boolean).join(" "));
