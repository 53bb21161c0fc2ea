/**
 * An isolate's memory of the credentials that it has verified: who comes again costs a look-up, and no HMAC.
 *
 * Only what we signed is remembered, so garbage pushes nothing out, and only under the signing keys that verified it.
 * What may change while they stay the same (expiry, revocation) is not decided here.
 */
import { LRUCache } from "lru-cache";
import type { SigningKeys } from "./envelope.ts";
import type { Result } from "./result.ts";

/** About 5 MB of tokens, or of keys. */
const MAX_CREDENTIALS = 10_000;

type Verify<Credential, Reason extends string> = (
  text: string | undefined,
  keys: SigningKeys,
) => Promise<Result<Credential, Reason>>;

export class VerifiedCredentials<Credential, Reason extends string> {
  readonly #verify: Verify<Credential, Reason>;
  readonly #verified = new LRUCache<string, Result<Credential, Reason>>({ max: MAX_CREDENTIALS });
  #keys: SigningKeys | undefined;

  constructor(verify: Verify<Credential, Reason>) {
    this.#verify = verify;
  }

  /** What `verify` says of a credential. */
  async verify(text: string | undefined, keys: SigningKeys): Promise<Result<Credential, Reason>> {
    if (this.#keys !== keys) {
      this.#verified.clear();
      this.#keys = keys;
    }
    const known = text && this.#verified.get(text);
    if (known) return known;
    const result = await this.#verify(text, keys);
    if (text && result.ok && this.#keys === keys) this.#verified.set(text, result);
    return result;
  }
}
