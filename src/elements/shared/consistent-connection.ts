/**
 * Reading one's own writes. The API may answer from a copy that is a moment behind; the `Consistency-Token` that came with the
 * answer to a write, sent back, asks for an answer that includes it. The last one is kept for the tab: for another element and for
 * the next page too.
 */
import { Connection } from "./request.ts";
import { recall, remember } from "./storage.ts";

const CONSISTENCY = "Consistency-Token";
/** The API ignores an older one. */
const YOUNG_MS = 60_000;
/** Unix milliseconds have so many digits until the year 2286. */
const DIGITS = 13;

export class ConsistentConnection extends Connection {
  /** Called when a renewed token is another panelist's. It has to end this connection, so that nothing is sent for them. */
  ownerChanged = (): void => {};
  /** Of the first token that was not refused. */
  #panelist: string | undefined;

  protected override async fetch(path: string, init: RequestInit): Promise<Response> {
    const { who, isVisitor } = this;
    if (!isVisitor && who !== (this.#panelist ?? who)) this.ownerChanged();
    const key = `idea-bank-consistency:${who}`;
    // When it came, and the consistency token.
    const kept = recall(key, "sessionStorage") ?? "";
    const isYoung = Date.now() - Number(kept.slice(0, DIGITS)) < YOUNG_MS;
    const headers = { ...init.headers, ...(isYoung && { [CONSISTENCY]: kept.slice(DIGITS) }) };
    const answer = await super.fetch(path, { ...init, headers });
    if (!isVisitor && answer.ok) this.#panelist ??= who;
    const given = answer.headers.get(CONSISTENCY);
    if (given) remember(key, Date.now() + given, "sessionStorage");
    return answer;
  }
}
