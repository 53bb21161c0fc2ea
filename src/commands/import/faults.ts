/** Finds what the tenant API would refuse before anything is sent: each idea and each person with a fault, with its first one. */
import { TenantComment } from "../../worker/model/comment.ts";
import { ProposalExternalId } from "../../worker/model/metadata.ts";
import { NewPanelist } from "../../worker/model/panelist.ts";
import { ProposalUpsert } from "../../worker/model/proposal.ts";
import { TAGS_OF_IDEA_BANK } from "../../worker/model/tag.ts";
import { type Idea, peopleOf, toUpsert } from "./ideas.ts";

type Parsed = {
  readonly error?: { readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] };
};

export function faultsOf(ideas: readonly Idea[]): string[] {
  const seen = new Set<string>();
  const ofIdeas = ideas.flatMap((idea) => {
    const { externalId, comments } = idea;
    const isRepeated = seen.has(externalId);
    seen.add(externalId);
    const found =
      firstOf(ProposalExternalId.safeParse(externalId), "its id") ??
      (isRepeated ? "another one has the same id" : undefined) ??
      firstOf(ProposalUpsert.safeParse(toUpsert(idea))) ??
      comments
        .map(({ body, createdAt }) => firstOf(TenantComment.safeParse({ body, createdAt }), "a comment"))
        .find(Boolean);
    return found === undefined ? [] : [`idea ${JSON.stringify(externalId)}: ${found}`];
  });
  const ofPeople = peopleOf(ideas).flatMap((person) => {
    const found = firstOf(NewPanelist.safeParse(person));
    return found === undefined ? [] : [`person ${JSON.stringify(person.externalId)}: ${found}`];
  });
  const tags = new Set(ideas.flatMap((idea) => idea.tags.map((tag) => tag.normalize("NFC").toLowerCase()))).size;
  const tooMany = `the ideas have ${tags} different tags: an idea bank has at most ${TAGS_OF_IDEA_BANK}`;
  return [...ofIdeas, ...ofPeople, ...(tags > TAGS_OF_IDEA_BANK ? [tooMany] : [])];
}

function firstOf({ error }: Parsed, what = ""): string | undefined {
  const [issue] = error?.issues ?? [];
  return issue && [what, issue.path.join("."), issue.message].filter(Boolean).join(" ");
}
