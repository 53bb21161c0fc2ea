/**
 * The words of all elements in another language. Each language has its file, which the build writes beside the scripts as JSON:
 * texts alone, so a page that names the hashes of the scripts runs nothing else. English is in the scripts.
 */
import type { BOARD_LABELS } from "../board/labels.ts";
import type { CHANGELOG_LABELS } from "../changelog/labels.ts";
import type { LAUNCHER_LABELS } from "../launcher/labels.ts";
import type { ROADMAP_LABELS } from "../roadmap/labels.ts";
import type { COMMON_LABELS } from "../shared/common-labels.ts";
import type { Plural } from "../shared/labels.ts";

/** Where English needs one text for each plural category, every language does. */
type Texts<English> = { readonly [Name in keyof English]: English[Name] extends string ? string | Plural : Plural };

export type Language = {
  readonly direction?: "rtl";
  readonly common: Texts<typeof COMMON_LABELS>;
  readonly changelog: Texts<Omit<typeof CHANGELOG_LABELS, keyof typeof COMMON_LABELS>>;
  readonly board: Texts<Omit<typeof BOARD_LABELS, keyof typeof COMMON_LABELS>>;
  /** Where it differs from the board. */
  readonly roadmap: Texts<typeof ROADMAP_LABELS>;
  readonly launcher: Texts<typeof LAUNCHER_LABELS>;
};
