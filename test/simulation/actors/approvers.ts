/** Members of an account at the list of what waits for approval; and now and then another site, in the browser of one. */
import { type Actors, type KnownAccount, pickFrom } from "../actors.ts";
import type { Command } from "../plan.ts";
import type { Source } from "../world/random.ts";
import type { Answer } from "../world/world.ts";

const PAGE = "/account/ideas?visibility=pending";
const ELSEWHERE = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
/** What the list chooses an idea by: its board, its id, and which of its texts was seen. */
const WAITING = /name="ids" value="([0-9A-Za-z]{12}-[0-9A-Za-z]{12}-\w+)"/g;

type Approver = Command & { readonly kind: "approver" };

export class Approvers {
  readonly #actors: Actors;

  constructor(actors: Actors) {
    this.#actors = actors;
  }

  async perform(source: Source, command: Approver): Promise<void> {
    const account = pickFrom(this.#actors.accounts, command.account);
    if (account === undefined) return;
    if (command.does === "requireApproval") return this.#require(source, account, command);
    const page = await this.#look(source.of("look"), account, command);
    if (command.does === "listPending" || page?.status !== 200) return;
    const waiting = [...new Set(Array.from(String(page.body).matchAll(WAITING), ([, id]) => id))];
    const shown = pickFrom(waiting, command.pick);
    if (shown === undefined) return;
    const under: Promise<unknown>[] = [];
    for (let index = 0; index < command.count; index++) {
      under.push(this.#decide(source.of(index), account, shown, command, index));
      if (command.everyMs > 0) await this.#actors.world.timeline.sleep(command.everyMs);
    }
    await Promise.all(under);
  }

  async #require(source: Source, account: KnownAccount, command: Approver): Promise<void> {
    const [bank, key] = [pickFrom(account.banks, command.pick), account.integration];
    if (bank === undefined || key === undefined) return;
    await this.#actors.send(
      source,
      {
        client: `key ${key.id}`,
        operation: "updateIdeaBank",
        method: "PATCH",
        path: `/tenant/ideabanks/${bank.id}`,
        isolate: command.isolate,
        headers: { "x-api-key": key.text },
        body: { approvalRequired: true, status: "OPEN" },
      },
      command,
    );
  }

  #look(source: Source, { owner }: KnownAccount, command: Approver): Promise<Answer | undefined> {
    const { isolate } = command;
    const request = {
      operation: "listPending",
      method: "GET",
      path: command.draw % 7 === 0 ? `${PAGE}&limit=1` : PAGE,
    };
    return this.#actors.send(source, { client: `owner ${owner}`, owner, isolate, ...request }, command);
  }

  #decide(source: Source, account: KnownAccount, shown: string, command: Approver, index: number): Promise<unknown> {
    const { owner } = account;
    const [bank = "", id = "", edits = ""] = shown.split("-");
    const draw = command.draw + index;
    const into = pickFrom(pickFrom(account.banks, draw >> 4)?.proposals ?? [], draw >> 6);
    const body =
      draw % 4 === 3 && into !== undefined
        ? { do: "merge", into, edits }
        : { do: draw % 2 === 0 ? "approve" : "hide", edits, ...(draw % 3 === 0 && { response: "  Soon. " }) };
    const isolate = command.isolate + index;
    const request = {
      operation: "decide",
      method: "POST",
      path: `/account/idea-banks/${bank}/ideas/${id}`,
      body,
      isForm: true,
    };
    const headers = draw % 11 === 0 ? ELSEWHERE : {};
    return this.#actors.send(
      source,
      { client: `owner ${owner}`, owner, isolate, headers, ...request },
      { ...command, isolate },
    );
  }
}
