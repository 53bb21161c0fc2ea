/** The names that services and teams give to statuses, and which of ours each one is. */
import type { ProposalStatus } from "../worker/model/proposal.ts";
import type { FoundStatus, Lost } from "./ideas.ts";
import { folded } from "./words.ts";

const NAMES: Readonly<Record<ProposalStatus, readonly string[]>> = {
  submitted: ["open", "submitted", "new", "backlog"],
  "under-review": ["under review", "in review", "reviewing", "under consideration"],
  planned: ["planned", "scheduled", "accepted", "next"],
  "in-progress": ["in progress", "started", "in development", "doing"],
  implemented: ["implemented", "complete", "completed", "done", "shipped", "live", "released", "launched", "delivered"],
  declined: ["declined", "closed", "rejected", "not planned", "wont do", "won't do"],
};
/** The words of the elements' twelve languages, and others that teams use. */
const IN_LANGUAGES: Readonly<Record<ProposalStatus, readonly string[]>> = {
  submitted: [
    "مُقدَّمة",
    "eingereicht",
    "enviada",
    "proposée",
    "inviata",
    "受付済み",
    "ingediend",
    "zgłoszone",
    "gönderildi",
    "已提交",
    "neu",
    "offen",
    "nouveau",
    "nuevo",
    "abierto",
    "nuovo",
    "aperto",
    "novo",
    "nieuw",
    "nowe",
    "yeni",
  ],
  "under-review": [
    "قيد المراجعة",
    "in prüfung",
    "en revisión",
    "à l’étude",
    "in esame",
    "検討中",
    "in beoordeling",
    "w analizie",
    "em análise",
    "i̇nceleniyor",
    "评估中",
  ],
  planned: [
    "مخطط لها",
    "geplant",
    "planificada",
    "prévue",
    "in programma",
    "対応予定",
    "gepland",
    "zaplanowane",
    "planejada",
    "planlandı",
    "已计划",
    "planifié",
    "planificado",
    "pianificato",
    "planejado",
  ],
  "in-progress": [
    "قيد التنفيذ",
    "in arbeit",
    "en curso",
    "en cours",
    "in corso",
    "対応中",
    "in uitvoering",
    "w realizacji",
    "em andamento",
    "devam ediyor",
    "进行中",
    "in bearbeitung",
    "en progreso",
    "em curso",
    "bezig",
    "w toku",
  ],
  implemented: [
    "منفّذة",
    "umgesetzt",
    "realizada",
    "réalisée",
    "realizzata",
    "対応済み",
    "klaar",
    "zrealizowane",
    "concluída",
    "tamamlandı",
    "已完成",
    "erledigt",
    "fertig",
    "terminé",
    "fait",
    "hecho",
    "completado",
    "fatto",
    "completato",
    "feito",
    "gereed",
    "zrobione",
  ],
  declined: [
    "مرفوضة",
    "abgelehnt",
    "descartada",
    "non retenue",
    "rifiutata",
    "見送り",
    "afgewezen",
    "odrzucone",
    "recusada",
    "reddedildi",
    "未采纳",
    "refusé",
    "rechazado",
    "rifiutato",
    "recusado",
  ],
};

const STATUSES: ReadonlyMap<string, ProposalStatus> = new Map(
  (Object.keys(NAMES) as ProposalStatus[]).flatMap((status) =>
    [...NAMES[status], ...IN_LANGUAGES[status]].map((name) => [folded(name), status] as const),
  ),
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
    const known = this.#own.get(key) ?? STATUSES.get(folded(name));
    if (known === undefined) this.#lost.add(`status “${name}”: imported as submitted`);
    const status = known ?? "submitted";
    if (!this.#found.has(key)) this.#found.set(key, { name: name.trim(), status, isKnown: known !== undefined });
    return status;
  }
}
