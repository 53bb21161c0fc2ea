/**
 * Reads the bodies of requests whose sender is not known yet: a few at a time, each with a deadline, because a slow body holds
 * memory of the isolate.
 */
import { invalid } from "../http/invalid-request.ts";
import type { Sent } from "../http/read-body.ts";
import { Problem } from "../problem.ts";
import { answerWithin, DeadlineExceeded } from "../store/deadline.ts";

const AT_A_TIME = 16;
const DEADLINE_MS = 10_000;

export class UnsignedBodies {
  readonly #deadlineMs: number;
  #reading = 0;

  constructor(deadlineMs = DEADLINE_MS) {
    this.#deadlineMs = deadlineMs;
  }

  /**
   * The result of `read` for the body. Throws `service-unavailable` while too many bodies are read, and `invalid-request` for one
   * that is too slow.
   */
  async read<Body>({ headers, body }: Sent, read: (sent: Sent) => Promise<Body>): Promise<Body> {
    if (this.#reading >= AT_A_TIME)
      throw new Problem("service-unavailable", { headers: { "Retry-After": "5" }, cause: "too many bodies at a time" });
    this.#reading += 1;
    const reader = body?.getReader();
    try {
      return await answerWithin(this.#deadlineMs, read({ headers, body: reader ? streamOf(reader) : null }));
    } catch (error) {
      if (!(error instanceof DeadlineExceeded)) throw error;
      // Releases the received bytes, and ends a read that still waits.
      reader?.cancel().catch(() => {});
      throw invalid([{ path: "", message: `must arrive within ${this.#deadlineMs / 1_000} seconds` }]);
    } finally {
      this.#reading -= 1;
    }
  }
}

const streamOf = (reader: ReadableStreamDefaultReader<Uint8Array>) =>
  new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
