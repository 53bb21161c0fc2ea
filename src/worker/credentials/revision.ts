/** A new revision of something that is written again and again, for `If-Match`: 71 random bits, which say nothing. */
import { randomBase62, secureRandomBytes } from "./base62.ts";
import { ID_WIDTH } from "./id.ts";

export const newRevision = (): string => randomBase62(ID_WIDTH, secureRandomBytes);
