/**
 * How much of our code a warm request enters: files and functions, counted by V8 (precise coverage). They are what a reader has to
 * know to follow the request. The application runs in Node, because workerd's inspector has no coverage; its stores are workerd's.
 */
import { type Profiler, Session } from "node:inspector/promises";
import { buildOurs, buildReadable } from "../build.ts";
import { OUR_OBJECTS, startRuntime } from "../runtime.ts";
import { OWNER_EMAIL, seedAccount, seedKnownApiKeys } from "../seed.ts";
import { prepareIdeas } from "./panelist-groups.ts";

/** The functions by file, each with its name in the bundle. */
export type Entered = ReadonlyMap<string, readonly string[]>;

type Sent = {
  readonly path: string;
  readonly method?: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
};
type Send = (request: Sent) => Promise<Response>;
type Module = { createApp(): { fetch(request: Request, env: object, context: object): Response | Promise<Response> } };

const WORKER = "ours";
const OPERATOR_SECRET = "the-operator-of-the-benchmark-sends-this";
const ORIGIN = "http://localhost";
/** Enough for a key to get a lease, and for a view to be read. */
const WARM_UP = 40;
/** Work after an answer may fall into one of them, so the one that entered the fewest files counts. */
const TIMES = 5;

export async function measureEntered(): Promise<Record<"changelog" | "whoami" | "vote" | "revocation", Entered>> {
  const script = await buildReadable();
  const variables = { OPERATOR_SECRET, LEASE_SECONDS: "5" };
  const runtime = await startRuntime([{ name: WORKER, script: await buildOurs(), objects: OUR_OBJECTS, variables }]);
  const url = `data:text/javascript;base64,${Buffer.from(script).toString("base64")}`;
  const profiler = new Session();
  try {
    const database = await runtime.database(WORKER);
    const env = await runtime.bindings(WORKER);
    await seedAccount(database);
    const [inUse, ...revoked] = await seedKnownApiKeys(database, 2 + TIMES, { limit: 10_000, windowSeconds: 60 });
    const { reader, voters, proposal } = await prepareIdeas(database, 1 + TIMES);
    profiler.connect();
    await profiler.post("Profiler.enable");
    await profiler.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    const { createApp }: Module = await import(url);
    const app = createApp();
    const send: Send = async ({ path, ...request }) => {
      const waiting: Promise<unknown>[] = [];
      const waitUntil = (promise: Promise<unknown>) => waiting.push(promise);
      const response = await app.fetch(new Request(ORIGIN + path, request), env, { waitUntil });
      if (response.status >= 400) throw new Error(`${path} answers ${response.status}: ${await response.text()}`);
      return response;
    };
    const cookie = await signIn(send);
    /** The first requests are not counted. */
    const count = async (requests: readonly Sent[]): Promise<Entered> => {
      const counted: Entered[] = [];
      for (const request of requests.slice(0, -TIMES)) await send(request);
      for (const request of requests.slice(-TIMES)) {
        await profiler.post("Profiler.takePreciseCoverage");
        await send(request);
        const { result } = await profiler.post("Profiler.takePreciseCoverage");
        counted.push(
          byFile(
            script,
            result.find((each) => each.url === url),
          ),
        );
      }
      const [fewest] = counted.toSorted((left, right) => left.size - right.size);
      if (fewest === undefined || fewest.size === 0) throw new Error("nothing was counted");
      return fewest;
    };
    const again = (request: Sent) => Array.from({ length: WARM_UP + TIMES }, () => request);
    return {
      changelog: await count(again({ path: "/public/ideabank/changelog", headers: reader })),
      whoami: await count(again({ path: "/tenant/whoami", headers: { "X-API-Key": inUse?.text ?? "" } })),
      vote: await count(
        voters.map((headers) => ({ path: `/ideabank/proposals${proposal}/vote`, method: "PUT", headers })),
      ),
      revocation: await count(
        revoked.map(({ id }) => ({
          path: `/account/api/keys/${id}`,
          method: "DELETE",
          headers: { Cookie: cookie, Origin: ORIGIN },
        })),
      ),
    };
  } finally {
    profiler.disconnect();
    await runtime.stop();
  }
}

/** The owner's cookie. */
async function signIn(send: Send): Promise<string> {
  const headers = { Authorization: `Bearer ${OPERATOR_SECRET}`, "Content-Type": "application/json" };
  const offered = await send({
    path: "/operator/sign-ins",
    method: "POST",
    headers,
    body: JSON.stringify({ email: OWNER_EMAIL }),
  });
  const { url }: { url: string } = await offered.json();
  const { pathname, search } = new URL(url);
  const signedIn = await send({ path: pathname + search, headers: {} });
  return signedIn.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");
}

/** A comment of the bundler names the file of the code that follows it. */
function byFile(script: string, coverage: Profiler.ScriptCoverage | undefined): Entered {
  const files = [...script.matchAll(/^ *\/\/ (\S+\.\w+)$/gm)].map(({ index, 1: file = "" }) => ({ index, file }));
  const entered = new Map<string, string[]>();
  for (const { functionName, ranges } of coverage?.functions ?? []) {
    const [range] = ranges;
    if (range === undefined || range.count === 0) continue;
    const file = files.findLast(({ index }) => index <= range.startOffset)?.file ?? "";
    if (file.startsWith("src/")) entered.set(file, [...(entered.get(file) ?? []), functionName]);
  }
  return entered;
}
