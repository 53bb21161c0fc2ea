/** Receivers of webhooks, real servers on this machine. One takes what it gets; the other is slow, fails and hangs now and then. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook as Verifier } from "standardwebhooks";
import type { Pick } from "./load.ts";
import { ask } from "./scene.ts";

/** How long a slow answer takes, in milliseconds: long enough for a kill to come before it. */
const SLOW_MS = 150;

/** A request as it came. `taken`: 2xx is on its way. */
export type Received = { readonly id: string; readonly change: string; taken: boolean };

/** The changes of the log by which both sides name them. */
export const nameOf = (type: unknown, ...ids: unknown[]): string => [type, ...ids.map((id) => id ?? "")].join(" ");

export class Receiver {
  readonly received: Received[] = [];
  readonly faults: string[] = [];
  webhookId = "";
  /** Takes everything at once. */
  isQuiet = true;
  readonly #server: Server;
  readonly #pick: Pick | undefined;
  #secret = "";

  /** Without `pick` it takes everything. */
  constructor(pick?: Pick) {
    this.#pick = pick;
    this.#server = createServer((request, response) => {
      // The sender was killed.
      this.#receive(request, response).catch(() => response.destroy());
    });
  }

  /** A webhook of the account that `npm run dev` signs in, whose receiver this is. */
  async subscribe(url: string): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const { port } = this.#server.address() as AddressInfo;
    const body = { url: `http://127.0.0.1:${port}/` };
    const { webhook, secret } = (await ask(`${url}/account/api/webhooks`, { method: "POST", body })) as {
      webhook: { id: string };
      secret: string;
    };
    this.webhookId = webhook.id;
    this.#secret = secret;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString();
    try {
      new Verifier(this.#secret).verify(body, request.headers as Record<string, string>);
    } catch (error) {
      this.faults.push(`a delivery is not signed: ${error}`);
    }
    const { type, ideaBankId, proposalId, commentId, panelistId } = JSON.parse(body);
    const received = {
      id: String(request.headers["webhook-id"]),
      change: nameOf(type, ideaBankId, proposalId, commentId, panelistId),
      taken: false,
    };
    this.received.push(received);
    const take = () => {
      received.taken = true;
      response.writeHead(204).end();
    };
    const mood = this.isQuiet ? 0 : (this.#pick?.(40) ?? 0);
    if (mood === 1) response.writeHead(503).end();
    else if (mood === 2) response.writeHead(307, { Location: "/" }).end();
    else if (mood > 30) setTimeout(take, SLOW_MS);
    // The third hangs.
    else if (mood !== 3) take();
  }
}
