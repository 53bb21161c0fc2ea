/** A key that takes the first address from which it is used: D1 decides which that is, so that it is one, whoever asks. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import { takeFirstAddress } from "../database/api-keys.ts";
import { parseAddress } from "../model/address.ts";
import { awaitsFirstUse } from "../model/allowed-addresses.ts";
import type { Refused } from "../model/api-key.ts";

/** Whether a request was refused only because nobody has used its key before, and `address` can be the one that it takes. */
export const takesAddress = (refused: Refused | undefined, address: string | null): address is string =>
  awaitsFirstUse(refused?.allowedAddresses ?? null) && address !== null && parseAddress(address) !== undefined;

/** When it returns, the key has its address: this one, or that of another request. `now` is in Unix milliseconds. */
export const takeAddress = (database: D1Database, apiKeyId: string, address: string, now: number): Promise<void> =>
  takeFirstAddress(database, apiKeyId, address, createId(apiKeyId, secureRandomBytes), now);
