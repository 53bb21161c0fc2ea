/** What people do seldom: they name what is another's, reach their quota, use one `Idempotency-Key` for two things, bind a key to one address. */
import { type Actors, type KnownAccount, pickFrom } from "../actors.ts";
import type { Command, Manner } from "../plan.ts";
import type { Source } from "../world/random.ts";

type Odd = Command & { readonly kind: "odd" };
const ONCE = { again: 0, idempotent: false } as const;

export class Oddities {
  readonly #actors: Actors;

  constructor(actors: Actors) {
    this.#actors = actors;
  }

  async perform(source: Source, command: Odd): Promise<void> {
    const { accounts } = this.#actors;
    if (command.does === "firstVisit") return this.#visit(source, command);
    const account = pickFrom(accounts, command.account);
    const other = pickFrom(accounts, command.account + 1);
    if (account === undefined || other === undefined) return;
    if (command.does === "trespass" && account !== other) await this.#trespass(source, account, other, command);
    if (command.does === "quota") await this.#fill(account, command);
    if (command.does === "sameKey") await this.#useOneKey(source, account, command);
    if (command.does === "careless") await this.#askCarelessly(source, command);
    if (command.does === "revokeBySql") this.#revoke(command);
  }

  /** With one's own key, token or session, of what is another account's. */
  async #trespass(source: Source, own: KnownAccount, other: KnownAccount, command: Odd): Promise<void> {
    const { pick, draw } = command;
    const to: Manner = { ...ONCE, isolate: command.isolate };
    const bank = pickFrom(other.banks, pick);
    const theirs = this.#actors.keys.filter((key) => key.account === other);
    const send = (name: string, operation: string, method: string, path: string, headers: object, body?: unknown) =>
      this.#actors.send(
        source.of(name),
        {
          client: own.integration === undefined ? `owner ${own.owner}` : `key ${own.integration.id}`,
          operation,
          method,
          path,
          isolate: to.isolate,
          headers: { ...headers },
          ...(body !== undefined && { body }),
        },
        to,
      );
    const key = pickFrom(theirs, pick);
    if (key !== undefined) {
      const path = `/account/api/keys/${key.id}`;
      const asked = [
        { operation: "getApiKeyUsage", method: "GET", path: `${path}/usage` },
        { operation: "changeApiKey", method: "PATCH", path, body: { paused: true } },
        { operation: "rotateApiKey", method: "POST", path: `${path}/rotate`, body: { graceSeconds: 0 } },
        { operation: "revokeApiKey", method: "DELETE", path },
      ];
      const one = pickFrom(asked, draw);
      if (one !== undefined)
        await this.#actors.send(
          source.of("owner"),
          { client: `owner ${own.owner}`, owner: own.owner, isolate: to.isolate, ...one },
          to,
        );
    }
    if (bank === undefined || own.integration === undefined) return;
    const headers = { "x-api-key": own.integration.text };
    const proposals = `/tenant/ideabanks/${bank.id}/proposals`;
    const proposal = pickFrom(bank.proposals, draw >> 3);
    const person = pickFrom([...other.people.values()], draw >> 3);
    const mine = pickFrom(own.banks, pick);
    const asked = [
      ["getProposal", "GET", `${proposals}/${proposal}`],
      ["listProposals", "GET", proposals],
      ["updateProposal", "PATCH", `${proposals}/${proposal}`, { title: `Trespassed ${draw}` }],
      ["deleteProposal", "DELETE", `${proposals}/${proposal}`],
      [
        "updateProposal",
        "PATCH",
        `/tenant/ideabanks/${mine?.id}/proposals/${proposal}`,
        { title: `Trespassed ${draw}` },
      ],
      ["createComment", "POST", `${proposals}/${proposal}/comments`, { body: "Trespassed" }],
      [
        "putVote",
        "PUT",
        `/tenant/ideabanks/${mine?.id}/proposals/${pickFrom(mine?.proposals ?? [], pick)}/votes/${person}`,
      ],
      ["listVotes", "GET", `${proposals}/${proposal}/votes`],
      ["updateIdeaBank", "PATCH", `/tenant/ideabanks/${bank.id}`, { name: "Trespassed" }],
      ["deleteIdeaBank", "DELETE", `/tenant/ideabanks/${bank.id}`],
      ["issueToken", "POST", `/tenant/ideabanks/${bank.id}/tokens`, { externalId: "person-0" }],
      ["issueToken", "POST", `/tenant/ideabanks/${mine?.id}/tokens`, { panelistId: person }],
      ["revokeTokens", "DELETE", `/tenant/panelists/${person}/tokens`],
      ["deletePanelist", "DELETE", `/tenant/panelists/${person}`],
      [
        "mergeProposal",
        "POST",
        `/tenant/ideabanks/${mine?.id}/proposals/${pickFrom(mine?.proposals ?? [], pick)}/merge`,
        { into: proposal },
      ],
    ] as const;
    for (const turn of [0, 1, 2]) {
      const one = pickFrom(asked, (draw >> 2) + 5 * turn);
      if (one !== undefined) await send(`tenant ${turn}`, one[0], one[1], one[2], headers, one[3]);
    }
    const token = pickFrom(
      this.#actors.tokens.filter((known) => known.bank.account === own),
      pick,
    );
    if (token === undefined) return;
    const panelist = { authorization: token.text };
    const ideas = `/ideabank/proposals/${proposal}`;
    await send("seen", "getPanelistProposal", "GET", ideas, panelist);
    await send("voted", "vote", "PUT", `${ideas}/vote`, panelist);
    await send("commented", "addComment", "POST", `${ideas}/comments`, panelist, { body: "Trespassed" });
  }

  /** The account has room for a little more, for a while. */
  async #fill(account: KnownAccount, { draw }: Odd): Promise<void> {
    const bank = account.banks[0];
    if (bank === undefined) return;
    const database = this.#actors.databaseOf(bank.id);
    const set = (sql: string, ...values: unknown[]) =>
      database.execute(
        `UPDATE accounts SET max_bytes = ${sql} WHERE id = (SELECT account_id FROM idea_banks WHERE id = ?1)`,
        bank.id,
        ...values,
      );
    set("stored_bytes + ?2", draw % 2_000);
    await this.#actors.world.timeline.sleep(10_000 + (draw % 20_000));
    set("536870912");
  }

  /** At the same moment in two isolates, then for another request. */
  async #useOneKey(source: Source, { integration, banks }: KnownAccount, { pick, draw, isolate }: Odd): Promise<void> {
    const bank = pickFrom(banks, pick);
    if (integration === undefined || bank === undefined) return;
    const path = `/tenant/ideabanks/${bank.id}/proposals`;
    const send = (name: string, at: number, title: string) =>
      this.#actors.send(
        source.of(name),
        {
          client: `key ${integration.id}`,
          operation: "createProposal",
          method: "POST",
          path,
          isolate: isolate + at,
          headers: { "x-api-key": integration.text, "idempotency-key": `the-same-${draw}` },
          body: { title },
        },
        { ...ONCE, isolate: isolate + at },
      );
    await Promise.all([
      send("one", 0, `Same ${draw}`),
      send("two", 1, `Same ${draw}`),
      send("three", 2, `Same ${draw}`),
    ]);
    await send("other", 1, `Another ${draw}`);
    const [token] = this.#actors.tokens.filter((known) => known.bank === bank);
    if (token === undefined) return;
    const submit = (name: string, at: number, title: string) =>
      this.#actors.send(
        source.of(name),
        {
          client: `panelist ${bank.account.owner} ${token.person}`,
          operation: "submitProposal",
          method: "POST",
          path: "/ideabank/proposals",
          isolate: isolate + at,
          headers: { authorization: token.text, "idempotency-key": `the-same-${draw}` },
          body: { title, description: "" },
        },
        { ...ONCE, isolate: isolate + at },
      );
    await Promise.all([submit("a", 0, `Submitted ${draw}`), submit("b", 1, `Submitted ${draw}`)]);
    await submit("c", 2, `Submitted other ${draw}`);
  }

  /** Somebody who was never here comes in several windows at once, makes keys in some, and comes again. */
  async #visit(source: Source, { draw, isolate }: Odd): Promise<void> {
    const owner = `Newcomer${draw % 2}@example.com`;
    const path = "/account/api/keys";
    const list = { operation: "listApiKeys", method: "GET", path };
    const create = { operation: "createApiKey", method: "POST", path, body: { name: "A key" } };
    // Each request has randomness of its own, or two would make the same identifiers.
    const visit = (window: number, name: string | number = window) =>
      this.#actors.send(
        source.of(name),
        { client: `owner ${owner}`, owner, isolate: isolate + window, ...((draw >> window) % 2 === 0 ? list : create) },
        { again: window % 3, idempotent: false, isolate: isolate + window },
      );
    await Promise.all(Array.from({ length: 2 + (draw % 7) }, (_, window) => visit(window)));
    await visit(1, "again");
  }

  /** A client of somebody's own: another spelling of the header, a token or a `Consistency-Token` that somebody has changed, several ETags. */
  async #askCarelessly(source: Source, { pick, draw, isolate }: Odd): Promise<void> {
    const token = pickFrom(this.#actors.tokens, pick);
    if (token === undefined) return;
    const { text, bank, person } = token;
    const place = 4 + (draw % (text.length - 4));
    const forged = text.slice(0, place) + (text[place] === "a" ? "b" : "a") + text.slice(place + 1);
    const headers = [
      { authorization: `Bearer ${text}` },
      { authorization: `bearer  ${text}`, "if-none-match": '"nothing", W/"nothing either"' },
      { authorization: forged },
      { authorization: text, "consistency-token": `ibw_${"A".repeat(60)}` },
      { authorization: text, "consistency-token": "nonsense", "if-none-match": "*" },
    ];
    const reads = [
      ["getChangelog", "/public/ideabank/changelog"],
      ["getCapabilities", "/ideabank"],
      ["listPanelistProposals", "/ideabank/proposals?sort=new"],
    ] as const;
    for (const [index, own] of headers.entries()) {
      const [operation, path] = pickFrom(reads, draw + index) ?? reads[0];
      const client = `panelist ${bank.account.owner} ${person}`;
      const asked = { client, operation, method: "GET", path, isolate, headers: own };
      await this.#actors.send(source.of(index), asked, { ...ONCE, isolate });
    }
  }

  /** By somebody who writes to D1. */
  #revoke({ pick }: Odd): void {
    const key = pickFrom(this.#actors.keys, pick);
    if (key === undefined) return;
    const sql =
      "UPDATE api_keys SET revoked_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE id = ?1 AND revoked_at IS NULL";
    this.#actors.databaseOf(key.id).execute(sql, key.id);
  }
}
