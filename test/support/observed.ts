/**
 * Everything that the Worker logs and measures in the whole suite, searched for what must never be there: credentials, and the
 * addresses of people. setup.ts installs it.
 */
import { env } from "cloudflare:workers";
import { vi } from "vitest";

const LEVELS = ["log", "debug", "info", "warn", "error"] as const;

const FORBIDDEN: [string, RegExp][] = [
  ["an API key or a token", /ib[kt]_[0-9A-Za-z]{20,}/],
  ["a signing secret", new RegExp(env.CREDENTIAL_SECRETS.split(",").join("|"))],
  ["an operator's secret", /the-operator-has-this-secret/],
  ["an e-mail address", /[\w.-]+@[\w-]+\.\w+/],
  ["an IP address", /\b203\.0\.113\.\d+\b/],
];

/** A line of a request has these fields and no other. */
export type RequestLine = {
  readonly requestId: string;
  readonly traceId?: string;
  readonly operation: string;
  readonly status: number;
  readonly durationMs: number;
  readonly colo: string;
  readonly account?: string;
  readonly apiKey?: string;
  readonly version: string;
  readonly calls: { readonly d1: number; readonly kv: number; readonly gate: number };
};

type Recorder = { seen: unknown[]; requests: RequestLine[]; points: AnalyticsEngineDataPoint[] };

export const isRequestLine = (value: unknown): value is RequestLine =>
  typeof value === "object" && value !== null && "durationMs" in value;

/** The lines of requests since the test began. */
export const requestLines = (): readonly RequestLine[] => recorder.requests;
/** The data points since the test began. */
export const dataPoints = (): readonly AnalyticsEngineDataPoint[] => recorder.points;

/** All of a value that a log line would show. */
export function textOf(value: unknown, depth = 0): string {
  if (depth > 6) return "";
  if (value instanceof Error)
    return `${value.stack} ${textOf({ ...value }, depth + 1)} ${textOf(value.cause, depth + 1)}`;
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([name, field]) => `${name}: ${textOf(field, depth + 1)}`)
    .join(", ");
}

/** What must not be in a text, by its kind. */
export const leaksIn = (values: readonly unknown[]): string[] =>
  values.flatMap((value) => {
    const text = textOf(value);
    return FORBIDDEN.filter(([, pattern]) => pattern.test(text)).map(([kind]) => `${kind}: ${text.slice(0, 300)}`);
  });

/** Records each line from now on. Lines of requests are not printed: there is one for each request. */
function recordConsole(): Recorder {
  const recorder: Recorder = { seen: [], requests: [], points: [] };
  for (const level of LEVELS) {
    const print = console[level];
    console[level] = (...args: unknown[]) => {
      if (isRequestLine(args[0])) {
        recorder.requests.push(args[0]);
        return;
      }
      recorder.seen.push(args);
      print(...args);
    };
  }
  return recorder;
}

/** One isolate runs many files, each with its own copy of this module, and all have one console. */
const RECORDER = Symbol.for("observed console");
const recorder: Recorder = Reflect.get(console, RECORDER) ?? recordConsole();
Reflect.set(console, RECORDER, recorder);

/** From now on, until mocks are restored. */
export function recordDataPoints(): void {
  const { REQUESTS } = env;
  const write = REQUESTS.writeDataPoint.bind(REQUESTS);
  vi.spyOn(REQUESTS, "writeDataPoint").mockImplementation((point) => {
    if (point !== undefined) recorder.points.push(point);
    write(point);
  });
}

/** What was logged or measured since the last call and must not be; what a test's spy swallowed too. */
export function takeLeaks(): string[] {
  const spied = LEVELS.flatMap((level) => (vi.isMockFunction(console[level]) ? console[level].mock.calls : []));
  const { seen, requests, points } = recorder;
  const leaks = leaksIn([...seen, ...requests, ...spied, ...points]);
  for (const recorded of [seen, requests, points]) recorded.length = 0;
  return leaks;
}
