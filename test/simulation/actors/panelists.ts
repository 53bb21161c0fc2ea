/**
 * Panelists' clients: they read, vote, comment and submit with a token, and send what they were given last as `If-None-Match`. Most send
 * the last `Consistency-Token` back, as the elements do, and look at what they have written, wherever the next request lands.
 */
import { type Actors, type KnownToken, pickFrom } from "../actors.ts";
import { Dice } from "../dice.ts";
import type { Command, Manner } from "../plan.ts";
import type { Source } from "../world/random.ts";
import { searchQuery, tagQuery } from "./words.ts";

type WithId = { readonly id: string };
const SORTS = ["new", "top", "hot", "active"];
const IDEAS = "/ideabank/proposals";

/** What shows a write. */
function lookAfter(
  operation: string,
  path: string,
  method: string,
): { readonly operation: string; readonly path: string } {
  const one = path.split("/").slice(0, 4).join("/");
  if (path.includes("/comments")) return { operation: "listPanelistComments", path: `${one}/comments` };
  if (operation === "submitProposal" || method === "DELETE")
    return { operation: "listPanelistProposals", path: `${IDEAS}?sort=new` };
  return { operation: "getPanelistProposal", path: one };
}

export class Panelists {
  readonly #actors: Actors;
  /** By token: the last ETag of the changelog. */
  readonly #etags = new Map<KnownToken, string>();
  /** By token: the comments that were added with it, as paths. */
  readonly #comments = new Map<KnownToken, string[]>();

  /** By token: the last `Consistency-Token` that it was given. */
  readonly #written = new Map<KnownToken, string>();

  constructor(actors: Actors) {
    this.#actors = actors;
  }

  async perform(source: Source, command: Command & { readonly kind: "panelist" }): Promise<void> {
    const token = pickFrom(this.#actors.tokens, command.token);
    if (token !== undefined) await this.use(source, token, command);
  }

  async use(source: Source, token: KnownToken, command: Command & { readonly kind: "panelist" }): Promise<void> {
    const under: Promise<void>[] = [];
    for (let index = 0; index < command.count; index++) {
      under.push(this.#once(source.of(index), token, command));
      if (command.everyMs > 0) await this.#actors.world.timeline.sleep(command.everyMs);
    }
    await Promise.all(under);
  }

  async #once(source: Source, token: KnownToken, command: Command & { readonly kind: "panelist" }): Promise<void> {
    const { does, pick, draw } = command;
    const { bank, person } = token;
    const dice = new Dice(source.of("tab"));
    const sendsBack = dice.chance(0.7);
    const looks = dice.chance(0.6);
    const send = async (
      method: string,
      path: string,
      body?: unknown,
      more: Record<string, string> = {},
      operation: string = does,
    ) => {
      const ask = (
        own: Source,
        asked: { operation: string; method: string; path: string; body?: unknown },
        to: Manner,
      ) => {
        const written = sendsBack ? this.#written.get(token) : undefined;
        const headers = {
          authorization: token.text,
          ...more,
          ...(written !== undefined && { "consistency-token": written }),
        };
        const client = `panelist ${bank.account.owner} ${person}`;
        return this.#actors.send(own, { client, ...asked, isolate: to.isolate, headers }, to);
      };
      const answer = await ask(source, { operation, method, path, ...(body !== undefined && { body }) }, command);
      const given = answer?.headers["consistency-token"];
      if (given !== undefined) this.#written.set(token, given);
      if (method !== "GET" && looks && answer !== undefined && answer.status < 300) {
        const shown = lookAfter(operation, path, method);
        const to = { isolate: command.isolate + dice.number(0, 2), again: 0, idempotent: false };
        await ask(source.of("look"), { ...shown, method: "GET" }, to);
      }
      return answer;
    };
    const proposal = pickFrom(bank.proposals, pick);
    const one = `${IDEAS}/${proposal}`;
    switch (does) {
      case "getChangelog": {
        const etag = this.#etags.get(token);
        const condition: Record<string, string> = etag !== undefined && draw % 3 === 0 ? { "if-none-match": etag } : {};
        const answer = await send("GET", "/public/ideabank/changelog", undefined, condition);
        const given = answer?.headers.etag;
        if (given !== undefined) this.#etags.set(token, given);
        return;
      }
      case "getCapabilities":
        await send("GET", "/ideabank");
        return;
      case "listPanelistProposals": {
        const mine = draw % 5 === 0 ? "&mine=voted" : draw % 5 === 1 ? "&mine=submitted" : "";
        await send("GET", `${IDEAS}?sort=${pickFrom(SORTS, draw >> 3)}${mine}`);
        return;
      }
      case "searchProposals":
      case "listTagged": {
        const query = does === "listTagged" ? `sort=${pickFrom(SORTS, draw >> 5)}` : searchQuery("q", draw);
        const tag = does === "listTagged" || draw % 5 === 0 ? `&${tagQuery(draw >> 2)}` : "";
        const status = draw % 7 === 0 ? "&status=implemented" : "";
        await send("GET", `${IDEAS}?${query}${tag}${status}`, undefined, {}, "listPanelistProposals");
        return;
      }
      case "similarProposals":
        await send("GET", `${IDEAS}/similar?${searchQuery("title", draw)}`, undefined, {}, "listSimilarProposals");
        return;
      case "listTags":
        await send("GET", "/ideabank/tags");
        return;
      case "submitProposal": {
        const answer = await send("POST", IDEAS, { title: `Idea ${draw}`, description: "An idea" });
        if (answer?.status === 201) bank.proposals.push((answer.body as WithId).id);
        return;
      }
      case "removeComment": {
        const path = pickFrom(this.#comments.get(token) ?? [], pick);
        if (path !== undefined) await send("DELETE", path);
        return;
      }
    }
    if (proposal === undefined) return;
    if (does === "getPanelistProposal") await send("GET", one);
    if (does === "editProposal") await send("PATCH", one, { title: `Edited ${draw}` });
    if (does === "withdrawProposal") await send("DELETE", one);
    if (does === "vote") await send("PUT", `${one}/vote`);
    if (does === "unvote") await send("DELETE", `${one}/vote`);
    if (does === "listPanelistComments") await send("GET", `${one}/comments`);
    if (does === "addComment") {
      const answer = await send("POST", `${one}/comments`, { body: `Comment ${draw}` });
      if (answer?.status !== 201) return;
      const known = this.#comments.get(token) ?? [];
      this.#comments.set(token, [...known, `${one}/comments/${(answer.body as WithId).id}`]);
    }
  }
}
