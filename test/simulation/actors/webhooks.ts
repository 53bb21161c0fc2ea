/** Owners' webhooks, each with a receiver of its own. */
import { type Actors, type KnownAccount, pickFrom } from "../actors.ts";
import type { Command, Manner } from "../plan.ts";
import type { Source } from "../world/random.ts";

const PATIENT: Manner = { isolate: 0, again: 20, idempotent: false };
/** The first waits that a failed delivery has, each a little longer than the longest: in them all that waits is delivered. */
const WAITS_MS = [7, 40, 150, 400].map((minutes) => minutes * 60_000);
/** Jobs after each: one delivers for ten seconds. */
const JOBS = 12;

type Known = { readonly account: KnownAccount; readonly id: string; readonly url: string };

export class Webhooks {
  readonly #actors: Actors;
  readonly #known: Known[] = [];
  #made = 0;

  constructor(actors: Actors) {
    this.#actors = actors;
  }

  #send(
    source: Source,
    { owner }: KnownAccount,
    request: { operation: string; method: string; path: string; body?: unknown },
    manner: Manner,
  ) {
    return this.#actors.send(source, { client: `owner ${owner}`, owner, isolate: manner.isolate, ...request }, manner);
  }

  async perform(source: Source, command: Command & { readonly kind: "webhook" }): Promise<void> {
    const { does, mood, pick } = command;
    const { receivers } = this.#actors.world;
    if (does === "create") {
      const account = pickFrom(this.#actors.accounts, command.account);
      if (account === undefined) return;
      const url = `https://receiver-${++this.#made}.example/`;
      receivers.set(url, mood);
      const request = { operation: "createWebhook", method: "POST", path: "/account/api/webhooks", body: { url } };
      const answer = await this.#send(source, account, request, { ...command, idempotent: true });
      if (answer?.status !== 201) return;
      const { webhook } = answer.body as { readonly webhook: { readonly id: string } };
      this.#known.push({ account, id: webhook.id, url });
      return;
    }
    const known = pickFrom(this.#known, pick);
    if (known === undefined) return;
    const path = `/account/api/webhooks/${known.id}`;
    if (does === "mood") receivers.set(known.url, mood);
    else if (does === "pause" || does === "resume") {
      const body = { paused: does === "pause" };
      await this.#send(source, known.account, { operation: "changeWebhook", method: "PATCH", path, body }, command);
    } else {
      const request = { operation: `${does}Webhook`, method: "POST", path: `${path}/${does}` };
      await this.#send(source, known.account, request, command);
    }
  }

  /** Receivers take what they get, webhooks go on, and the job runs for as long as something waits. */
  async deliverAll(source: Source): Promise<void> {
    const { world } = this.#actors;
    if (this.#made === 0) return;
    world.receivers.heal();
    for (const [index, { account, id }] of this.#known.entries()) {
      const path = `/account/api/webhooks/${id}`;
      const request = { operation: "changeWebhook", method: "PATCH", path, body: { paused: false } };
      await this.#send(source.of(`resume ${index}`), account, request, PATIENT);
    }
    for (const [round, wait] of WAITS_MS.entries()) {
      await world.timeline.sleep(wait);
      for (let job = 0; job < JOBS; job++) {
        await world.runScheduled(source.of(`round ${round} job ${job}`));
        await world.timeline.sleep(60_000);
      }
    }
  }
}
