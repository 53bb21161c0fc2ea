/** Asks once, for all boards and roadmaps of a page with the same token, what the idea bank allows. */
import { ConsistentConnection } from "../shared/consistent-connection.ts";
import { DEADLINE_MS } from "../shared/tokens.ts";

const ACCESS = "/ideabank";
/** What is allowed only decides what is shown, so an element that comes a little later takes the same answer. */
const KEPT_MS = 60_000;
/** By who asks, and the token. A roadmap's script loads the board's, so a page has one of it. */
const answers = new Map<string, Promise<Response>>();

/** Nothing of it is read later, when the deadline has ended the request. */
async function whole(answer: Promise<Response>): Promise<Response> {
  const response = await answer;
  return new Response(await response.text(), response);
}

export class SharedConnection extends ConsistentConnection {
  /** With `cache: "reload"` in `init` the answer is a new one. */
  protected override async fetch(path: string, init: RequestInit): Promise<Response> {
    if (path !== ACCESS) return super.fetch(path, init);
    const key = this.who + JSON.stringify(init.headers);
    const kept = init.cache === "reload" ? undefined : answers.get(key);
    // The request goes on when the element that sent it leaves the page.
    const answer = kept ?? whole(super.fetch(path, { ...init, signal: AbortSignal.timeout(DEADLINE_MS) }));
    answers.set(key, answer);
    if (!kept) setTimeout(() => answers.delete(key), KEPT_MS);
    try {
      const response = await answer;
      if (!response.ok) answers.delete(key);
      return response.clone();
    } catch (error) {
      answers.delete(key);
      throw error;
    } finally {
      init.signal?.throwIfAborted();
    }
  }
}
