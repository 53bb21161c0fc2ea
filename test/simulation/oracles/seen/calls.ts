import type { Answered, Committed, History, Sent, StoreCalled } from "../../history.ts";

/** A request with all that is known of it. `answeredAt` is Infinity when its answer was lost: its decision has no last moment. */
export type Call = Sent & {
  readonly answeredAt: number;
  readonly answer: Answered | undefined;
  readonly status: number | undefined;
  readonly commits: readonly Committed[];
  readonly stores: readonly StoreCalled[];
};

const known = new WeakMap<History, readonly Call[]>();

/** The calls of a history in the order in which they were sent. */
export const callsOf = (history: History): readonly Call[] => {
  const before = known.get(history);
  if (before !== undefined) return before;
  const answers = new Map<number, Answered>();
  const commits = new Map<number, Committed[]>();
  const stores = new Map<number, StoreCalled[]>();
  const sent: Sent[] = [];
  for (const event of history.events) {
    if (event.kind === "sent") sent.push(event);
    else if (event.kind === "answered") answers.set(event.call, event);
    else if (event.kind === "committed" && event.call !== undefined) append(commits, event.call, event);
    else if (event.kind === "store-called" && event.call !== undefined) append(stores, event.call, event);
  }
  const calls = sent.map((event): Call => {
    const answer = answers.get(event.call);
    return {
      ...event,
      answer,
      answeredAt: answer?.at ?? Number.POSITIVE_INFINITY,
      status: answer?.status,
      commits: commits.get(event.call) ?? [],
      stores: stores.get(event.call) ?? [],
    };
  });
  known.set(history, calls);
  return calls;
};

/** Adds to the list under a key. */
export const append = <K, V>(lists: Map<K, V[]>, key: K, value: V): void => {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
};

/** The lists of what has the same key; what has none is left out. */
export const groupBy = <K, V>(values: Iterable<V>, keyOf: (value: V) => K | undefined): Map<K, V[]> => {
  const groups = new Map<K, V[]>();
  for (const value of values) {
    const key = keyOf(value);
    if (key !== undefined) append(groups, key, value);
  }
  return groups;
};

export const succeeded = (call: Call): boolean => call.status !== undefined && call.status >= 200 && call.status < 300;

/** A field of a JSON object; undefined when it is none, or has no such field. */
export const field = (body: unknown, name: string): unknown =>
  typeof body === "object" && body !== null ? (body as Readonly<Record<string, unknown>>)[name] : undefined;

export const text = (body: unknown, name: string): string | undefined => {
  const value = field(body, name);
  return typeof value === "string" ? value : undefined;
};

/** The path without its query. */
export const pathOf = (call: Sent): string => call.path.split("?", 1)[0] ?? "";

export const queryOf = (call: Sent): URLSearchParams => new URLSearchParams(call.path.split("?")[1] ?? "");

/** The path's part after a fixed one: `segmentAfter("/tenant/panelists/X/tokens", "panelists")` is `X`. */
export const segmentAfter = (call: Sent, name: string): string | undefined => {
  const parts = pathOf(call).split("/");
  const index = parts.indexOf(name);
  return index === -1 ? undefined : parts[index + 1];
};

/** A request that wrote, or that was answered as one that had, or not at all. */
export const mayHaveWritten = (call: Call): boolean =>
  call.commits.length > 0 || (call.method !== "GET" && (call.answer === undefined || succeeded(call)));
