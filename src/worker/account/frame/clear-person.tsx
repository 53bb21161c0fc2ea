/** Deletes everything that somebody has written, and keeps them blocked: on their page, and where what they wrote stands. */
import { Confirm } from "./confirm.tsx";
import { backTo } from "./visit.ts";

const GOES =
  "Ideas, comments, votes, survey responses and follows are deleted. Responses to closed anonymous surveys stay.";
const STAYS = "No token is issued for them, and nobody signs in with their email address. You can’t undo the deletion.";

/** Part of the form of their page. */
export const ClearPerson = ({ isBlocked }: { readonly isBlocked: boolean }) => (
  <Confirm
    summary={isBlocked ? "Delete what they wrote…" : "Block and delete what they wrote…"}
    says={`${GOES} ${STAYS}`}
    buttons={[["clear", isBlocked ? "Delete what they wrote, keep them blocked" : "Block and delete what they wrote"]]}
  />
);

type Props = {
  readonly panelistId: string;
  /** The page after it. */
  readonly back: string;
};

/** Where an idea or a comment of theirs stands. */
export const ClearAuthor = ({ panelistId, back }: Props) => (
  <Confirm
    summary="Block author…"
    says={`${GOES} ${STAYS}`}
    action={backTo(`/account/people/${panelistId}`, back)}
    buttons={[["clear", "Block and delete what they wrote"]]}
  />
);
