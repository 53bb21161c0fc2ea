/** All languages but English, and the file that each of them is. */
import type { Translation } from "../shared/translation.ts";
import { ar } from "./ar.ts";
import { de } from "./de.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { it } from "./it.ts";
import { ja } from "./ja.ts";
import type { Language } from "./language.ts";
import { nl } from "./nl.ts";
import { pl } from "./pl.ts";
import { pt } from "./pt.ts";
import { tr } from "./tr.ts";
import { zh } from "./zh.ts";

export const LANGUAGES = { ar, de, es, fr, it, ja, nl, pl, pt, tr, zh } satisfies Record<string, Language>;

export const translationOf = ({ direction, common, changelog, board, roadmap, launcher }: Language): Translation => ({
  ...(direction && { direction }),
  labels: {
    "idea-bank-changelog": { ...common, ...changelog },
    "idea-bank-board": { ...common, ...board },
    "idea-bank-roadmap": { ...common, ...board, ...roadmap },
    "idea-bank-launcher": launcher,
  },
});
