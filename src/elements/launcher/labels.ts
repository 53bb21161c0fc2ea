import type { Labels } from "../shared/labels.ts";

export const LAUNCHER_LABELS = {
  "idea-bank-changelog": "What’s new",
  "idea-bank-board": "Ideas",
  "idea-bank-roadmap": "Roadmap",
  "idea-bank-survey": "Survey",
  newCount: "{count} new",
  surveyCount: { one: "{count} survey to answer", other: "{count} surveys to answer" },
  shipped: {
    one: "{count} idea that you voted for is done",
    other: "{count} ideas that you voted for are done",
  },
  close: "Close",
} satisfies Labels;
