import type { Labels } from "../shared/labels.ts";

/** Everything else is said as on the board. */
export const ROADMAP_LABELS = {
  title: "Roadmap",
  "idea-bank-not-found": "The roadmap is not available right now.",
  empty: "Nothing is planned yet",
  emptyColumn: "Nothing yet",
  back: "Roadmap",
} satisfies Labels;
