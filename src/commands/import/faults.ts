/** Finds what the tenant API would refuse before anything is sent: every fault of each idea and each person. */
import { TenantComment } from "../../worker/model/comment.ts";
import { ProposalExternalId } from "../../worker/model/external-id.ts";
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
    const found = [
      ...issuesOf(ProposalExternalId.safeParse(externalId), "its id"),
      ...(isRepeated ? ["another one has the same id"] : []),
      ...issuesOf(ProposalUpsert.safeParse(toUpsert(idea))),
      ...comments.flatMap(({ body, createdAt }) => issuesOf(TenantComment.safeParse({ body, createdAt }), "a comment")),
    ];
    return found.map((fault) => `idea ${JSON.stringify(externalId)}: ${fault}`);
  });
  const ofPeople = peopleOf(ideas).flatMap((person) =>
    issuesOf(NewPanelist.safeParse(person)).map((fault) => `person ${JSON.stringify(person.externalId)}: ${fault}`),
  );
  const tags = new Set(ideas.flatMap((idea) => idea.tags.map((tag) => tag.normalize("NFC").toLowerCase()))).size;
  const tooMany = `the ideas have ${tags} different tags: an idea bank has at most ${TAGS_OF_IDEA_BANK}`;
  return [...ofIdeas, ...ofPeople, ...(tags > TAGS_OF_IDEA_BANK ? [tooMany] : [])];
}

const issuesOf = ({ error }: Parsed, what = ""): string[] =>
  (error?.issues ?? []).map(({ path, message }) => [what, path.join("."), message].filter(Boolean).join(" "));
