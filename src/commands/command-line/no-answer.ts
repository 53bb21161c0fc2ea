/** Why a request got no answer, in words for the person who typed the address. */

type Reason = { readonly words: string /** Whether the request may have arrived. */; readonly mayHaveArrived: boolean };

/** A host that nobody could connect to. */
const NOT_CONNECTED: Readonly<Record<string, string>> = {
  ENOTFOUND: "no host has this name",
  EAI_AGAIN: "its name cannot be looked up: is this machine online?",
  ECONNREFUSED: "it refuses the connection: nothing listens there",
  EHOSTUNREACH: "this machine cannot reach it",
  ENETUNREACH: "this machine cannot reach it",
  UND_ERR_CONNECT_TIMEOUT: "it did not accept the connection in time",
};

const BROKEN_OFF: Readonly<Record<string, string>> = {
  ECONNRESET: "the connection broke off",
  EPIPE: "the connection broke off",
  ETIMEDOUT: "it took too long",
  UND_ERR_SOCKET: "the connection broke off",
  UND_ERR_HEADERS_TIMEOUT: "it took too long",
  UND_ERR_BODY_TIMEOUT: "it took too long",
};

/** The codes of OpenSSL and Node for a certificate that is not valid for the host, and for a server that does not speak TLS. */
const OF_TLS = /CERT|^ERR_TLS|^ERR_SSL|^EPROTO|UNABLE_TO_VERIFY/;

/** `error`: what `fetch` threw. Its message alone is "fetch failed". */
export function whyNoAnswer(error: unknown): Reason {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return { words: String(cause), mayHaveArrived: true };
  const code = "code" in cause ? String(cause.code) : "";
  const notConnected = NOT_CONNECTED[code];
  if (notConnected !== undefined) return { words: notConnected, mayHaveArrived: false };
  if (OF_TLS.test(code)) return { words: `no secure connection (${cause.message})`, mayHaveArrived: false };
  if (cause.message === "bad port") return { words: "this port is not for the web", mayHaveArrived: false };
  if (cause.name === "TimeoutError") return { words: "it took too long", mayHaveArrived: true };
  if (cause.message === "unexpected redirect")
    return { words: "it leads to another address, which gets no secret", mayHaveArrived: true };
  return { words: BROKEN_OFF[code] ?? (cause.message || code), mayHaveArrived: true };
}
