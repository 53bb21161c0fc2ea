/** The heap of one Worker's isolate, read through V8's inspector. (The process also contains Miniflare's D1 and KV.) */
import { setTimeout } from "node:timers/promises";

type Target = { readonly title: string; readonly webSocketDebuggerUrl: string };
type HeapUsage = {
  readonly usedSize: number;
  readonly embedderHeapUsedSize: number;
  readonly backingStorageSize: number;
};
type Reply = { readonly id: number; readonly result: unknown };

const POKE_MS = 20;

export class Heap {
  readonly #socket: WebSocket;
  readonly #url: string;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #lastId = 0;

  constructor(socket: WebSocket, url: string) {
    this.#socket = socket;
    this.#url = url;
    socket.addEventListener("message", ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as Reply;
      this.#waiting.get(id)?.(result);
      this.#waiting.delete(id);
    });
  }

  /** `inspector` is workerd's, `worker` the Worker's name, `url` where it listens. */
  static async connect(inspector: URL, worker: string, url: string): Promise<Heap> {
    const targets = (await fetch(new URL("/json", inspector)).then((response) => response.json())) as Target[];
    const target = targets.find(({ title }) => title.endsWith(`:${worker}`));
    if (target === undefined) throw new Error(`the inspector does not know ${worker}`);
    const socket = new WebSocket(target.webSocketDebuggerUrl);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", () => reject(new Error("the inspector does not let us in")));
    });
    const heap = new Heap(socket, url);
    await heap.#call("HeapProfiler.enable");
    return heap;
  }

  /** After a collection of garbage: objects, those of the runtime, and the contents of array buffers. */
  async usedBytes(): Promise<number> {
    // An isolate collects and reports when it runs next.
    let collected = false;
    const collecting = this.#call("HeapProfiler.collectGarbage").then(() => {
      collected = true;
    });
    while (!collected) await Promise.race([collecting, fetch(this.#url).then(() => setTimeout(POKE_MS))]);
    const usage = (await this.#call("Runtime.getHeapUsage")) as HeapUsage;
    return usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize;
  }

  close(): void {
    this.#socket.close();
  }

  #call(method: string): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method }));
    });
  }
}
