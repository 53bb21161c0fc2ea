/**
 * The isolate's cache of verified credentials: verifying one again costs a look-up instead of an HMAC.
 *
 * Only valid credentials are cached, so invalid ones evict nothing. New signing keys empty the cache.
 * Expiry and revocation are checked elsewhere, for every request.
 */
import { BoundedMap } from "../memory/bounded-map.ts";
import type { SigningKeys } from "./envelope.ts";
import type { Result } from "./result.ts";

/** In bytes: about 10,000 of our credentials. A tenant's server can make its tokens much longer. */
const MAX_BYTES = 5_120_000;
const ENTRY_BYTES = 400;

type Verify<Credential, Reason extends string> = (
  text: string | undefined,
  keys: SigningKeys,
) => Promise<Result<Credential, Reason>>;

export class VerifiedCredentials<Credential, Reason extends string> {
  readonly #verify: Verify<Credential, Reason>;
  readonly #verified = new BoundedMap<Result<Credential, Reason>>({
    max: MAX_BYTES,
    // The text, and what was read from it.
    weigh: (_, text) => ENTRY_BYTES + 2 * text.length,
  });
  #keys: SigningKeys | undefined;

  constructor(verify: Verify<Credential, Reason>) {
    this.#verify = verify;
  }

  /** The result of `verify`, from the cache if the credential is in it. */
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
