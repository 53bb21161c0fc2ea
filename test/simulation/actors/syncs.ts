/** Tenants' own copies of their proposals, which name them by ids of the tenant's: few ids, so that many requests meet. */
import { type Actors, type KnownBank, pickFrom } from "../actors.ts";
import type { Command } from "../plan.ts";
import type { Source } from "../world/random.ts";

/** The last two are one id: composed, and not. */
const IDS = ["SYNC-1", "SYNC-2", "SYNC/é?", "SYNC/e\u0301?"];
const STATUSES = ["submitted", "planned", "implemented"];
const VISIBILITIES = ["public", "pending", "hidden"];

type Sync = Command & { readonly kind: "sync" };

export class Syncs {
  readonly #actors: Actors;

  constructor(actors: Actors) {
    this.#actors = actors;
  }

  async perform(source: Source, command: Sync): Promise<void> {
    const account = pickFrom(this.#actors.accounts, command.account);
    const bank = account && pickFrom(account.banks, command.pick);
    if (bank === undefined) return;
    const under: Promise<void>[] = [];
    for (let index = 0; index < command.count; index++) {
      under.push(this.#once(source.of(index), bank, command, index));
      if (command.everyMs > 0) await this.#actors.world.timeline.sleep(command.everyMs);
    }
    await Promise.all(under);
  }

  async #once(source: Source, bank: KnownBank, command: Sync, index: number): Promise<void> {
    const { does, draw } = command;
    const key = bank.account.integration;
    if (key === undefined) return;
    // Mostly the same again.
    const body = bodyOf(draw % 4 === 0 ? draw + 8 * index : draw);
    const externalId = pickFrom(IDS, draw >> 3) ?? "";
    const proposals = `/tenant/ideabanks/${bank.id}/proposals`;
    const send = async (method: string, path: string, sent?: object) => {
      const isolate = command.isolate + index;
      const headers = { "x-api-key": key.text };
      const answer = await this.#actors.send(
        source,
        { client: `key ${key.id}`, operation: does, method, path, isolate, headers, ...(sent && { body: sent }) },
        { ...command, isolate },
      );
      if (answer?.status === 201) bank.proposals.push((answer.body as { readonly id: string }).id);
    };
    const one = `${proposals}/${pickFrom(bank.proposals, draw >> 5)}`;
    if (does === "upsertProposal")
      await send("PUT", `${proposals}/by-external-id/${encodeURIComponent(externalId)}`, body);
    if (does === "createProposal") await send("POST", proposals, { ...body, externalId });
    if (does === "listProposals") await send("GET", `${proposals}?externalId=${encodeURIComponent(externalId)}`);
    if (does === "updateProposal") await send("PATCH", one, { externalId: draw % 5 === 0 ? null : externalId });
    if (does === "deleteProposal") await send("DELETE", one);
  }
}

/** A title always, and of the rest this and that. */
function bodyOf(draw: number): object {
  const has = (bit: number) => (draw >> bit) % 2 === 1;
  return {
    title: `Synced ${(draw >> 3) % 3}`,
    ...(has(5) && { status: pickFrom(STATUSES, draw >> 6) }),
    ...(has(8) && { visibility: pickFrom(VISIBILITIES, draw >> 9) }),
    ...(has(11) && { tags: has(12) ? ["Mobile"] : [] }),
    ...(has(13) && { metadata: has(14) ? { team: `kept-${(draw >> 15) % 2}` } : {} }),
    ...(has(15) && { response: has(16) ? { text: "Soon." } : null }),
  };
}
