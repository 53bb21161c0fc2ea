/** A proposal's status as a small label: a word, and a color that repeats what the word says. */

import { h } from "#h";
import type { ProposalStatus } from "../../worker/model/proposal.ts";
import type { Words } from "../shared/labels.ts";
import type { BOARD_LABELS } from "./labels.ts";

export const STATUSES = [
  "submitted",
  "under-review",
  "planned",
  "in-progress",
  "implemented",
  "declined",
] as const satisfies readonly ProposalStatus[];

export const status = (name: ProposalStatus, words: Words<typeof BOARD_LABELS>): HTMLElement =>
  h("span", { class: `status ${name}`, part: `status status-${name}` }, words.say(name));
