/** Receivers of webhooks: each takes what it gets, fails, hangs, or does now this and now that. */
import type { HistoryEvent } from "../history.ts";
import { currentContext } from "./context.ts";
import { type Random, type Source, skewed } from "./random.ts";
import type { Timeline } from "./timeline.ts";

export type Mood = "takes" | "fails" | "hangs" | "changes";

/** What the application sends, and what it is told of the answer. */
type Request = { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string };
type Answer = { readonly status: number | null; readonly retryAfter: string | null };

const DEADLINE_MS = 10_000;
const MOODS: readonly Mood[] = ["takes", "takes", "fails", "hangs"];

export class Receivers {
  readonly #timeline: Timeline;
  readonly #random: Random;
  readonly #record: (event: HistoryEvent) => void;
  readonly #moods = new Map<string, Mood>();
  #isQuiet = false;
  #requests = 0;

  constructor(timeline: Timeline, source: Source, record: (event: HistoryEvent) => void) {
    this.#timeline = timeline;
    this.#random = source.numbers();
    this.#record = record;
  }

  set(url: string, mood: Mood): void {
    this.#moods.set(url, mood);
  }

  /** All take what they get, from now on. */
  heal(): void {
    this.#isQuiet = true;
  }

  /** Answers `status: null` after the deadline. What the receiver did, it did, also when nobody is left to hear of it. */
  readonly send = (request: Request): Promise<Answer> => currentContext().io(() => this.#receive(request));

  async #receive({ url, headers, body }: Request): Promise<Answer> {
    const timeline = this.#timeline;
    const request = ++this.#requests;
    await timeline.sleep(skewed(this.#random, 1, 60));
    const id = headers["webhook-id"] ?? "";
    const [timestamp = "", signature = ""] = [headers["webhook-timestamp"], headers["webhook-signature"]];
    const signed = { timestamp, signature, text: body };
    this.#record({ kind: "received", at: timeline.now, request, url, id, body: JSON.parse(body) as unknown, signed });
    const mood = this.#isQuiet ? "takes" : (this.#moods.get(url) ?? "takes");
    const now = mood === "changes" ? (MOODS[this.#random.below(MOODS.length)] ?? "takes") : mood;
    await timeline.sleep(now === "hangs" ? DEADLINE_MS : skewed(this.#random, 5, 200));
    const status = now === "hangs" ? null : now === "fails" ? 503 : 204;
    this.#record({ kind: "received-answered", at: timeline.now, request, url, id, status });
    await timeline.sleep(skewed(this.#random, 1, 60));
    return { status, retryAfter: null };
  }
}
