/** What was written and not sent yet: it survives a reload, and with it the key that makes sending it twice one submission. */
import { forget, recall, remember } from "../shared/storage.ts";

export type Fields = Readonly<Record<string, string>>;
type Kept = { readonly idempotencyKey: string; readonly fields: Fields };

export class Draft {
  readonly #key: string;
  #kept: Kept;

  constructor(key: string) {
    this.#key = `idea-bank-board:${key}`;
    this.#kept = parse(recall(this.#key)) ?? { idempotencyKey: randomKey(), fields: {} };
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

/** Only this code writes it; what somebody else has written there is no draft. */
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
