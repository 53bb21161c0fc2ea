/** The clients of docs/examples in Python and PHP, against a server that fails as servers and networks do. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { freePort } from "../support/node/checkout.ts";

type Language = {
  readonly command: readonly [program: string, ...options: string[]];
  readonly file: string;
  /** Prints how long it would wait, and waits for nothing. */
  readonly waits: string;
  /** Prints a call's answer, or the problem that it throws. */
  readonly print: (call: string) => string;
  readonly calls: Readonly<Record<"create" | "remove" | "filter" | "withHeaders", string>>;
};

const LANGUAGES: Readonly<Record<string, Language>> = {
  python: {
    command: ["python3", "-"],
    file: "tenant.py",
    waits: 'time.sleep = lambda seconds: print(f"wait {seconds}")',
    print: (call) => `try:
    print(json.dumps(${call}))
except ApiProblem as problem:
    print(json.dumps([problem.status, problem.error, problem.detail, problem.errors, problem.request_id]))`,
    calls: {
      create: 'call("POST", "/surveys", {"title": "T"})',
      remove: 'call("DELETE", "/surveys/1")',
      filter: 'list(items("/panelists", {"externalId": "customer 42&"}))',
      withHeaders: 'call("PATCH", "/surveys/1", {"title": "T"}, {"If-Match": "\\"a\\"", "idempotency-key": "mine"})',
    },
  },
  php: {
    command: ["php", "-d", "disable_functions=sleep"],
    file: "tenant.php",
    waits: 'function sleep(int $seconds): int { echo "wait $seconds\\n"; return 0; }',
    print: (call) => `try {
    echo json_encode(${call}), "\\n";
} catch (ApiProblem $problem) {
    echo json_encode([$problem->status, $problem->error, $problem->detail, $problem->errors, $problem->requestId]), "\\n";
}`,
    calls: {
      create: 'call("POST", "/surveys", ["title" => "T"])',
      remove: 'call("DELETE", "/surveys/1")',
      filter: 'iterator_to_array(items("/panelists", ["externalId" => "customer 42&"]), false)',
      withHeaders:
        'call("PATCH", "/surveys/1", ["title" => "T"], ["If-Match" => "\\"a\\"", "idempotency-key" => "mine"])',
    },
  },
};

