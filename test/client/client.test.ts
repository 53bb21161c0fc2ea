/** The client of the tenant API, against the Worker. */
import { describe, expect, it, vi } from "vitest";
import { ApiProblem, Client, type ClientOptions } from "../../src/client/index.ts";
import { createTenant } from "../support/tenant.ts";

type Reach = (url: string, init: RequestInit) => Promise<Response>;
type Between = (send: () => Promise<Response>, init: RequestInit) => Promise<Response> | Response;

/** `between` stands between the client and the Worker. `waits` are the seconds that the client would have waited. */
async function createClient(options: Partial<ClientOptions> & { between?: Between; limit?: number } = {}) {
  const { between = (send) => send(), limit = 10_000, ...given } = options;
  const tenant = await createTenant({ limit });
  const waits: number[] = [];
  const fetch: Reach = async (url, init) => {
    const { origin, pathname, search } = new URL(url);
    expect(origin).toBe("https://api.example.com");
    return between(() => tenant.isolate.request(pathname + search, init), init);
  };
  const client = new Client({
    url: "https://api.example.com",
    apiKey: tenant.text,
    fetch: (input, init = {}) => fetch(String(input), init),
    pause: async () => {},
    onWait: (seconds) => waits.push(seconds),
    ...given,
  });
  return { client, tenant, waits };
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Answers with these before the Worker gets a request. */
const first = (...answers: (() => Response)[]): Between => {
  return (send) => answers.shift()?.() ?? send();
};
const problem =
  (status: number, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ status, error: "made-up", detail: "Made up." }, { status, headers });
const failure = (call: Promise<unknown>): Promise<ApiProblem> =>
  call.then(
    () => expect.unreachable(),
    (error: ApiProblem) => error,
  );

