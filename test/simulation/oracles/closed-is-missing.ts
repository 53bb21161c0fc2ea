import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { callsOf, field } from "./seen/calls.ts";

/** Of each request, and of no idea bank: what tells two answers apart is not what was asked for. */
const OF_THE_REQUEST = new Set(["x-request-id", "date"]);

/** All answers of closed and missing idea banks, whichever each is: to one operation they have the same bytes in the whole history. */
function* find(history: History): Iterable<Finding> {
  const first = new Map<string, { readonly bytes: string; readonly call: number }>();
  for (const call of callsOf(history)) {
    const { answer } = call;
    if (answer === undefined || !isClosed(call.operation, answer.status, answer.body)) continue;
    const headers = Object.entries(answer.headers).filter(([name]) => !OF_THE_REQUEST.has(name));
    const bytes = JSON.stringify([answer.status, headers.toSorted(([a], [b]) => (a < b ? -1 : 1)), answer.body]);
    const kind = `${call.method} ${call.operation} ${call.headers.origin === undefined}`;
    const before = first.get(kind);
    if (before === undefined) first.set(kind, { bytes, call: call.call });
    else if (before.bytes !== bytes) {
      yield {
        at: call.answeredAt,
        found: `two answers of closed or missing idea banks differ: ${before.bytes} and ${bytes}`,
        calls: [before.call, call.call],
      };
    }
  }
}

const isClosed = (operation: string, status: number, body: unknown): boolean =>
  operation === "getCapabilities"
    ? status === 200 && field(body, "name") === null
    : operation === "getChangelog" && status === 404;

export const closedIsMissing = oracle(
  {
    name: "closed-is-missing",
    promise: "Nothing internal",
    words: "A closed idea bank and one that does not exist give the same bytes.",
  },
  find,
);
