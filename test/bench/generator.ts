/** The parent's side of the load generator's process. */
import { type ChildProcess, fork } from "node:child_process";
import type { Load, Measurement } from "./measurement.ts";

type Reply = { readonly measurement: Measurement } | { readonly error: string };

export class Generator {
  readonly #process: ChildProcess = fork(`${import.meta.dirname}/load.ts`);

  /** One load at a time. Rejects when an answer was not the expected answer. */
  send(load: Load): Promise<Measurement> {
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error("the load generator has ended"));
      this.#process.once("exit", onExit);
      this.#process.once("message", (reply: Reply) => {
        this.#process.off("exit", onExit);
        if ("error" in reply) reject(new Error(reply.error));
        else resolve(reply.measurement);
      });
      this.#process.send(load);
    });
  }

  stop(): void {
    this.#process.removeAllListeners("exit");
    this.#process.kill();
  }
}
