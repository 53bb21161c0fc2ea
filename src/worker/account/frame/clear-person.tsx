/** Leads to the page that asks whether everything that somebody has written is deleted, while they stay blocked (people/clear-page.tsx). */
import { backTo } from "./visit.ts";

type Props = {
  readonly panelistId: string;
  /** The page after it. */
  readonly back: string | undefined;
  readonly label: string;
};

export const ClearPerson = ({ panelistId, back, label }: Props) => (
  <a class="button danger" href={backTo(`/account/people/${panelistId}/clear`, back)}>
    {label}
  </a>
);
