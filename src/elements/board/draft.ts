/** A text that was not sent yet. It survives a reload, with its idempotency key, so that sending it twice makes one submission. */
import { forget, recall, remember } from "../shared/storage.ts";

export type Fields = Readonly<Record<string, string>>;
type Kept = { readonly idempotencyKey: string; readonly fields: Fields };

export class Draft {
  readonly #key: string;
  /** A visitor may be anybody, so the text stays in the tab. */
  readonly #place: "localStorage" | "sessionStorage";
  #kept: Kept;

  /** The key begins with `owner`. What was written as `visitor`, before a sign-in, is the newest and is taken over. */
  constructor(owner: string, visitor: string, name: string) {
    this.#key = `idea-bank-board:${owner}:${name}`;
    this.#place = owner === visitor ? "sessionStorage" : "localStorage";
    const before = `idea-bank-board:${visitor}:${name}`;
    const begun = recall(before, "sessionStorage");
    // 1.0.0 kept a visitor's text for good.
    this.#kept = parse(begun ?? recall(this.#key) ?? recall(before)) ?? { idempotencyKey: randomKey(), fields: {} };
    if (owner === visitor) return;
    if (begun || recall(before)) this.write(this.#kept.fields);
    forget(before, "sessionStorage");
    forget(before);
  }

  get fields(): Fields {
    return this.#kept.fields;
  }

  /** The same for each attempt to send the same text. */
  get idempotencyKey(): string {
    return this.#kept.idempotencyKey;
  }

  write(fields: Fields): void {
    this.#kept = { idempotencyKey: randomKey(), fields };
    const empty = Object.values(fields).every((text) => text === "");
    if (empty) forget(this.#key, this.#place);
    else remember(this.#key, JSON.stringify(this.#kept), this.#place);
  }
}

const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Only this code writes the storage's entry. Any other content is not a draft. */
function parse(text: string | null): Kept | undefined {
  try {
    const { idempotencyKey, fields } = JSON.parse(text ?? "") ?? {};
    const isDraft =
      typeof idempotencyKey === "string" && Object.values(fields).every((value) => typeof value === "string");
    return isDraft ? { idempotencyKey, fields } : undefined;
  } catch {
    return undefined;
  }
}
