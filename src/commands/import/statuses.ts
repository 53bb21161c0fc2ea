/** The names that services and teams give to statuses, and which of ours each one is. */
import type { ProposalStatus } from "../../worker/model/proposal.ts";
import type { Lost } from "./ideas.ts";

const NAMES: Readonly<Record<ProposalStatus, readonly string[]>> = {
  submitted: ["open", "submitted", "new", "backlog"],
  "under-review": ["under review", "in review", "reviewing", "under consideration"],
  planned: ["planned", "scheduled", "accepted", "next"],
  "in-progress": ["in progress", "started", "in development", "doing"],
  implemented: ["implemented", "complete", "completed", "done", "shipped", "live", "released", "launched", "delivered"],
  declined: ["declined", "closed", "rejected", "not planned", "wont do", "won't do"],
};
const STATUSES: ReadonlyMap<string, ProposalStatus> = new Map(
  (Object.keys(NAMES) as ProposalStatus[]).flatMap((status) => NAMES[status].map((name) => [name, status] as const)),
);

/** The form in which names are compared: "In_Progress" and "in-progress" are equal. */
export const statusName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_.-]+/g, " ");

/** `own` are the person's choices, by the status's name. */
export function toStatus(name: string, own: ReadonlyMap<string, ProposalStatus>, lost: Lost): ProposalStatus {
  const status = own.get(statusName(name)) ?? STATUSES.get(statusName(name));
  if (status === undefined && name.trim() !== "")
    lost.add(`status “${name}”: imported as submitted. Or say which: --status "${name}=planned"`);
  return status ?? "submitted";
}