describe("a call", () => {
  it("sends its arguments where they belong, and returns the answer", async () => {
    const { client, tenant } = await createClient();
    expect(await client.whoami()).toEqual({ apiKeyId: tenant.id });
    const bank = await client.createIdeaBank({ name: "Rider ideas", status: "OPEN" });
    expect(bank).toMatchObject({ name: "Rider ideas", status: "OPEN" });
    const externalId = "of/ours & theirs";
    const idea = await client.upsertProposal({ ideaBankId: bank.id, externalId, title: "Night buses" });
    expect(await client.getProposal({ ideaBankId: bank.id, proposalId: idea.id })).toMatchObject({ externalId });
    expect(await client.deleteProposal({ ideaBankId: bank.id, proposalId: idea.id })).toBeUndefined();
  });

  it("throws what was refused, with the code, the words, the fields and the id of the request", async () => {
    const { client } = await createClient();
    const refused = await failure(client.createIdeaBank({ name: "" }));
    expect(refused).toBeInstanceOf(ApiProblem);
    expect(refused).toMatchObject({ status: 400, error: "invalid-request", errors: [{ path: "name" }] });
    expect(refused.detail).toContain("name");
    expect(refused.requestId).toMatch(/\S/);
  });

  it("follows no redirect with the key, and says what is no answer of the API", async () => {
    const elsewhere = () => new Response(null, { status: 302, headers: { Location: "https://other.example/" } });
    const page = () => new Response("<h1>Hello</h1>");
    const { client } = await createClient({ between: first(elsewhere, page) });
    expect(await failure(client.whoami())).toMatchObject({
      status: 302,
      detail: "It leads to https://other.example/.",
    });
    expect(await failure(client.whoami())).toMatchObject({ status: 200, error: "unexpected-answer" });
  });

  it.each(["localhost:8951", "api.example.com", "", "ftp://api.example.com"])(
    "is not begun with the address %j: the client says what to give it",
    (url) => {
      expect(() => new Client({ url, apiKey: "ibk_" })).toThrow(/url must begin with https:\/\/ or http:\/\//);
    },
  );

  it("shows the headers of an answer", async () => {
    const { client } = await createClient({ limit: 7 });
    const seen: unknown[] = [];
    await client.whoami({}, { onAnswer: ({ status, headers }) => seen.push(status, headers.get("RateLimit-Policy")) });
    expect(seen).toEqual([200, '"api-key";q=7;w=60']);
  });
});

describe("a call that fails", () => {
  it("is sent again after a lost answer, and has written once", async () => {
    let isLost = true;
    const keys = new Set<string | null>();
    const { client, waits } = await createClient({
      between: async (send, init) => {
        keys.add(new Headers(init.headers).get("Idempotency-Key"));
        const answer = await send();
        if (!isLost) return answer;
        isLost = false;
        throw new TypeError("fetch failed", { cause: new Error("the line is gone") });
      },
    });
    const { id } = await client.createIdeaBank({ name: "Once" });
    expect(await all(client.listIdeaBanks())).toMatchObject([{ id, name: "Once" }]);
    expect(waits).toEqual([2]);
    expect([...keys].filter((key) => key !== null)).toHaveLength(1);
  });

  it("takes the Idempotency-Key of its caller, so that another process can repeat it", async () => {
    const { client } = await createClient();
    const make = () => client.createSurvey({ title: "Spring" }, { idempotencyKey: "spring" });
    expect(await make()).toEqual(await make());
    expect(await all(client.listSurveys())).toHaveLength(1);
  });

  it("waits as long as Retry-After says, and 2, 4, 8 seconds without it", async () => {
    const { client, waits } = await createClient({
      between: first(problem(429, { "Retry-After": "7" }), problem(503, { "Retry-After": "3" }), problem(408), () => {
        throw new TypeError("fetch failed");
      }),
    });
    await client.whoami();
    expect(waits).toEqual([7, 3, 4, 8]);
  });

  it("ends after its attempts, a 500 after two", async () => {
    const always = (status: number) => createClient({ between: problem(status) });
    const [busy, broken] = [await always(503), await always(500)];
    expect(await failure(busy.client.whoami())).toMatchObject({ status: 503 });
    expect(busy.waits).toHaveLength(4);
    expect(await failure(broken.client.whoami())).toMatchObject({ status: 500 });
    expect(broken.waits).toHaveLength(1);
    const gone = await createClient({
      attempts: 2,
      between: () => {
        throw new TypeError("fetch failed", { cause: new Error("nobody is there") });
      },
    });
    expect(await failure(gone.client.whoami())).toMatchObject({
      status: 0,
      error: "no-answer",
      detail: "nobody is there",
    });
  });

  it("is not sent again when it was refused, nor waits for the limit longer than it may", async () => {
    const { client, waits } = await createClient({ between: first(problem(409), problem(403)) });
    expect(await failure(client.whoami())).toMatchObject({ status: 409 });
    expect(await failure(client.whoami())).toMatchObject({ status: 403 });
    expect(waits).toEqual([]);
    const limited = await createClient({ between: problem(429, { "Retry-After": "50" }) });
    expect(await failure(limited.client.whoami())).toMatchObject({ status: 429, retryAfter: 50 });
    expect(limited.waits).toEqual([50, 50]);
  });

  it("ends with its signal, while it waits and while it is under way", async () => {
    const stop = new AbortController();
    const { client } = await createClient({ between: problem(503), onWait: () => stop.abort("enough") });
    await expect(client.whoami({}, { signal: stop.signal })).rejects.toBe("enough");
    const late = new AbortController();
    const silent = await createClient({
      between: (_, { signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason));
          late.abort("too late");
        }),
    });
    await expect(silent.client.whoami({}, { signal: late.signal })).rejects.toBe("too late");
  });

  it("leaves nothing behind at a signal that outlives its waits", async () => {
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (type: string, listener: EventListener) => {
      listeners.add(listener);
      add(type, listener);
    };
    signal.removeEventListener = (type: string, listener: EventListener) => {
      listeners.delete(listener);
      remove(type, listener);
    };
    const answers = [problem(429, { "Retry-After": "60" })(), Response.json({ apiKeyId: "k" })];
    const fetch = async () => answers.shift() ?? expect.unreachable();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const call = new Client({ url: "https://api.example.com", apiKey: "k", fetch }).whoami({}, { signal });
      await vi.advanceTimersByTimeAsync(60_000);
      await call;
    } finally {
      vi.useRealTimers();
    }
    expect(answers).toEqual([]);
    expect(listeners.size).toBe(0);
  });

  it("ends a real wait with its signal", async () => {
    const stop = new AbortController();
    const tenant = await createTenant();
    const client = new Client({
      url: "https://api.example.com",
      apiKey: tenant.text,
      fetch: async () => problem(503, { "Retry-After": "3600" })(),
      onWait: () => queueMicrotask(() => stop.abort("enough")),
    });
    await expect(client.whoami({}, { signal: stop.signal })).rejects.toBe("enough");
  });
});

describe("a list", () => {
  it("gives every item, page by page, as far as it is asked", async () => {
    let requests = 0;
    const { client } = await createClient({
      between: (send) => {
        requests += 1;
        return send();
      },
    });
    for (const title of ["First", "Second", "Third"]) await client.createSurvey({ title });
    requests = 0;
    const titles = (await all(client.listSurveys({ limit: 2 }))).map(({ title }) => title);
    expect([titles, requests]).toEqual([["Third", "Second", "First"], 2]);
    for await (const { title } of client.listSurveys({ limit: 1 })) if (title === "Third") break;
    expect(requests).toBe(3);
  });

  it("repeats a parameter for each of its values", async () => {
    const { client } = await createClient();
    const { id: ideaBankId } = await client.createIdeaBank({ name: "Ideas" });
    for (const status of ["planned", "declined", "implemented"] as const)
      await client.createProposal({ ideaBankId, title: status, status });
    const found = client.listProposals({ ideaBankId, status: ["planned", "declined"] });
    expect((await all(found)).map(({ title }) => title)).toEqual(["declined", "planned"]);
  });
});
