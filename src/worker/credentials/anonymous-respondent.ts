/**
 * How the responses of an anonymous survey are stored: under a keyed hash of the panelist. The key is the survey's salt, which its close
 * destroys. Until then the same person has the same row; afterwards nobody can tell whose it was.
 */
import { digestToBase62 } from "./base62.ts";
import { computeHmac, importSigningKey } from "./envelope.ts";
import { ID_WIDTH } from "./id.ts";

/** 71 bits: as an identifier, and a cursor can hold it. */
const WIDTH = ID_WIDTH;

const hashed = async (salt: string, text: string): Promise<string> =>
  digestToBase62(await computeHmac(await importSigningKey(salt), text), WIDTH);

/** HMAC-SHA-256 of the panelist. `salt` is that of the survey: 128 random bits in hex. */
export const anonymousRespondent = (salt: string, panelistId: string): Promise<string> =>
  hashed(salt, `respondent ${panelistId}`);

/** Where a person's text stands among those of a question: in another order for each question, so that no two lists can be joined. */
export const anonymousPlace = (salt: string, panelistId: string, questionId: string): Promise<string> =>
  hashed(salt, `text ${questionId} ${panelistId}`);
