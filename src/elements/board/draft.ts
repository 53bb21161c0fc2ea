/** A text that was not sent yet. It survives a reload, with its idempotency key, so that sending it twice makes one submission. */
import { forget, keysWith, recall, remember } from "../shared/storage.ts";
import { isYoung } from "./begun.ts";
import type { IdeaBank } from "./idea-bank.ts";

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
/** A draft, by its name. */
export type Unsent = {
  readonly name: string;
  readonly text: string;
  /** Empty for a new idea. */
  readonly idea: string;
  readonly comment: string | undefined;
  readonly at: number | undefined;
  readonly drop: () => void;
};

const keyOf = (owner: string, name = "") => `idea-bank-board:${owner}:${name}`;

/** The text in this tab comes before the one beside it. */
const placeOf = (key: string) => (recall(key, "sessionStorage") === null ? "localStorage" : "sessionStorage");

export function unsent(owner: string, name: string): Unsent | undefined {
  const key = keyOf(owner, name);
  const place = placeOf(key);
  const kept = parse(recall(key, place));
  const [, idea = "", comment] = name.split(":");
  const text = Object.values(kept?.fields ?? {})
    .filter(Boolean)
    .join("\n\n");
  return text ? { name, text, idea, comment, at: kept?.at, drop: () => forget(key, place) } : undefined;
}

/** Those on everything, or on one idea. */
export const allUnsent = (owner: string, about?: string): readonly Unsent[] =>
  namesOf(owner)
    .flatMap((name) => unsent(owner, name) ?? [])
    .filter(({ idea }) => idea === (about ?? idea));

/** A panelist's identifier may begin with another's. */
const NAME = /^(?:idea|comment:\w+|edit:\w+(?::\w+)?)$/;

const namesOf = (owner: string) =>
  keysWith(keyOf(owner))
    .map((key) => key.slice(keyOf(owner).length))
    .filter((name) => NAME.test(name));

/** What a visitor has written goes to who has signed in, before their own. What is no longer young is dropped. */
export function handOver(visitor: string, owner: string): void {
  for (const name of namesOf(visitor)) {
    const key = keyOf(visitor, name);
    const text = recall(key, placeOf(key));
    forget(key);
    forget(key, "sessionStorage");
    if (text !== null && isYoung(parse(text)?.at)) remember(keyOf(owner, name), text, "sessionStorage");
  }
}

export class Draft {
  readonly #key: string;
  /** A visitor may be anybody, so the text stays in the tab. So does a text where there is another draft already. */
  #place: "localStorage" | "sessionStorage";
  kept: Kept;

  constructor({ who, isVisitor }: IdeaBank, name: string) {
    this.#key = keyOf(who, name);
    const place = placeOf(this.#key);
    this.#place = isVisitor ? "sessionStorage" : place;
    this.kept = parse(recall(this.#key, place)) ?? { idempotencyKey: randomKey(), fields: {} };
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
