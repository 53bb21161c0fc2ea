import type { Labels } from "../shared/labels.ts";

export const LAUNCHER_LABELS = {
  "idea-bank-changelog": "What’s new",
  "idea-bank-board": "Ideas",
  "idea-bank-roadmap": "Roadmap",
  newCount: "{count} new",
  shipped: {
    one: "{count} idea that you voted for is done",
    other: "{count} ideas that you voted for are done",
  },
  close: "Close",
} satisfies Labels;
