/**
 * The request's id, in `X-Request-Id` and in the log: the client's own, or a new one. A text that has a credential in it is replaced,
 * because a client that uses the wrong header would write its credential into the log.
 */
import { hasCredential } from "../credentials/hide-credentials.ts";

export const REQUEST_ID = "X-Request-Id";
const ID = /^[\w\-=]{1,64}$/;

/** `sent` is the header's value. */
export const requestIdOf = (sent: string | undefined, operatorSecret: string | undefined): string =>
  sent !== undefined && ID.test(sent) && !hasCredential(sent, operatorSecret) ? sent : crypto.randomUUID();
