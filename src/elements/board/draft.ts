/** A text that was not sent yet. It survives a reload, with its idempotency key, so that sending it twice makes one submission. */
import { forget, recall, remember } from "../shared/storage.ts";
import { isYoung } from "./begun.ts";

export type Fields = Readonly<Record<string, string>>;
type Kept = {
  /** The same for each attempt to send the same text. */
  readonly idempotencyKey: string;
  readonly fields: Fields;
  /** The fields as they were when the draft began. */
  readonly base?: Fields;
  /** When it was written, in Unix milliseconds. */
  readonly at?: number;
};

export class Draft {
  readonly #key: string;
  /** A visitor may be anybody, so the text stays in the tab. So does a text where there is another draft already. */
  #place: "localStorage" | "sessionStorage";
  kept: Kept;

  /**
   * The key begins with `owner`. What was written as `visitor`, shortly before a sign-in, is the newest and is taken over. An older
   * draft of the owner's stays beside it, and comes back afterwards.
   */
  constructor(owner: string, visitor: string, name: string) {
    this.#key = `idea-bank-board:${owner}:${name}`;
    const before = `idea-bank-board:${visitor}:${name}`;
    const isVisitor = owner === visitor;
    const here = parse(recall(this.#key, "sessionStorage"));
    const written = isVisitor ? undefined : parse(recall(before, "sessionStorage"));
    const begun = isYoung(written?.at) ? written : undefined;
    this.#place = isVisitor || here ? "sessionStorage" : "localStorage";
    // 1.0.0 kept a visitor's text for good.
    const [saved, old] = [recall(this.#key), recall(before)];
    this.kept = begun ?? here ?? parse(saved ?? old) ?? { idempotencyKey: randomKey(), fields: {} };
    if (isVisitor) return;
    if (begun || old) this.write(this.kept.fields, {});
    forget(before, "sessionStorage");
    forget(before);
  }

  /** Fields that are all as in `base` are no draft. What another tab or element has kept meanwhile stays. */
  write(fields: Fields, base: Fields): void {
    const { idempotencyKey } = this.kept;
    const isOwn = () => (recall(this.#key, this.#place) ?? idempotencyKey).includes(idempotencyKey);
    if (!isOwn()) this.#place = "sessionStorage";
    this.kept = { idempotencyKey: randomKey(), fields, base, at: Date.now() };
    const unchanged = Object.entries(fields).every(([name, text]) => text === (base[name] ?? ""));
    if (!unchanged) remember(this.#key, JSON.stringify(this.kept), this.#place);
    else if (isOwn()) forget(this.#key, this.#place);
  }
}

const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Only this code writes the storage's entry. Any other content is not a draft. */
function parse(text: string | null): Kept | undefined {
  try {
    const { idempotencyKey, fields, base = {}, at } = JSON.parse(text ?? "") ?? {};
    const values = [idempotencyKey, ...Object.values(fields), ...Object.values(base)];
    return values.every((value) => typeof value === "string") ? { idempotencyKey, fields, base, at } : undefined;
  } catch {
    return undefined;
  }
}
