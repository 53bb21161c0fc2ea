/** A notice with a button that changes one setting of a board, and leads back to the page that it stands on. */
import type { IdeaBank } from "../../model/idea-bank.ts";
import { IDEA_BANKS } from "./own-bank.tsx";

type Props = {
  readonly ideaBank: Pick<IdeaBank, "id">;
  /** Where it leads back to. */
  readonly back: string;
  readonly was: Record<string, string>;
  readonly to: Record<string, string>;
  readonly label: string;
  readonly children?: string;
};

export const OneSetting = ({ ideaBank: { id }, back, was, to, label, children }: Props) => (
  <form method="post" action={`${IDEA_BANKS}/${id}/settings`} class="notice done">
    <p>{children}</p>
    <input type="hidden" name="was" value={new URLSearchParams(was).toString()} />
    <input type="hidden" name="back" value={back} />
    {Object.entries(to).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <button type="submit" class="primary">
      {label}
    </button>
  </form>
);

/** What opens a board, and why it is needed. */
const OPENERS = {
  DRAFT: ["Open board", "This board isn’t open yet, so visitors see nothing."],
  CLOSED: ["Reopen board", "This board is closed. Visitors see nothing."],
} as const;

/** Nothing, for a board that is open. */
export const Opener = ({ ideaBank, back }: { readonly ideaBank: IdeaBank; readonly back: string }) => {
  const { status } = ideaBank;
  if (status === "OPEN") return null;
  const [label, why] = OPENERS[status];
  return (
    <OneSetting ideaBank={ideaBank} back={back} was={{ status }} to={{ status: "OPEN" }} label={label}>
      {why}
    </OneSetting>
  );
};
