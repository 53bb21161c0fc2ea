/**
 * The load generator, in a process of its own: autocannon (HTTP/1.1, keep-alive, one request at a time on each connection).
 * Receives one `Load` at a time from its parent, and replies with its `Measurement`.
 */
import autocannon from "autocannon";
import type { Load, Measurement } from "./measurement.ts";

/** What the answer to `before` is, so that it is not counted with the others. */
const BEFORE_STATUS = 204;

async function send(load: Load): Promise<Measurement> {
  const { url, method = "GET", headers, connections, until, status, before, rate } = load;
  const path = new URL(url).pathname + new URL(url).search;
  const latencies: number[] = [];
  const unexpected = new Map<number, number>();
  let connection = 0;
  const options: autocannon.Options = {
    url,
    sampleInt: 100,
    connections,
    ...(until === "once"
      ? { amount: headers.length }
      : "requests" in until
        ? { amount: until.requests * (before === undefined ? 1 : 2) }
        : { duration: until.seconds }),
    ...(rate !== undefined && { overallRate: rate }),
    setupClient(client) {
      const first = connection++ % connections;
      const own = headers.filter((_, index) => index % connections === first % headers.length);
      client.setRequests(
        own.flatMap((each) => [
          ...(before === undefined ? [] : [{ method: "POST" as const, path: before }]),
          { method, path, headers: each },
        ]),
      );
    },
  };
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(options, (error, done) => (error ? reject(error) : resolve(done)));
    instance.on("response", (_client, code, _bytes, milliseconds) => {
      if (code === status) latencies.push(milliseconds);
      else if (before === undefined || code !== BEFORE_STATUS) unexpected.set(code, (unexpected.get(code) ?? 0) + 1);
    });
  });
  const isClean = unexpected.size === 0 && result.errors === 0;
  // So slow that nothing was answered in time: measured by one request on each connection.
  if (isClean && latencies.length === 0 && until !== "once" && "seconds" in until)
    return send({ ...load, until: { requests: connections } });
  if (!isClean || latencies.length === 0) {
    const codes = [...unexpected].map(([code, count]) => `${count} x ${code}`).join(", ");
    throw new Error(`${url}: ${latencies.length} x ${status}, but also ${codes || "nothing"}, ${result.errors} errors`);
  }
  latencies.sort((left, right) => left - right);
  return {
    requests: latencies.length,
    seconds: result.duration,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}

/** Of sorted values, by the nearest rank. */
const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;

process.on("message", (load: Load) => {
  send(load).then(
    (measurement) => process.send?.({ measurement }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
