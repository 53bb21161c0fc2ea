/** What holds for every operation of the panelist API: generated from its tables. The bad credentials are in authentication.test.ts, other idea banks in isolation.test.ts. */
import { describe, expect, it } from "vitest";
import { descriptionOf } from "../../../src/worker/model/describe.ts";
import { NewSurvey } from "../../../src/worker/model/survey.ts";
import { databaseOf } from "../../support/databases.ts";
import { countStores, failStores } from "../../support/intercept.ts";
import { createIsolate, type Isolate } from "../../support/isolate.ts";
import { interceptLimits, withoutLimits } from "../../support/limits.ts";
import { addressOf, bodyOf, fillPath, operationsOf } from "../../support/operations.ts";
import { createPanel, sendWith } from "../../support/panel.ts";
import { dumpDatabases } from "../../support/tenant.ts";
import { telling as env, giveAddress } from "../../support/told.ts";
import { newId, tokenFor } from "../../support/world.ts";

const operations = operationsOf("compoundToken").map((each) => ({
  ...each,
  capability: each.operation.credential.kind === "compoundToken" ? each.operation.credential.capability : null,
}));
const isSurvey = (path: string) => path.startsWith("/surveys");
/** Those that D1 answers: proposals, votes, comments and surveys. */
const participation = operations.filter(({ path }) => path.startsWith("/ideabank/") || isSurvey(path));
/** An isolate that has not read a survey yet does so before it judges an answer. */
const roundTripsOf = (path: string, method: string) => (isSurvey(path) && method !== "GET" ? 2 : 1);
const onProposals = participation.filter(({ parameters }) => parameters.includes("proposalId"));
const SWITCHES = {
  canSubmitProposals: "submissionsEnabled",
  canVote: "votingEnabled",
  canComment: "commentsEnabled",
  canAnswerSurveys: "surveysEnabled",
} as const;

/** A panelist who can be told by e-mail, with a proposal and a comment, and what else a path can name. */
async function createScene() {
  const panel = await createPanel({}, createIsolate(env));
  const [panelist, other] = [await panel.panelist("Robin"), await panel.panelist("Kim")];
  await giveAddress(panelist.id);
  const proposalId = await panelist.submit();
  const commented = await panelist.send("POST", `/ideabank/proposals/${proposalId}/comments`, { body: "Mine." });
  const { id: commentId } = await commented.json<{ id: string }>();
  const survey = { ...(descriptionOf(NewSurvey)?.example as object), ideaBankId: panel.bank.id, status: "OPEN" };
  const { id: surveyId } = await (await panel.tenant.send("POST", "/tenant/surveys", survey)).json<{ id: string }>();
  return { panel, panelist, other, ids: { proposalId, commentId, surveyId } };
}

const NOTHING = { proposalId: newId(), commentId: newId(), surveyId: newId() };
const MISSPELT = { proposalId: "x", commentId: "x", surveyId: "x" };

/** Everything of an answer: status, headers, bytes. */
async function take(response: Response) {
  return { status: response.status, headers: [...response.headers], bytes: await response.text() };
}

const SAME_ID = { "X-Request-Id": "the-same" };
/** What a client may send instead of a valid body. */
const bodiesOf = (operation: Parameters<typeof bodyOf>[0]) =>
  operation.body === undefined ? [undefined] : [bodyOf(operation), "not json", { unknown: 1 }];

