/** The members of an account: they add and remove each other, and use its keys, also when they are none any more. */
import { type Actors, type KnownAccount, pickFrom } from "../actors.ts";
import type { Command, Manner } from "../plan.ts";
import type { Source } from "../world/random.ts";
import type { Answer } from "../world/world.ts";

const MEMBERS = "/account/api/members";
const COLLEAGUES = 3;

type Known = { readonly accountId: string; readonly ids: Map<string, string> };
type Sent = { readonly operation: string; readonly method: string; readonly path: string; readonly body?: unknown };

export class Members {
  readonly #actors: Actors;
  /** The members' identifiers by e-mail address, of those whom somebody was told of. */
  readonly #known = new Map<KnownAccount, Known>();

  constructor(actors: Actors) {
    this.#actors = actors;
  }

  #send(source: Source, email: string, sent: Sent, manner: Manner): Promise<Answer | undefined> {
    return this.#actors.send(
      source,
      { client: `owner ${email}`, owner: email, isolate: manner.isolate, ...sent },
      manner,
    );
  }

  async #learn(source: Source, account: KnownAccount, manner: Manner): Promise<Known | undefined> {
    const known = this.#known.get(account);
    if (known !== undefined) return known;
    const answer = await this.#send(
      source,
      account.owner,
      { operation: "listMembers", method: "GET", path: MEMBERS },
      manner,
    );
    if (answer?.status !== 200) return undefined;
    const { accountId } = answer.body as { readonly accountId: string };
    // Who has made the account is its first member, with the account's identifier.
    const learned = { accountId, ids: new Map([[account.owner, accountId]]) };
    if (!this.#known.has(account)) this.#known.set(account, learned);
    return learned;
  }

  async perform(source: Source, command: Command & { readonly kind: "member" }): Promise<void> {
    const { does, pick, draw } = command;
    const account = pickFrom(this.#actors.accounts, command.account);
    const known = account && (await this.#learn(source.of("accounts"), account, command));
    if (account === undefined || known === undefined) return;
    // The first member mostly, so that there are others.
    const by = pick % 3 > 0 ? account.owner : (pickFrom([...known.ids.keys()], pick >> 2) ?? account.owner);
    const here = `?account=${known.accountId}`;
    if (does === "add") {
      const email = draw % 5 === 0 ? account.owner : `colleague${draw % COLLEAGUES}.of.${account.owner}`;
      const request = { operation: "addMember", method: "POST", path: MEMBERS + here, body: { email, role: "admin" } };
      const answer = await this.#send(source, by, request, command);
      if (answer?.status !== 201) return;
      const { id } = answer.body as { readonly id: string };
      known.ids.set(email, id);
      const path = `/account/api/invitations/${id}`;
      const accepts = draw % 7 > 0;
      const [operation, method] = accepts ? ["acceptInvitation", "PUT"] : ["declineInvitation", "DELETE"];
      if (email !== account.owner || draw % 2 > 0)
        await this.#send(source, email, { operation, method, path }, command);
    } else if (does === "remove") {
      const id = pickFrom([...known.ids.values()], draw);
      await this.#send(
        source,
        by,
        { operation: "removeMember", method: "DELETE", path: `${MEMBERS}/${id}${here}` },
        command,
      );
    } else {
      const key = account.integration?.id;
      const list = { operation: "listApiKeys", method: "GET", path: `/account/api/keys${here}` };
      const change = {
        operation: "changeApiKey",
        method: "PATCH",
        path: `/account/api/keys/${key}${here}`,
        body: { name: `Name ${draw}` },
      };
      await this.#send(source, by, key === undefined || draw % 2 === 0 ? list : change, command);
    }
  }
}
