/**
 * The request's id, in `X-Request-Id` and in the log: the client's own, or a new one. What looks like a credential is not taken: a
 * client that sends one in the wrong header would write it into the log.
 */
export const REQUEST_ID = "X-Request-Id";
const ID = /^(?!.*ib[ktvs]_)[\w\-=]{1,64}$/;

/** `sent`: what the client sent in the header. */
export const requestIdOf = (sent: string | undefined): string =>
  sent !== undefined && ID.test(sent) ? sent : crypto.randomUUID();
