/** Tokens of the other kinds: visitors', and those that a tenant's own server signs. How they are made, used and ended. */
import { createHmac } from "node:crypto";
import { type Actors, type KnownBank, type KnownToken, pickFrom } from "../actors.ts";
import type { Command } from "../plan.ts";
import { EPOCH } from "../world/globals.ts";
import type { Source } from "../world/random.ts";
import type { Answer } from "../world/world.ts";

type Secret = { readonly kid: string; readonly secret: string };
type TokenCommand = Command & { readonly kind: "token" };

/** Some have tokens of the API, too, and others may never write. */
const PEOPLE = ["person-0", "person-1", "reader-0", "reader-1", "reader-2"];
const GRACE_SECONDS = [0, 3, 30];

export class Tokens {
  readonly #actors: Actors;
  readonly #visitors = new Map<KnownBank, KnownToken[]>();
  readonly #signed = new Map<KnownBank, KnownToken[]>();
  /** As the tenant's server knows it: it may be an old one. */
  readonly #secrets = new Map<KnownBank, Secret>();

  constructor(actors: Actors) {
    this.#actors = actors;
  }

  async perform(source: Source, command: TokenCommand): Promise<void> {
    const { does, pick, draw } = command;
    const account = pickFrom(this.#actors.accounts, command.account);
    const bank = account && pickFrom(account.banks, pick);
    const key = account?.integration;
    if (bank === undefined || key === undefined) return;
    const path = `/tenant/ideabanks/${bank.id}`;
    const send = (operation: string, method: string, path: string, body?: unknown): Promise<Answer | undefined> => {
      const asked = { operation, method, path, isolate: command.isolate, ...(body !== undefined && { body }) };
      const headers = { "x-api-key": key.text };
      return this.#actors.send(source.of(operation), { client: `key ${key.id}`, headers, ...asked }, command);
    };
    switch (does) {
      case "issueVisitor": {
        const answer = await send("issueToken", "POST", `${path}/tokens`, { visitor: true });
        if (answer?.status !== 201) return;
        const { token } = answer.body as { readonly token: string };
        add(this.#visitors, bank, { text: token, bank, person: "a visitor" });
        return;
      }
      case "endVisitors":
        await send("endVisitorTokens", "DELETE", `${path}/visitor-tokens`);
        return;
      case "revokePerson":
        await send("revokeTokensOf", "POST", "/tenant/tokens/revoke", { externalId: pickFrom(PEOPLE, draw) });
        return;
      case "rotateSecret": {
        const graceSeconds = pickFrom(GRACE_SECONDS, draw);
        const answer = await send("rotateSigningSecret", "POST", `${path}/signing-secret/rotate`, { graceSeconds });
        // Some servers go on with the secret before until they read it again.
        if (answer?.status === 201 && draw % 2 === 0) this.#secrets.set(bank, answer.body as Secret);
        return;
      }
      case "readSecret": {
        const answer = await send("getSigningSecret", "GET", `${path}/signing-secret`);
        if (answer?.status === 200) this.#secrets.set(bank, answer.body as Secret);
        return;
      }
      case "useVisitor": {
        const token = pickFrom(this.#visitors.get(bank) ?? [], draw);
        return token && this.#actors.useToken(source, token, command);
      }
      case "useSigned": {
        const token = this.#sign(bank, draw) ?? pickFrom(this.#signed.get(bank) ?? [], draw);
        return token && this.#actors.useToken(source, token, command);
      }
    }
  }

  /** A new one, if it is time for it and the server has a secret. */
  #sign(bank: KnownBank, draw: number): KnownToken | undefined {
    const secret = this.#secrets.get(bank);
    const isDue = draw % 3 !== 0 || (this.#signed.get(bank) ?? []).length === 0;
    if (secret === undefined || !isDue) return undefined;
    const iat = Math.floor((EPOCH + this.#actors.world.timeline.now) / 1_000);
    const person = pickFrom(PEOPLE, draw >> 3) ?? "";
    const name = draw % 5 === 0 ? { name: `Name ${draw}` } : {};
    const claims = { iss: bank.id, sub: person, iat, exp: iat + (draw % 7 === 0 ? 10 : 3_600), ...name };
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const signed = `${encode({ alg: "HS256", kid: secret.kid })}.${encode(claims)}`;
    // A forged one now and then, which nobody signs.
    const by = draw % 23 === 0 ? "another secret" : secret.secret;
    const token = { text: `${signed}.${createHmac("sha256", by).update(signed).digest("base64url")}`, bank, person };
    add(this.#signed, bank, token);
    return token;
  }
}

const add = (lists: Map<KnownBank, KnownToken[]>, bank: KnownBank, token: KnownToken): void => {
  lists.set(bank, [...(lists.get(bank) ?? []), token]);
};
