/** The response headers of the document. */

const header = (description: string, example: string) => ({
  description,
  required: true,
  schema: { type: "string" },
  example,
});
const optional = (description: string, example: string) => ({ ...header(description, example), required: false });

export const HEADERS = {
  "X-Request-Id": header("Identifies the request, also in the server's log. Your own value is used.", "trace-42"),
  "RateLimit-Policy": header(
    "The rate limit, of the API key or of the panelist: `q` requests in `w` seconds.",
    '"api-key";q=600;w=60',
  ),
  RateLimit: optional(
    "`r` requests are left. In `t` seconds the oldest one leaves the window. Absent while the limit cannot be counted.",
    '"api-key";r=599;t=60',
  ),
  "Retry-After": header("Seconds to wait before the next request.", "5"),
  "WWW-Authenticate": header("The credential that is expected.", 'ApiKey realm="tenant"'),
  "Idempotency-Replayed": optional("`true` when the answer is that of an earlier request.", "true"),
  "Consistency-Token": optional(
    "A request of the panelist API that sends it back is answered from data that includes this write. It is valid for a minute.",
    "ibw_0Vj8aD3kb4nK",
  ),
  ETag: header(
    "The version of the answer. Send it in `If-None-Match` to read the changelog, and in `If-Match` to change or delete a resource of the tenant API.",
    '"Fg23r3gbl+I2kog9ekqb7A"',
  ),
  Location: header("The path of what is new.", "/tenant/surveys/5urveySunday"),
};

export type HeaderName = keyof typeof HEADERS;

/** References to headers of the document. */
export const headerReferences = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
