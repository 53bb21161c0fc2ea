/** What a tool of `POST /mcp` says of itself, takes and gives, where that differs from the operation. */
import { describe, expect, it, vi } from "vitest";
import { descriptionOf } from "../../../src/worker/model/describe.ts";
import type { TenantOperation } from "../../../src/worker/tenant/operation.ts";
import { TENANT_OPERATIONS } from "../../../src/worker/tenant/routes.ts";
import { createAgent } from "../../support/agent.ts";
import { operationsOf } from "../../support/operations.ts";
import { addOneOfEverything, dumpDatabases } from "../../support/tenant.ts";

describe("the hints", () => {
  it("follow from what the operation does, and not from its method", async () => {
    const { ask } = await createAgent();
    const { result } = await ask("tools/list");
    const withHint = (hint: string) =>
      result.tools.filter(({ annotations }) => annotations[hint]).map(({ name }) => name);
    const names = result.tools.map(({ name }) => name);
    // An agent may do less with an operation than a server may.
    const effects = new Map(
      Object.entries<TenantOperation>(TENANT_OPERATIONS).map(([name, { effect, forAgents = "never" }]) => [
        name,
        forAgents === "never" ? effect : forAgents.effect,
      ]),
    );
    const having = (effect: string) => names.filter((name) => effects.get(name) === effect);
    const [reading, adding] = [having("reads"), having("adds")];
    expect(withHint("readOnlyHint")).toEqual(reading);
    expect(reading).toEqual(expect.arrayContaining(["whoami", "listSurveys", "getProposal", "introspectToken"]));
    // Final: a merge. Ends: tokens. Overwrites: every update, and an upsert.
    const destructive = names.filter((name) => !reading.includes(name) && !adding.includes(name));
    expect(withHint("destructiveHint")).toEqual(destructive);
    expect(destructive).toEqual(
      expect.arrayContaining(["mergeProposal", "revokeTokensOf", "upsertProposal", "updateProposal", "deleteVote"]),
    );
    expect(adding).toEqual(expect.arrayContaining(["createProposal", "putPanelists", "voteFor", "issueToken"]));
    // Again does something more: a second resource, or an end to tokens that were issued since.
    const again = /^(create|copy|issueToken$|revokeTokens|endVisitorTokens$)/;
    expect(withHint("idempotentHint")).toEqual(names.filter((name) => !again.test(name)));
    expect(withHint("openWorldHint")).toEqual([]);
  });
});

describe("a secret", () => {
  it("is handed out by no tool", async () => {
    const { call, ask, accountId } = await createAgent();
    const { ideaBankId, panelistId, externalId } = await addOneOfEverything(accountId);
    const before = await dumpDatabases();
    for (const name of ["getSigningSecret", "rotateSigningSecret"])
      expect((await ask("tools/call", { name, arguments: { ideaBankId } })).error.code).toBe(-32602);
    for (const named of [{ panelistId }, { externalId }, { externalId, visitor: true }, { displayName: "Robin" }]) {
      const { isError, text } = await call("issueToken", { ideaBankId, ...named });
      expect([named, isError, text]).toEqual([named, true, expect.not.stringContaining("ibt_")]);
    }
    expect(await dumpDatabases()).toEqual(before);
    const answering = operationsOf("apiKey").filter(({ operation: { answer } }) =>
      Object.keys((answer && descriptionOf(answer)?.fields) ?? {}).some((field) => /secret|token|key$/i.test(field)),
    );
    expect(answering.map(({ name }) => name)).toEqual(["issueToken", "getSigningSecret", "rotateSigningSecret"]);
  });

  it("is not what a visitor's token is: it only reads", async () => {
    const { call, accountId } = await createAgent();
    const { ideaBankId } = await addOneOfEverything(accountId);
    const { json } = await call("issueToken", { ideaBankId, visitor: true, lifetimeSeconds: 60 });
    expect(json).toMatchObject({ token: expect.stringMatching(/^ibv_/), panelistId: null });
    expect((await call("issueToken", { ideaBankId })).isError).toBe(true);
  });
});

