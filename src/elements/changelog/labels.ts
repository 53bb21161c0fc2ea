import { COMMON_LABELS } from "../shared/common-labels.ts";
import type { Labels } from "../shared/labels.ts";

export const CHANGELOG_LABELS = {
  ...COMMON_LABELS,
  title: "What’s new",
  new: "New",
  newCount: "{count} new",
  loaded: { one: "{count} update", other: "{count} updates" },
  empty: "Nothing yet. Updates will appear here.",
  "idea-bank-not-found": "The changelog is not available right now.",
  more: "Show more",
  less: "Show less",
  older: "Older",
  notFound: "This update was not found. It may have been removed.",
} satisfies Labels;
