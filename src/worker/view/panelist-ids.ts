/**
 * Which panelist a person is. The identifier follows from the account's salt, which never changes, so an isolate reads the salt of an
 * account once: with a view of one of its idea banks, or by itself.
 */
import type { VerifiedToken } from "../credentials/compound-token.ts";
import { deriveId, type Identifier, type Person } from "../credentials/id.ts";
import { loadPanelistSalt, type PanelistSalt } from "../database/panelists/panelist-salts.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import type { AnyToken } from "../model/signed-token.ts";
import type { Database } from "../store/databases.ts";
import type { Session } from "../store/session.ts";

/** The salts of this many accounts are remembered. */
const MAX_ACCOUNTS = 10_000;

export class PanelistIds {
  readonly #salts = new BoundedMap<PanelistSalt>({ max: MAX_ACCOUNTS });
  /** Verified tokens are kept, so each is identified once. */
  readonly #identified = new WeakMap<AnyToken, VerifiedToken>();

  /** An account's salt, as a read has brought it. */
  note(accountId: string, salt: PanelistSalt): void {
    this.#salts.set(accountId, salt);
  }

  /** The token with its panelist. Undefined when it needs the salt of an account that this isolate has not seen. No I/O. */
  async identify(token: AnyToken): Promise<VerifiedToken | undefined> {
    if (token.panelistId !== undefined) return token;
    const known = this.#identified.get(token);
    if (known !== undefined) return known;
    const salt = this.#salts.get(token.signed.accountId);
    if (salt === undefined) return undefined;
    const identified = { ...token, panelistId: await deriveId(token.signed, salt) };
    this.#identified.set(token, identified);
    return identified;
  }

  /** The same, with one round trip to the primary if the salt is unknown. In an account that does not exist, the identifier is nobody's. */
  async identifyAt(token: AnyToken, database: Database): Promise<VerifiedToken> {
    if (token.panelistId !== undefined) return token;
    const { accountId } = token.signed;
    if (this.#salts.peek(accountId) === undefined)
      await database.read((session) => this.#read(accountId, session), { atPrimary: true });
    return (await this.identify(token)) ?? { ...token, panelistId: await deriveId(token.signed, null) };
  }

  /** The identifier of a person, who may have no row yet. `session` is at the primary: a replica may lack a new account. */
  async of(person: Person, session: Session): Promise<Identifier> {
    const known = this.#salts.get(person.accountId);
    return deriveId(person, known === undefined ? await this.#read(person.accountId, session) : known);
  }

  async #read(accountId: string, session: Session): Promise<PanelistSalt> {
    const salt = await loadPanelistSalt(session, accountId);
    if (salt !== undefined) this.note(accountId, salt);
    return salt ?? null;
  }
}