describe("null", () => {
  it("is absent in a creation, in a field that takes no null", async () => {
    const { call, ask, accountId } = await createAgent();
    const { result } = await ask("tools/list");
    const ids = await addOneOfEverything(accountId);
    const named: Record<string, object> = {
      createSurvey: { title: "T" },
      createIdeaBank: { name: "N" },
      createProposal: { title: "T" },
      createComment: { body: "B" },
      createPanelist: {},
      voteFor: { panelistId: ids.panelistId },
      issueToken: { visitor: true },
    };
    for (const [name, needed] of Object.entries(named)) {
      const { properties = {} } = result.tools.find((tool) => tool.name === name)?.inputSchema ?? {};
      const unset = Object.fromEntries(Object.keys(properties).map((field) => [field, null]));
      const path = Object.fromEntries(
        Object.entries(ids).filter(([id]) => /^(ideaBankId|proposalId)$/.test(id) && id in properties),
      );
      const { isError, text } = await call(name, { ...unset, ...path, ...needed });
      expect([name, isError, text]).toEqual([name, false, text]);
    }
    const { json } = await call("createSurvey", { title: null });
    expect(json.errors).toEqual([{ path: "title", message: "is required" }]);
    expect((await call("createSurvey", { title: "T", color: null })).isError).toBe(true);
  });

  it("is absent in an item of a batch, too, but not where an item would be", { tags: "slow" }, async () => {
    const { call, accountId } = await createAgent();
    const { ideaBankId, proposalId, panelistId } = await addOneOfEverything(accountId);
    const comments = [{ body: "B", panelistId: null, createdAt: null, panelistExternalId: null }];
    const written = await call("createComments", { ideaBankId, proposalId, comments });
    expect([written.isError, written.text]).toEqual([false, written.text]);
    const voters = [{ panelistId, panelistExternalId: null }];
    const voted = await call("putVotes", { ideaBankId, proposalId, voters });
    expect([voted.isError, voted.text]).toEqual([false, voted.text]);
    for (const refused of [[null], [{ body: null }], [{ body: "B", color: null }], null])
      expect((await call("createComments", { ideaBankId, proposalId, comments: refused })).isError).toBe(true);
  });

  it("is the same request as leaving it out", async () => {
    const { call } = await createAgent();
    const first = await call("createSurvey", { title: "T", idempotencyKey: "once" });
    const again = await call("createSurvey", { idempotencyKey: "once", description: null, title: "T" });
    expect([again.isError, again.text]).toEqual([false, first.text]);
    expect(again.response.headers.get("Idempotency-Replayed")).toBe("true");
  });

  it("clears a field in a change, and is refused where it could not be meant so", { tags: "slow" }, async () => {
    const { call, accountId } = await createAgent();
    const { ideaBankId, proposalId } = await addOneOfEverything(accountId);
    const change = (fields: object) => call("updateProposal", { ideaBankId, proposalId, ...fields });
    expect((await change({ response: { text: "Soon." } })).json.response).toMatchObject({ text: "Soon." });
    expect((await change({ response: null })).json.response).toBeNull();
    for (const [name, fields] of [
      ["updateProposal", { proposalId, title: null }],
      ["updateProposal", { proposalId, tags: null }],
      ["upsertProposal", { externalId: "own", title: "T", tags: null }],
    ] as const) {
      const { isError, json } = await call(name, { ideaBankId, ...fields });
      expect([name, isError, json.error]).toEqual([name, true, "invalid-request"]);
    }
  });
});

describe("a list", () => {
  const LONG = "é".repeat(9_999);
  const shown = `${"é".repeat(500)}… (the first 500 of 9999 characters)`;

  async function createLongIdeas(count: number) {
    const agent = await createAgent();
    const { ideaBankId, proposalId } = await addOneOfEverything(agent.accountId);
    const response = { text: LONG };
    for (let index = 0; index < count; index++)
      await agent.call("createProposal", { ideaBankId, title: `Idea ${index}`, description: LONG, response });
    return { ...agent, ideaBankId, proposalId };
  }

  it("has texts of 500 characters, with their length, and the whole ones where they are asked for", {
    tags: "slow",
  }, async () => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    const { call, ideaBankId, proposalId } = await createLongIdeas(20);
    const { text, json } = await call("listProposals", { ideaBankId });
    // Clients take about 25,000 tokens, and a token of English has about four characters.
    expect(text.length).toBeLessThan(60_000);
    expect(json.items[0]).toMatchObject({ description: shown, response: { text: shown } });
    const { id } = json.items[0];
    expect((await call("getProposal", { ideaBankId, proposalId: id })).json.description).toBe(LONG);
    const whole = await call("listProposals", { ideaBankId, limit: 1, wholeTexts: true });
    expect(whole.json.items[0]).toMatchObject({ description: LONG, response: { text: LONG } });
    const next = await call("listProposals", { ideaBankId, cursor: json.nextCursor });
    expect(next.isError).toBe(false);
    await call("createComment", { ideaBankId, proposalId, body: LONG });
    for (const name of ["listComments", "listIdeaBankComments"]) {
      const { items } = (await call(name, { ideaBankId, proposalId })).json;
      expect([name, items?.[0]?.body]).toEqual(name === "listComments" ? [name, shown] : [name, undefined]);
    }
    expect((await call("listIdeaBankComments", { ideaBankId })).json.items[0].body).toBe(shown);
    expect((await call("listComments", { ideaBankId, proposalId, wholeTexts: true })).json.items[0].body).toBe(LONG);
    expect((await call("listChanges", {})).text).not.toContain(LONG);
  });

  it("has a text of 500 characters as it is, and cuts none in two halves of a character", async () => {
    const { call, accountId } = await createAgent();
    const { ideaBankId } = await addOneOfEverything(accountId);
    const list = async (description: string) => {
      await call("createProposal", { ideaBankId, title: "T", description });
      return (await call("listProposals", { ideaBankId, limit: 1 })).json.items[0].description;
    };
    expect(await list("🚌".repeat(500))).toBe("🚌".repeat(500));
    expect(await list("🚌".repeat(501))).toBe(`${"🚌".repeat(500)}… (the first 500 of 501 characters)`);
  });

  it("takes nothing but true for whole texts, and only lists have them", async () => {
    const { call, ask } = await createAgent();
    for (const wholeTexts of [false, null, "true", 1, {}])
      expect((await call("listSurveys", { wholeTexts })).isError).toBe(false);
    expect((await call("whoami", {})).isError).toBe(false);
    expect((await call("createSurvey", { title: "T", wholeTexts: true })).json.error).toBe("invalid-request");
    const { result } = await ask("tools/list");
    const having = result.tools.filter(({ inputSchema }) => "wholeTexts" in (inputSchema.properties ?? {}));
    expect(having.map(({ name }) => name)).toEqual(
      operationsOf("apiKey")
        .filter(({ operation }) => operation.query)
        .map(({ name }) => name),
    );
  });
});
