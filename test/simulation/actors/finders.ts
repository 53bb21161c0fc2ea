/** Who finds API keys in public and pastes them at `/leaks`, and then tries them. */
import { type Actors, type KnownKey, pickFrom } from "../actors.ts";
import type { Command } from "../plan.ts";
import type { Source } from "../world/random.ts";

type Finder = Command & { readonly kind: "finder" };

const BUSY = 5;

const forge = (key: string): string => key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");

export class Finders {
  readonly #actors: Actors;
  /** The secrets of a key that were found, also those from before a rotation. */
  readonly #found = new Map<KnownKey, Set<string>>();

  constructor(actors: Actors) {
    this.#actors = actors;
  }

  async perform(source: Source, command: Finder): Promise<void> {
    const key = pickFrom(this.#actors.keys, command.key);
    if (key === undefined) return;
    const { does, draw } = command;
    if (does === "mark" || does === "end") {
      await this.#choose(source, key, command);
      return;
    }
    const found = this.#found.get(key) ?? new Set();
    this.#found.set(key, found.add(key.text));
    if (does === "find") return;
    const secret = pickFrom([...found], draw) ?? key.text;
    const pasted = draw % 9 === 0 ? forge(secret) : secret;
    const use = (name: string, used: string, index: number) =>
      this.#use(source.of(`use ${name}`), key, used, command.isolate + index);
    // Busy use, so that isolates have leases of it.
    for (let busy = 0; busy < BUSY; busy++)
      await Promise.all([0, 1, 2].map((at) => use(`${busy} at ${at}`, key.text, at)));
    const under: Promise<void>[] = [];
    const report = async (index: number) => {
      await this.#report(source.of(index), pasted, command, index);
      await use(`secret ${index}`, secret, index + 1);
      await use(`key ${index}`, key.text, index);
    };
    for (let index = 0; index < command.count; index++) {
      under.push(report(index));
      if (command.everyMs > 0) await this.#actors.world.timeline.sleep(command.everyMs);
    }
    await Promise.all(under);
  }

  /** Again, when the answer says so. */
  async #report(source: Source, key: string, command: Finder, index: number): Promise<void> {
    for (let sent = 0; sent <= command.again; sent++) {
      const isolate = command.isolate + index + sent;
      const request = { operation: "pasteLeak", method: "POST", path: "/leaks/reports", isForm: true };
      const body = { key, foundAt: "a forum" };
      const asked = { client: "finder", isolate, body, ...request };
      const answer = await this.#actors.send(source.of(`sent ${sent}`), asked, { ...command, isolate });
      if (answer?.headers.location !== "/leaks/again") return;
    }
  }

  async #use(source: Source, key: KnownKey, used: string, isolate: number): Promise<void> {
    await this.#actors.world.send(source, {
      client: `key ${key.id}`,
      operation: "whoami",
      method: "GET",
      path: "/tenant/whoami",
      isolate,
      headers: { "x-api-key": used },
    });
  }

  async #choose(source: Source, { account }: KnownKey, command: Finder): Promise<void> {
    const { owner } = account;
    const request = { operation: "changeSettings", method: "PUT", path: "/account/api/settings" };
    const body = { leakedKeys: command.does };
    const { isolate } = command;
    await this.#actors.send(source, { client: `owner ${owner}`, owner, isolate, body, ...request }, command);
  }
}
