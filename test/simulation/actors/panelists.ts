/** Panelists' clients: they read, vote, comment and submit with a token, and send what they were given last as `If-None-Match`. */
import { type Actors, type KnownToken, pickFrom } from "../actors.ts";
import type { Command } from "../plan.ts";
import type { Source } from "../world/random.ts";
import { searchQuery, tagQuery } from "./words.ts";

type WithId = { readonly id: string };
const SORTS = ["new", "top", "hot", "active"];
const IDEAS = "/ideabank/proposals";

export class Panelists {
  readonly #actors: Actors;
  /** By token: the last ETag of the changelog. */
  readonly #etags = new Map<KnownToken, string>();
  /** By token: the comments that were added with it, as paths. */
  readonly #comments = new Map<KnownToken, string[]>();

  constructor(actors: Actors) {
    this.#actors = actors;
  }

  async perform(source: Source, command: Command & { readonly kind: "panelist" }): Promise<void> {
    const token = pickFrom(this.#actors.tokens, command.token);
    if (token === undefined) return;
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
    const send = (
      method: string,
      path: string,
      body?: unknown,
      more: Record<string, string> = {},
      operation: string = does,
    ) =>
      this.#actors.send(
        source,
        {
          client: `panelist ${bank.account.owner} ${person}`,
          operation,
          method,
          path,
          isolate: command.isolate,
          headers: { authorization: token.text, ...more },
          ...(body !== undefined && { body }),
        },
        command,
      );
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
