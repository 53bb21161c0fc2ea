/** The rules of `GET /public/ideabank/changelog`, by their numbers in the contract. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PROPOSAL_STATUSES } from "../../../src/worker/model/proposal.ts";
import { databaseOf } from "../../support/databases.ts";
import { createIsolate } from "../../support/isolate.ts";
import {
  addAccount,
  addIdeaBank,
  addPanelist,
  addProposal,
  type IdeaBankOptions,
  newId,
  tokenFor,
} from "../../support/world.ts";

const PATH = "/public/ideabank/changelog";
const read = (token: string, headers: Record<string, string> = {}, path = PATH) =>
  createIsolate().request(path, { headers: { Authorization: token, ...headers } });
const titles = async (response: Response) =>
  (await response.json<{ items: { title: string }[] }>()).items.map(({ title }) => title);

describe("rules 1 and 3: the items are the implemented proposals, newest first by last activity", () => {
  it("counts no comment as activity, whoever writes it: news alone reorders the changelog", async () => {
    const bank = await addIdeaBank();
    const older = await addProposal(bank, { title: "older", lastActivityAt: 1_000_000 });
    await addProposal(bank, { title: "newer", lastActivityAt: 2_000_000 });
    const comment = databaseOf(bank.id).prepare(
      "INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, body, by_tenant, created_at) VALUES (?1, ?2, (SELECT idea_bank_id FROM proposals WHERE id = ?3), ?3, 'Thanks!', ?4, 3000000)",
    );
    for (const byTenant of [0, 1]) {
      await comment.bind(newId(), bank.accountId, older, byTenant).run();
      expect(await titles(await read(bank.token))).toEqual(["newer", "older"]);
    }
  });

  it("equals a reference changelog, for any proposals and any maximum: ties are broken by id", {
    tags: "slow",
  }, async () => {
    const proposal = fc.record({
      title: fc.string({ unit: "binary", minLength: 1 }).map((text) => text.replaceAll("\0", "")),
      description: fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\0", "")),
      status: fc.oneof({ weight: 2, arbitrary: fc.constant("implemented") }, fc.constantFrom(...PROPOSAL_STATUSES)),
      // Some at the same time, and some within one second.
      lastActivityAt: fc.constantFrom(0, 999, 1_000, 1_700_000_000_999),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(proposal, { maxLength: 8 }), fc.integer({ min: 1, max: 5 }), async (proposals, max) => {
        const bank = await addIdeaBank({ changelogMaxEntries: max });
        const added = [];
        for (const fields of proposals) added.push({ ...fields, id: await addProposal(bank, fields) });
        const expected = added
          .filter(({ status }) => status === "implemented")
          .sort((a, b) => b.lastActivityAt - a.lastActivityAt || (a.id < b.id ? 1 : -1))
          .slice(0, max)
          .map(({ title, description, lastActivityAt }) => ({
            title,
            description,
            lastModified: Math.floor(lastActivityAt / 1000),
          }));
        expect(await (await read(bank.token)).json()).toEqual({ items: expected });
      }),
      { numRuns: 10 },
    );
  });
});

describe("rule 2: exactly three fields, and nothing internal anywhere", () => {
  it("has no identifier in the body or in a header", async () => {
    const bank = await addIdeaBank();
    const proposalId = await addProposal(bank);
    const response = await read(bank.token);
    const text = await response.clone().text();
    const everything = text + JSON.stringify([...response.headers]);
    for (const id of [bank.id, bank.accountId, bank.panelistId, proposalId]) expect(everything).not.toContain(id);
    const { items } = await response.json<{ items: object[] }>();
    expect(items.map((item) => Object.keys(item))).toEqual([["title", "description", "lastModified"]]);
  });

  it("has an ETag that is a function of the body alone", async () => {
    const [one, other] = [await addIdeaBank(), await addIdeaBank()];
    for (const bank of [one, other]) await addProposal(bank, { lastActivityAt: 5_000 });
    await addProposal(other, { status: "planned" });
    const etags = [(await read(one.token)).headers.get("ETag"), (await read(other.token)).headers.get("ETag")];
    expect(etags[0]).toMatch(/^"[0-9A-Za-z+/]{22}=="$/);
    expect(etags[1]).toBe(etags[0]);
  });
});

describe("rule 3: a fixed top-N, so it has no parameters", () => {
  it.each(["?limit=1", "?cursor=abc", "?limit=-1&cursor=%00", "?limit=100000", "?limit"])(
    "ignores %s",
    async (query) => {
      const bank = await addIdeaBank({ changelogMaxEntries: 3 });
      for (let times = 0; times < 5; times++) await addProposal(bank);
      const [plain, asked] = [await read(bank.token), await read(bank.token, {}, PATH + query)];
      expect(asked.status).toBe(200);
      expect(await asked.text()).toBe(await plain.text());
    },
  );
});

const closed: [string, () => Promise<IdeaBankOptions>][] = [
  ["a draft", async () => ({ status: "DRAFT" })],
  ["closed", async () => ({ status: "CLOSED" })],
  ["open, with its changelog off", async () => ({ changelogEnabled: false })],
  ["of a suspended account", async () => ({ accountId: await addAccount({ status: "suspended" }) })],
];

describe("rules 4 and 5: an idea bank without the capability canViewChangelog", () => {
  it.each(closed)(
    "that is %s answers the same 404 as one that does not exist: status, headers and bytes",
    async (_, options) => {
      const bank = await addIdeaBank(await options());
      await addProposal(bank);
      const headers = { "X-Request-Id": "the-same-for-both" };
      const closedAnswer = await read(bank.token, headers);
      const absentAnswer = await read(await tokenFor(newId(bank.id), bank.panelistId), headers);
      expect(closedAnswer.status).toBe(404);
      expect(absentAnswer.status).toBe(404);
      expect([...closedAnswer.headers]).toEqual([...absentAnswer.headers]);
      const bytes = await closedAnswer.text();
      expect(bytes).toBe(await absentAnswer.text());
      expect(JSON.parse(bytes)).toEqual({
        type: "about:blank",
        title: "Not Found",
        status: 404,
        detail: "There is no such idea bank.",
        error: "idea-bank-not-found",
      });
    },
  );

  it.each(closed)("that is %s reveals nothing to If-None-Match", async (_, options) => {
    const bank = await addIdeaBank(await options());
    expect((await read(bank.token, { "If-None-Match": "*" })).status).toBe(404);
  });
});

it("rule 6: an internal idea bank still shows its changelog to the same token", async () => {
  const bank = await addIdeaBank({ internal: true });
  await addProposal(bank, { title: "Implemented" });
  expect(await titles(await read(bank.token))).toEqual(["Implemented"]);
  const capabilities = await createIsolate().request("/ideabank", { headers: { Authorization: bank.token } });
  expect(await capabilities.json()).toEqual({
    name: "An idea bank",
    capabilities: {
      canViewChangelog: true,
      canViewProposals: false,
      canSubmitProposals: false,
      canVote: false,
      canComment: false,
      canAnswerSurveys: true,
    },
  });
});

// Rule 7, 401 for a missing or invalid token, is the table of authentication.test.ts.

describe("the answer", () => {
  it("is private, must be revalidated, and varies by token and origin", async () => {
    const response = await read((await addIdeaBank()).token);
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
    expect(response.headers.get("Vary")).toBe("Authorization, Origin");
  });

  it("is 304 for its own ETag, without a body, and 200 for any other", async () => {
    const bank = await addIdeaBank();
    await addProposal(bank);
    const etag = (await read(bank.token)).headers.get("ETag") ?? "";
    for (const value of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const response = await read(bank.token, { "If-None-Match": value });
      expect(response.status, value).toBe(304);
      expect(await response.text()).toBe("");
      expect(response.headers.get("ETag")).toBe(etag);
      expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
      expect(response.headers.get("Vary")).toBe("Authorization, Origin");
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    }
    for (const value of ['"other"', etag.slice(1, -1), "", "x".repeat(100_000)]) {
      expect((await read(bank.token, { "If-None-Match": value })).status, value.slice(0, 20)).toBe(200);
    }
  });

  it("shows each idea bank its own changelog only", async () => {
    const accountId = await addAccount();
    const [one, other] = [await addIdeaBank({ accountId }), await addIdeaBank({ accountId })];
    await addProposal(one, { title: "one" });
    await addProposal(other, { title: "other" });
    const isolate = createIsolate();
    for (const [bank, title] of [
      [one, "one"],
      [other, "other"],
    ] as const) {
      const token = await tokenFor(bank.id, await addPanelist(accountId));
      expect(await titles(await isolate.request(PATH, { headers: { Authorization: token } }))).toEqual([title]);
    }
  });
});

describe("GET /ideabank", () => {
  it.each([
    [{}, [true, true, true, true, true, true]],
    [{ internal: true }, [true, false, false, false, false, true]],
    [{ changelogEnabled: false }, [false, true, true, true, true, true]],
    [{ status: "DRAFT" }, [false, false, false, false, false, false]],
    [{ status: "CLOSED" }, [false, false, false, false, false, false]],
  ] as const)("of an idea bank that is %j reports %j", async (options, expected) => {
    const bank = await addIdeaBank(options);
    const response = await createIsolate().request("/ideabank", { headers: { Authorization: bank.token } });
    expect(response.status).toBe(200);
    const { capabilities } = await response.json<{ capabilities: object }>();
    expect(Object.values(capabilities)).toEqual(expected);
  });

  it("gives the same answer for an idea bank that is closed, suspended or missing", async () => {
    const bank = await addIdeaBank();
    const suspended = await addIdeaBank({ accountId: await addAccount({ status: "suspended" }) });
    const closed = await addIdeaBank({ status: "CLOSED" });
    for (const token of [await tokenFor(newId(bank.id), bank.panelistId), suspended.token, closed.token]) {
      const response = await createIsolate().request("/ideabank", { headers: { Authorization: token } });
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        name: null,
        capabilities: {
          canViewChangelog: false,
          canViewProposals: false,
          canSubmitProposals: false,
          canVote: false,
          canComment: false,
          canAnswerSurveys: false,
        },
      });
    }
  });
});
