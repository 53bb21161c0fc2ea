/** A text that was not sent yet. It survives a reload, with its idempotency key, so that sending it twice makes one submission. */
import { forget, recall, remember } from "../shared/storage.ts";

export type Fields = Readonly<Record<string, string>>;
type Kept = { readonly idempotencyKey: string; readonly fields: Fields };

export class Draft {
  readonly #key: string;
  #kept: Kept;

  /** The key begins with `owner`. A draft under `visitor`, from before a sign-in, is taken over. */
  constructor(owner: string, visitor: string, name: string) {
    this.#key = `idea-bank-board:${owner}:${name}`;
    const before = `idea-bank-board:${visitor}:${name}`;
    const own = parse(recall(this.#key));
    this.#kept = own ?? parse(recall(before)) ?? { idempotencyKey: randomKey(), fields: {} };
    if (own || before === this.#key) return;
    this.write(this.#kept.fields);
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
    if (empty) forget(this.#key);
    else remember(this.#key, JSON.stringify(this.#kept));
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
