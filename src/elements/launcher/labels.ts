import type { Labels } from "../shared/labels.ts";

export const LAUNCHER_LABELS = {
  "idea-bank-changelog": "What’s new",
  "idea-bank-board": "Ideas",
  newCount: "{count} new",
  close: "Close",
} satisfies Labels;
