/** What was decided about an idea, for who reads and decides nothing. */
import type { Proposal } from "../../model/proposal.ts";
import { Fact } from "../frame/fact.tsx";
import { IDEA_STATUSES, IDEA_VISIBILITIES } from "../frame/words.ts";

type Props = { readonly idea: Pick<Proposal, "status" | "visibility" | "tags"> };

export const DecidedFacts = ({ idea: { status, visibility, tags } }: Props) => (
  <dl>
    <Fact name="Status">{IDEA_STATUSES[status]}</Fact>
    <Fact name="Visibility">{IDEA_VISIBILITIES[visibility][0]}</Fact>
    {tags.length > 0 && (
      <Fact name="Tags">
        {tags.map((tag) => (
          <bdi class="tag">{tag}</bdi>
        ))}
      </Fact>
    )}
  </dl>
);
