/**
 * What a visitor had begun when a sign-in was needed. The tab keeps it for the page that follows the sign-in, where it goes on by
 * itself, once.
 */
import { forget, recall, remember } from "../shared/storage.ts";

export type Begun = {
  /** The idea, or the form; undefined for the list. */
  readonly view?: string | undefined;
  /** `comment` brings the visitor back to the field. */
  readonly act?: "vote" | "comment";
  /** For the form. */
  readonly title?: string | undefined;
};

const YOUNG_MS = 30 * 60_000;

/** A sign-in takes minutes. Who signs in much later may be somebody else. */
export const isYoung = (at = Number.NaN): boolean => Date.now() - at < YOUNG_MS;

export const keepBegun = (key: string, begun: Begun): void =>
  remember(key, JSON.stringify({ ...begun, at: Date.now() }), "sessionStorage");

export function takeBegun(key: string): Begun | undefined {
  try {
    const { at, ...begun } = JSON.parse(recall(key, "sessionStorage") ?? "");
    return isYoung(at) ? begun : undefined;
  } catch {
    // Nothing was begun.
    return undefined;
  } finally {
    forget(key, "sessionStorage");
  }
}
