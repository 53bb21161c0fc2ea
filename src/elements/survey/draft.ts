/**
 * Answers that were not sent yet. They survive a reload, on this device, under the survey and a hash of the token's holder. A sign-out
 * takes them away, because the next person at the device may be another.
 */
import type { Answer, Questions } from "../../worker/model/survey-answers.ts";
import { forget, keysWith, recall, remember } from "../shared/storage.ts";
import { type Given, knownAnswers } from "./answers.ts";

const DRAFTS = "idea-bank-survey:";

/** Keeps people apart on one device (FNV-1a, 32 bits). It hides nothing from who uses the device. */
export function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(36);
}

type Holder = { readonly bank: string; readonly who: string };

const keyOf = ({ bank, who }: Holder): string => `${DRAFTS}${hashOf(bank)}:${hashOf(who)}:`;

/** Takes away the drafts on this device, but for those of `holder` and of other idea banks. Without a holder: all of them. */
export function forgetDrafts(holder?: Holder): void {
  const ofBank = holder ? `${DRAFTS}${hashOf(holder.bank)}:` : DRAFTS;
  const own = holder && keyOf(holder);
  for (const key of keysWith(ofBank)) if (!own || !key.startsWith(own)) forget(key);
}

export class Draft {
  /** Undefined for a preview, which keeps nothing. */
  readonly #key: string | undefined;
  answers: Given = Object.create(null);
  /** The question that was shown last. */
  at = "";
  /** The revision of the response that the answers change; null where there was none. */
  seen: string | null = null;
  /** Whether the device had answers. */
  isKept = false;

  constructor(holder: Holder | undefined, survey: string) {
    this.#key = holder && keyOf(holder) + survey;
    if (this.#key === undefined) return;
    try {
      const { answers, at, seen } = JSON.parse(recall(this.#key) ?? "");
      this.answers = Object(answers);
      this.at = String(at);
      this.seen = seen === null ? null : String(seen);
      this.isKept = Object.keys(this.answers).length > 0;
    } catch {
      // Nothing was begun.
    }
  }

  /** Drops what the survey does not have. */
  fit(questions: Questions): void {
    this.answers = knownAnswers(questions, this.answers);
  }

  /** Begins with the answers that were sent. */
  begin(answers: Readonly<Record<string, Answer>>, seen: string | null): void {
    Object.assign(this.answers, answers);
    this.seen = seen;
  }

  save(): void {
    const { answers, at, seen } = this;
    if (this.#key !== undefined) remember(this.#key, JSON.stringify({ answers, at, seen }));
  }

  forget(): void {
    this.at = "";
    if (this.#key !== undefined) forget(this.#key);
  }
}
