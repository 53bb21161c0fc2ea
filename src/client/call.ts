/** A call: its endpoint, its arguments and its options, and the request that follows from them. */

/** `query` are the arguments that go there. What is in neither the path nor the query is the body. */
export type Endpoint = {
  readonly method: string;
  readonly path: string;
  readonly query?: readonly string[];
  readonly hasBody?: boolean;
  readonly takesKey?: boolean;
};

export type NoArguments = Readonly<Record<string, never>>;

export type CallOptions = {
  /** Ends the call, its waits included. */
  readonly signal?: AbortSignal;
  /** Makes a write safe to repeat for 24 hours, by another process too. By default each call has one of its own. */
  readonly idempotencyKey?: string;
  /** Further headers, such as `traceparent`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Gets each successful answer: its status, and headers such as `RateLimit` and `Idempotency-Replayed`. */
  readonly onAnswer?: (answer: Response) => void;
};

/** A call makes its request once, and sends it as often as it must: always with the same `Idempotency-Key`. */
export function toRequest(
  { method, path, query = [], hasBody = false, takesKey = false }: Endpoint,
  given: object,
  { idempotencyKey = crypto.randomUUID(), headers }: CallOptions,
) {
  const rest = new Map<string, unknown>(Object.entries(given));
  const take = (name: string) => {
    const values = [rest.get(name)].flat().filter((value) => value !== undefined);
    rest.delete(name);
    return values.map((value) => [name, String(value)]);
  };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(take(name)[0]?.[1] ?? ""));
  const search = new URLSearchParams(query.flatMap(take));
  return {
    path: search.size > 0 ? `${filled}?${search}` : filled,
    method,
    headers: {
      ...(hasBody && { "Content-Type": "application/json" }),
      ...(takesKey && { "Idempotency-Key": idempotencyKey }),
      ...headers,
    },
    body: hasBody ? JSON.stringify(Object.fromEntries(rest)) : null,
  };
}
