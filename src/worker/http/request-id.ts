/**
 * The request's id, in `X-Request-Id` and in the log: the client's own, or a new one. A text that looks like a credential is
 * replaced, because a client that uses the wrong header would write its credential into the log.
 */
export const REQUEST_ID = "X-Request-Id";
const ID = /^(?!.*ib[ktvs]_)[\w\-=]{1,64}$/;

/** `sent` is the header's value. */
export const requestIdOf = (sent: string | undefined): string =>
  sent !== undefined && ID.test(sent) ? sent : crypto.randomUUID();
