/** The names that services and teams give to statuses, and which of ours each one is. */
import type { ProposalStatus } from "../worker/model/proposal.ts";
import type { FoundStatus, Lost } from "./ideas.ts";

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

/** What each status of the file becomes, by its name as it is compared. Own choices come before our names for it. */
export class Statuses {
  readonly #own: ReadonlyMap<string, ProposalStatus>;
  readonly #lost: Lost;
  readonly #found = new Map<string, FoundStatus>();

  constructor(own: ReadonlyMap<string, ProposalStatus>, lost: Lost) {
    this.#own = own;
    this.#lost = lost;
  }

  get found(): readonly FoundStatus[] {
    return [...this.#found.values()];
  }

  of(name: string): ProposalStatus {
    const key = statusName(name);
    if (key === "") return "submitted";
    const known = this.#own.get(key) ?? STATUSES.get(key);
    if (known === undefined) this.#lost.add(`status “${name}”: imported as submitted`);
    const status = known ?? "submitted";
    if (!this.#found.has(key)) this.#found.set(key, { name: name.trim(), status, isKnown: known !== undefined });
    return status;
  }
}
