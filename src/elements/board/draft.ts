/** A text that was not sent yet. It survives a reload, with its idempotency key, so that sending it twice makes one submission. */
import { forget, recall, remember } from "../shared/storage.ts";

export type Fields = Readonly<Record<string, string>>;
type Kept = {
  /** The same for each attempt to send the same text. */
  readonly idempotencyKey: string;
  readonly fields: Fields;
  /** The fields as they were when the draft began. */
  readonly base?: Fields;
};

export class Draft {
  readonly #key: string;
  /** A visitor may be anybody, so the text stays in the tab. */
  readonly #place: "localStorage" | "sessionStorage";
  kept: Kept;

  /** The key begins with `owner`. What was written as `visitor`, before a sign-in, is the newest and is taken over. */
  constructor(owner: string, visitor: string, name: string) {
    this.#key = `idea-bank-board:${owner}:${name}`;
    this.#place = owner === visitor ? "sessionStorage" : "localStorage";
    const before = `idea-bank-board:${visitor}:${name}`;
    const begun = recall(before, "sessionStorage");
    // 1.0.0 kept a visitor's text for good.
    this.kept = parse(begun ?? recall(this.#key) ?? recall(before)) ?? { idempotencyKey: randomKey(), fields: {} };
    if (owner === visitor) return;
    if (begun || recall(before)) this.write(this.kept.fields, {});
    forget(before, "sessionStorage");
    forget(before);
  }

  /** Fields that are all as in `base` are no draft. */
  write(fields: Fields, base: Fields): void {
    this.kept = { idempotencyKey: randomKey(), fields, base };
    const unchanged = Object.entries(fields).every(([name, text]) => text === (base[name] ?? ""));
    if (unchanged) forget(this.#key, this.#place);
    else remember(this.#key, JSON.stringify(this.kept), this.#place);
  }
}

const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Only this code writes the storage's entry. Any other content is not a draft. */
function parse(text: string | null): Kept | undefined {
  try {
    const { idempotencyKey, fields, base = {} } = JSON.parse(text ?? "") ?? {};
    const values = [idempotencyKey, ...Object.values(fields), ...Object.values(base)];
    return values.every((value) => typeof value === "string") ? { idempotencyKey, fields, base } : undefined;
  } catch {
    return undefined;
  }
}