describe.each(operations)("$name", ({ name, operation, method, path, status, capability }) => {
  const isParticipation = participation.some((each) => each.name === name);
  const send = (isolate: Isolate, token: string, ids: Record<string, string>, body: unknown = bodyOf(operation)) =>
    sendWith(isolate, token)(method, addressOf(path, ids), body, SAME_ID);

  it("succeeds, for any origin and no cache but the client's; proposals, votes and comments at one D1 round trip, surveys that are known too", async () => {
    const { panelist, ids } = await createScene();
    const { env: counted, counts } = countStores(env);
    const limits: string[] = [];
    const watched = interceptLimits(counted, ({ policy, key }, makeCall) => {
      limits.push(`${policy} of ${key}`);
      return makeCall();
    });
    const response = await send(createIsolate(watched), panelist.token, ids);
    expect(response.status).toBe(status);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(response.headers.get("Vary")).toBe("Authorization, Origin");
    const isCached = ["getChangelog", "getAtomFeed", "getJsonFeed"].includes(name);
    expect(response.headers.get("Cache-Control")).toBe(isCached ? "private, no-cache" : "no-store");
    if (!isParticipation) return expect(limits).toEqual([]);
    expect(counts).toEqual({ d1: roundTripsOf(path, method), "kv.read": 0, "kv.write": 0, gate: 0 });
    // The changelog and the capabilities are not held to a rate.
    const policy = method === "GET" ? "reads" : "writes";
    expect(limits).toEqual([`${policy} of ${panelist.id}`]);
    const isolate = createIsolate(counted);
    for (let times = 0; times < 2; times++) await send(isolate, panelist.token, ids);
    if (isSurvey(path)) expect(counts.d1).toBe(2 * roundTripsOf(path, method) + 1);
  });

  it("answers 401 once the panelist's tokens are revoked, or the panelist is switched off or deleted", async () => {
    const { panelist, panel, ids } = await createScene();
    const ends: [string, string, object | undefined][] = [
      ["DELETE", `/tenant/panelists/${panelist.id}/tokens`, undefined],
      ["PATCH", `/tenant/panelists/${panelist.id}`, { active: false }],
      ["DELETE", `/tenant/panelists/${panelist.id}`, undefined],
    ];
    for (const [method, path, body] of ends) {
      const token = await tokenFor(panel.bank.id, panelist.id);
      expect((await panel.tenant.send(method, path, body)).ok).toBe(true);
      const before = await dumpDatabases();
      const response = await send(createIsolate(), token, ids);
      expect(response.status, `${method} ${path}`).toBe(401);
      expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="panelist"');
      expect(await dumpDatabases()).toEqual(before);
    }
  });

  it("answers 401 to a revoked token whether its idea bank is open, closed or deleted", async () => {
    const { panelist, panel, ids } = await createScene();
    const { token } = panelist;
    expect((await panel.tenant.send("DELETE", `/tenant/panelists/${panelist.id}/tokens`)).status).toBe(204);
    const changes: (() => Promise<unknown>)[] = [
      async () => {},
      () => panel.manage("PATCH", "", { status: "CLOSED" }),
      () => panel.manage("DELETE", ""),
    ];
    const answers = [];
    const warm = createIsolate(withoutLimits({ ...env, FRESHNESS_SECONDS: "0" }));
    for (const change of changes) {
      await change();
      for (const isolate of [createIsolate(), warm]) answers.push(await take(await send(isolate, token, ids)));
    }
    expect(answers.map((answer) => answer.status)).toEqual([401, 401, 401, 401, 401, 401]);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it("answers 503 when D1 is down, with Retry-After, and says nothing of why", async () => {
    const { panelist, ids } = await createScene();
    const before = await dumpDatabases();
    const response = await send(createIsolate(failStores(env, "d1")), panelist.token, ids);
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).toBe("5");
    expect(await response.text()).not.toContain("injected");
    expect(await dumpDatabases()).toEqual(before);
  });

  it("gives one answer for an idea bank that is a draft, closed, suspended, missing or internal, whatever is sent", async () => {
    const { panelist, panel, ids } = await createScene();
    const set = (sql: string) => databaseOf(panel.bank.id).prepare(sql).bind(panel.bank.id).run();
    const missing = await tokenFor(newId(panelist.id), panelist.id);
    const closed: [string, string][] = [
      ["UPDATE idea_banks SET status = 'DRAFT' WHERE id = ?1", panelist.token],
      ["UPDATE idea_banks SET status = 'CLOSED' WHERE id = ?1", panelist.token],
      ["UPDATE idea_banks SET status = 'OPEN', internal = 1 WHERE id = ?1", panelist.token],
      [
        "UPDATE accounts SET status = 'suspended' WHERE id = (SELECT account_id FROM idea_banks WHERE id = ?1)",
        panelist.token,
      ],
      ["UPDATE idea_banks SET internal = 0 WHERE id = ?1", panelist.token],
      ["UPDATE accounts SET status = 'active' WHERE id <> ?1", missing],
      ["DELETE FROM idea_banks WHERE id = ?1", panelist.token],
    ];
    const answers = [];
    for (const [sql, token] of closed) {
      await set(sql);
      if (sql.includes("internal = 1") && (!isParticipation || isSurvey(path) || capability === "canViewChangelog"))
        continue;
      const before = await dumpDatabases();
      for (const given of [ids, NOTHING, MISSPELT])
        for (const body of bodiesOf(operation))
          answers.push(await take(await send(createIsolate(withoutLimits(env)), token, given, body)));
      expect(await dumpDatabases()).toEqual(before);
    }
    expect(answers[0]?.status).toBe(capability === null ? 200 : 404);
    if (capability !== null)
      expect(JSON.parse(answers[0]?.bytes ?? "")).toMatchObject({
        error: path.includes("{surveyId}") ? "survey-not-found" : "idea-bank-not-found",
      });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });
});

describe.each(participation)("$name", ({ operation, method, path, capability }) => {
  it("over the panelist's rate is 429 with Retry-After, before any store is asked", async () => {
    const { panelist, ids } = await createScene();
    const { env: counted, counts } = countStores(env);
    const isolate = createIsolate(interceptLimits(counted, async () => ({ success: false })));
    const before = await dumpDatabases();
    for (const body of bodiesOf(operation)) {
      const response = await sendWith(isolate, panelist.token)(method, addressOf(path, ids), body);
      expect(response.status).toBe(429);
      expect(response.headers.get("Retry-After")).toMatch(/^[1-9]\d*$/);
      expect(await response.json()).toMatchObject({
        error: "too-many-requests",
        type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      });
    }
    expect(counts.d1).toBe(0);
    expect(await dumpDatabases()).toEqual(before);
  });

  it("is 403 capability-closed while its switch is off, for what the panelist may see, and 404 for the rest", async () => {
    if (capability === null || capability === "canViewProposals" || capability === "canViewChangelog") return;
    // Nothing of a closed survey can be seen: surveys.test.ts.
    if (capability === "canAnswerSurveys") return;
    const { panelist, panel, ids } = await createScene();
    if (capability === "canVote" && method === "DELETE") await panelist.send("PUT", addressOf(path, ids));
    await panel.manage("PATCH", "", { [SWITCHES[capability]]: false });
    const before = await dumpDatabases();
    const send = (given: Record<string, string>) => panelist.send(method, addressOf(path, given), bodyOf(operation));
    const closed = await send(ids);
    expect(closed.status).toBe(403);
    expect(await closed.json()).toMatchObject({ error: "capability-closed" });
    if (path.includes("{proposalId}")) expect((await send({ ...ids, proposalId: newId() })).status).toBe(404);
    expect(await dumpDatabases()).toEqual(before);
  });

  it("works while every other switch is off", async () => {
    const { panelist, panel, ids } = await createScene();
    const others = Object.entries(SWITCHES).filter(([name]) => name !== capability);
    await panel.manage("PATCH", "", Object.fromEntries(others.map(([, name]) => [name, false])));
    const response = await panelist.send(method, addressOf(path, ids), bodyOf(operation));
    expect(response.ok).toBe(true);
  });
});

describe.each(onProposals)("$name", ({ operation, method, path, parameters }) => {
  it("gives one answer for a proposal that is hidden, pending, deleted or misspelt, and writes nothing", async () => {
    const { panel, panelist, other, ids } = await createScene();
    const hidden = await panelist.submit("To be hidden");
    await panel.manage("PATCH", `/proposals/${hidden}`, { visibility: "hidden" });
    const pending = await other.submit("To be approved");
    await panel.manage("PATCH", `/proposals/${pending}`, { visibility: "pending" });
    const deleted = await panel.propose();
    await panel.manage("DELETE", `/proposals/${deleted}`);
    const unseen = [hidden, pending, deleted, newId()];
    const before = await dumpDatabases();
    const answers = [];
    const { env: counted, counts } = countStores(env);
    const send = sendWith(createIsolate(counted), panelist.token);
    for (const proposalId of [...unseen, "x", `${ids.proposalId}0`, "%00", "000000000000' OR 1=1 --"]) {
      const given = fillPath(path, { ...ids, proposalId: encodeURIComponent(proposalId) });
      answers.push(await take(await send(method, given, bodyOf(operation), SAME_ID)));
      // A refusal costs one round trip, as a success does.
      expect(counts.d1).toBe(answers.length);
    }
    expect(JSON.parse(answers[0]?.bytes ?? "")).toMatchObject({ status: 404, error: "proposal-not-found" });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await dumpDatabases()).toEqual(before);
  });

  it("gives one answer for a comment that is on another proposal, unknown or misspelt", async () => {
    if (!parameters.includes("commentId")) return;
    const { panelist, ids } = await createScene();
    const another = await panelist.submit("Another");
    const before = await dumpDatabases();
    const answers = [];
    const body = bodyOf(operation);
    for (const given of [{ proposalId: another }, { commentId: newId() }, { commentId: "x" }])
      answers.push(await take(await panelist.send(method, fillPath(path, { ...ids, ...given }), body, SAME_ID)));
    expect(JSON.parse(answers[0]?.bytes ?? "")).toMatchObject({ status: 404, error: "comment-not-found" });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await dumpDatabases()).toEqual(before);
  });
});

it.each(operations)(
  "a browser's preflight for $name is answered before authentication, for a day",
  async ({ method, path }) => {
    const response = await createIsolate().request(fillPath(path, { proposalId: newId(), commentId: newId() }), {
      method: "OPTIONS",
      headers: {
        Origin: "https://riders.example",
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(response.headers.get("Access-Control-Max-Age")).toBe("86400");
    expect(response.headers.get("Access-Control-Allow-Methods")?.split(",")).toContain(method);
    const allowed = response.headers.get("Access-Control-Allow-Headers")?.toLowerCase().split(",");
    for (const header of ["authorization", "content-type", "idempotency-key"]) expect(allowed).toContain(header);
  },
);
