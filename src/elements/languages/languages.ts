/**
 * The words of all elements in other languages, label by label: a new label is one entry. The build writes a file of each language
 * beside the scripts: texts alone, so a page that names the hashes of the scripts runs nothing else. English is in the scripts.
 */
import type { BOARD_LABELS } from "../board/labels.ts";
import type { CHANGELOG_LABELS } from "../changelog/labels.ts";
import type { LAUNCHER_LABELS } from "../launcher/labels.ts";
import type { ROADMAP_LABELS } from "../roadmap/labels.ts";
import type { COMMON_LABELS } from "../shared/common-labels.ts";
import type { Labels, Plural } from "../shared/labels.ts";
import type { Translation } from "../shared/translation.ts";
import type { SURVEY_LABELS } from "../survey/labels.ts";
import board from "./board.json" with { type: "json" };
import changelog from "./changelog.json" with { type: "json" };
import common from "./common.json" with { type: "json" };
import launcher from "./launcher.json" with { type: "json" };
import roadmap from "./roadmap.json" with { type: "json" };
import survey from "./survey.json" with { type: "json" };

/** Portuguese is as in Brazil, Chinese is simplified. */
export const LANGUAGES = ["ar", "de", "es", "fr", "it", "ja", "nl", "pl", "pt", "tr", "zh"] as const;
type Language = (typeof LANGUAGES)[number];

/** Where English needs one text for each plural category, every language does. */
type Texts<English> = {
  readonly [Label in keyof English]: Readonly<
    Record<Language, English[Label] extends string ? string | Plural : Plural>
  >;
};
type OwnLabels<All> = Texts<Omit<All, keyof typeof COMMON_LABELS>>;

const TEXTS = { common, changelog, board, roadmap, launcher, survey } satisfies {
  readonly common: Texts<typeof COMMON_LABELS>;
  readonly changelog: OwnLabels<typeof CHANGELOG_LABELS>;
  readonly board: OwnLabels<typeof BOARD_LABELS>;
  /** Where it differs from the board. */
  readonly roadmap: Texts<typeof ROADMAP_LABELS>;
  readonly launcher: Texts<typeof LAUNCHER_LABELS>;
  readonly survey: OwnLabels<typeof SURVEY_LABELS>;
};

export function translationOf(language: Language): Translation {
  const labelsOf = (texts: Readonly<Record<string, Readonly<Record<Language, string | Plural>>>>): Labels =>
    Object.fromEntries(Object.entries(texts).map(([label, each]) => [label, each[language]]));
  return {
    ...(language === "ar" && { direction: "rtl" }),
    labels: {
      "idea-bank-changelog": labelsOf({ ...TEXTS.common, ...TEXTS.changelog }),
      "idea-bank-board": labelsOf({ ...TEXTS.common, ...TEXTS.board }),
      "idea-bank-roadmap": labelsOf({ ...TEXTS.common, ...TEXTS.board, ...TEXTS.roadmap }),
      "idea-bank-launcher": labelsOf(TEXTS.launcher),
      "idea-bank-survey": labelsOf({ ...TEXTS.common, ...TEXTS.survey }),
    },
  };
}