const answer = (status: string, body: string, headers = "") =>
  `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;
const CREATED = answer("201 Created", '{"id":"s"}');
const LATER = "Retry-After: 7\r\n";
const problem = (status: string, headers = "") =>
  answer(status, '{"error":"made-up","detail":"Made up.","errors":[{"path":"a"}]}', `X-Request-Id: r\r\n${headers}`);
const MADE_UP = ["made-up", "Made up.", [{ path: "a" }], "r"];

/** Runs the call against a server that gives these answers, byte by byte. */
async function run(name: string, call: keyof Language["calls"], answers: readonly string[]) {
  const { command, file, waits, print, calls } = LANGUAGES[name] ?? expect.unreachable(name);
  const requests: string[] = [];
  const server = createServer((socket) => {
    let received = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      received += chunk;
      const [head, body] = received.split("\r\n\r\n");
      if (body === undefined || body.length < Number(/^content-length: (\d+)/im.exec(head ?? "")?.[1] ?? 0)) return;
      requests.push(received);
      socket.end(answers[requests.length - 1] ?? "");
    });
  });
  const port = await freePort();
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  const source = readFileSync(`docs/examples/${file}`, "utf8").replace("localhost:8787", `127.0.0.1:${port}`);
  const [program, ...options] = command;
  const child = spawn(program, options, { env: { ...process.env, API_KEY: "ibk_" } });
  child.stdin.end(`${source}\n${waits}\n${print(calls[call])}\n`);
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  server.close();
  expect(errors).toBe("");
  const keys = new Set(requests.map((request) => /^idempotency-key: (.*)\r$/im.exec(request)?.[1]));
  const lines = output.trim().split("\n");
  const printed: unknown = JSON.parse(lines.at(-1) ?? "");
  return { printed, waited: lines.slice(0, -1), requests, keys };
}

const FAILURES = [
  ["an answer that breaks off", 'HTTP/1.1 201 Created\r\nContent-Length: 500\r\n\r\n{"id":"s","title":"T"', 5],
  ["a line that is no HTTP", "hello\r\n\r\n", 5],
  ["no answer", "", 5],
  ["the page of a proxy", answer("502 Bad Gateway", "<h1>Bad Gateway</h1>"), 5],
  ["a Retry-After that is a date", problem("503 Unavailable", "Retry-After: Fri, 31 Dec 2027 23:59:59 GMT\r\n"), 5],
  ["a 500", problem("500 Internal Server Error"), 5],
  ["a 429", problem("429 Too Many Requests", LATER), 7],
  ["a 409 with Retry-After", problem("409 Conflict", LATER), 7],
] as const;

describe.each(Object.keys(LANGUAGES))("the client in %s", (name) => {
  it.each(FAILURES)("sends again after %s, with the same Idempotency-Key", async (_, failure, seconds) => {
    const { printed, waited, requests, keys } = await run(name, "create", [failure, CREATED]);
    expect({ printed, waited, requests: requests.length, keys: keys.size }).toEqual({
      printed: { id: "s" },
      waited: [`wait ${seconds}`],
      requests: 2,
      keys: 1,
    });
  });

  it("sends a 500 twice at most, and everything else five times", async () => {
    const broken = await run(name, "create", Array(9).fill(problem("500 Internal Server Error")));
    expect([broken.printed, broken.requests.length]).toEqual([[500, ...MADE_UP], 2]);
    const busy = await run(name, "create", Array(9).fill(problem("503 Service Unavailable", LATER)));
    expect([busy.printed, busy.requests.length]).toEqual([[503, ...MADE_UP], 5]);
    const silent = await run(name, "create", []);
    expect(silent.printed).toEqual([0, "no-answer", expect.any(String), [], null]);
  });

  it("waits no longer than two minutes in all", async () => {
    const asked = (seconds: number) => problem("429 Too Many Requests", `Retry-After: ${seconds}\r\n`);
    expect(await run(name, "create", [asked(110), CREATED])).toMatchObject({ printed: { id: "s" } });
    const { printed, waited, requests } = await run(name, "create", [asked(3600), CREATED]);
    expect([printed, waited, requests.length]).toEqual([[429, ...MADE_UP], [], 1]);
  });

  it("throws a refusal at once, with all that it says", async () => {
    const { printed, requests } = await run(name, "create", [problem("400 Bad Request")]);
    expect([printed, requests.length]).toEqual([[400, ...MADE_UP], 1]);
  });

  it("knows what is no answer of the API", async () => {
    const { printed } = await run(name, "create", [answer("403 Forbidden", '{"message":"Blocked"}')]);
    expect(printed).toEqual([403, "unexpected-answer", expect.any(String), [], null]);
  });

  it("follows no redirect with the key", async () => {
    const redirect = answer("302 Found", "", "Location: /elsewhere\r\n");
    const { printed, requests } = await run(name, "remove", [redirect]);
    expect([printed, requests.length]).toEqual([[302, "unexpected-answer", expect.any(String), [], null], 1]);
  });

  it("returns nothing for a 204", async () => {
    expect(await run(name, "remove", ["HTTP/1.1 204 No Content\r\n\r\n"])).toMatchObject({ printed: null, waited: [] });
  });

  it("sends a list's filter on each page", async () => {
    const page = (id: number, more = "") => answer("200 OK", `{"items":[${id}]${more}}`);
    const { printed, requests } = await run(name, "filter", [page(1, ',"nextCursor":"n+1"'), page(2)]);
    expect(printed).toEqual([1, 2]);
    const queries = requests.map((request) => Object.fromEntries(new URLSearchParams(/\?(\S*)/.exec(request)?.[1])));
    const filter = { limit: "100", externalId: "customer 42&" };
    expect(queries).toEqual([filter, { ...filter, cursor: "n+1" }]);
  });

  it("sends the headers that it is given, once each", async () => {
    const { requests, keys } = await run(name, "withHeaders", [answer("200 OK", "{}")]);
    expect(requests[0]?.match(/^if-match: .*$/gim)).toEqual([expect.stringMatching(/^if-match: "a"$/i)]);
    expect([...keys]).toEqual(["mine"]);
    expect(requests[0]?.match(/^idempotency-key:/gim)).toHaveLength(1);
  });
});
