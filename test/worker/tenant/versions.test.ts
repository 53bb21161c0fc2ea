/** `ETag`, `If-Match` and `If-None-Match: *`: nobody overwrites what they have not seen. Each operation and each field: versions.slow.test.ts. */
import { describe, expect, it } from "vitest";
import { takesIfMatch } from "../../../src/worker/http/operation.ts";
import { createIsolate } from "../../support/isolate.ts";
import { fillPath, operationsOf } from "../../support/operations.ts";
import { PROPOSALS, sendWith } from "../../support/panel.ts";
import { createTenant } from "../../support/tenant.ts";
import { createMeanwhile, createScene, etagAt } from "../../support/versions.ts";
import { addAccount, tokenFor } from "../../support/world.ts";

const versioned = operationsOf("apiKey").filter(({ operation }) => operation.version !== undefined);
const writes = versioned.filter(({ operation }) => takesIfMatch(operation));

it("each resource of the tenant API that has a path of its own has a version", () => {
  const single = operationsOf("apiKey").filter(
    ({ method, path, operation }) =>
      (method === "PATCH" || method === "DELETE" || (method === "GET" && operation.query === undefined)) &&
      /\{(surveyId|ideaBankId|proposalId|commentId|panelistId)\}$/.test(path) &&
      !path.includes("/votes/"),
  );
  expect(single.filter(({ operation }) => operation.version === undefined)).toEqual([]);
  expect(single.length).toBeGreaterThan(12);
  expect(writes.length).toBe(11);
});

describe("two writers with the same ETag", () => {
  it.each([
    ["PATCH", "/tenant/surveys/{surveyId}", { title: "Mine" }, 412],
    ["DELETE", "/tenant/surveys/{surveyId}", undefined, 412],
    ["PATCH", "/tenant/surveys/{surveyId}", { title: "Mine" }, 200],
  ])(
    "%s %s, of which the other one has changed it between the read and the write, or not",
    async (method, path, body, status) => {
      const { isolate, meanwhile } = createMeanwhile();
      const { ids, send } = await createScene(isolate);
      const etag = await etagAt(send, path);
      const other = await createTenant({ accountId: ids.accountId });
      const title = status === 412 ? "Theirs" : "A survey";
      meanwhile(() => other.send("PATCH", fillPath(path, ids), { title }, { "If-Match": etag }));
      expect((await send(method, path, body, { "If-Match": etag })).status).toBe(status);
      const now = await (await send("GET", path)).json();
      expect(now).toMatchObject({ title: status === 412 ? "Theirs" : "Mine" });
    },
  );
});

it.each(writes.filter(({ operation }) => !operation.creates))(
  "$method $path refuses If-None-Match, and an empty If-Match: neither is ignored",
  async ({ method, path }) => {
    const { send } = await createScene();
    const body = method === "DELETE" ? undefined : path.endsWith("{commentId}") ? { body: "Mine" } : {};
    for (const header of ["If-None-Match", "If-Match"]) {
      const refused = await send(method, path, body, { [header]: header === "If-Match" ? "" : "*" });
      expect([refused.status, await refused.json()]).toMatchObject([400, { errors: [{ path: header }] }]);
    }
  },
);

it("nothing is written where neither can be kept: votes, batches, merges, what has no version", {
  tags: "slow",
}, async () => {
  const { ids, send } = await createScene();
  const bank = "/tenant/ideabanks/{ideaBankId}/proposals";
  for (const [method, path, body] of [
    ["POST", bank, { title: "New" }],
    ["PUT", `${bank}/{proposalId}/votes/{panelistId}`, undefined],
    ["DELETE", `${bank}/{proposalId}/votes/{panelistId}`, undefined],
    ["POST", `${bank}/{proposalId}/merge`, { into: ids.otherProposalId }],
    ["PUT", "/tenant/panelists", { panelists: [{ externalId: "new-1" }] }],
    ["DELETE", "/tenant/panelists/{panelistId}/tokens", undefined],
  ] as const)
    for (const header of ["If-None-Match", "If-Match"]) {
      const refused = await send(method, path, body, { [header]: "*" });
      expect([method, path, refused.status, await refused.json()]).toMatchObject([
        ...[method, path, 400],
        { errors: [{ path: header }] },
      ]);
    }
});

describe("a proposal", () => {
  const path = "/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}";

  it("has the same ETag after a vote and a comment: a change is not refused for them", async () => {
    const { ids, send } = await createScene();
    const etag = await etagAt(send, path);
    const panelist = sendWith(createIsolate(), await tokenFor(ids.ideaBankId ?? "", ids.panelistId ?? ""));
    expect((await panelist("DELETE", `${PROPOSALS}/${ids.proposalId}/vote`)).status).toBe(200);
    expect((await panelist("POST", `${PROPOSALS}/${ids.proposalId}/comments`, { body: "Yes!" })).status).toBe(201);
    expect((await send("GET", path)).headers.get("ETag")).toBe(etag);
    expect((await send("PATCH", path, { title: "Mine" }, { "If-Match": etag })).status).toBe(200);
  });

  it("has another one after its author's edit", async () => {
    const { ids, tenant, send } = await createScene();
    const token = await tokenFor(ids.ideaBankId ?? "", ids.panelistId ?? "");
    const panelist = sendWith(tenant.isolate, token);
    const { id = "" } = await (await panelist("POST", PROPOSALS, { title: "Theirs" })).json<{ id?: string }>();
    const one = path.replace("{proposalId}", id);
    const etag = (await send("GET", one)).headers.get("ETag") ?? "";
    await panelist("PATCH", `${PROPOSALS}/${id}`, { title: "Theirs, edited" });
    expect((await send("PATCH", one, { visibility: "public" }, { "If-Match": etag })).status).toBe(412);
  });

  it("is 412 when the externalId that it would get is taken, too: the ETag is compared first", async () => {
    const { ids, send } = await createScene();
    const other = path.replace("{proposalId}", ids.otherProposalId ?? "");
    const taken = { externalId: ids.externalId };
    expect((await send("PATCH", other, taken, { "If-Match": '"other"' })).status).toBe(412);
    expect((await send("PATCH", other, taken)).status).toBe(409);
  });
});

describe("PUT …/by-external-id/…", () => {
  const path = "/tenant/ideabanks/{ideaBankId}/proposals/by-external-id/{externalId}";
  const body = { title: "A title" };

  it("only creates with If-None-Match: *, so of two requests at the same time one creates", async () => {
    const { send } = await createScene();
    const create = () => send("PUT", path.replace("{externalId}", "new-1"), body, { "If-None-Match": "*" });
    const answers = await Promise.all([create(), create()]);
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 412]);
    const created = answers.find((answer) => answer.status === 201);
    const { id } = (await created?.json<{ id: string }>()) ?? {};
    expect(created?.headers.get("Location")).toMatch(new RegExp(`^/tenant/ideabanks/\\w{12}/proposals/${id}$`));
    expect((await send("GET", created?.headers.get("Location") ?? "")).headers.get("ETag")).toBe(
      created?.headers.get("ETag"),
    );
    expect((await send("PUT", path, body, { "If-None-Match": "*" })).status).toBe(412);
  });

  it("only changes with If-Match", async () => {
    const { send } = await createScene();
    const missing = path.replace("{externalId}", "new-2");
    for (const etag of ["*", '"other"'])
      expect((await send("PUT", missing, body, { "If-Match": etag })).status).toBe(412);
    const created = await send("PUT", missing, body);
    expect(created.status).toBe(201);
    const etag = created.headers.get("ETag") ?? "";
    const changed = await send("PUT", missing, { title: "Another" }, { "If-Match": etag });
    expect([changed.status, changed.headers.get("Location")]).toEqual([200, null]);
    expect((await send("PUT", missing, { title: "A third" }, { "If-Match": etag })).status).toBe(412);
  });

  it("takes no other If-None-Match, and not both", async () => {
    const { ids, tenant, send } = await createScene();
    expect((await send("PUT", path, body, { "If-None-Match": '"a"' })).status).toBe(400);
    expect((await send("PUT", path, body, { "If-None-Match": "*", "If-Match": "*" })).status).toBe(400);
    const foreign = await createTenant({ accountId: await addAccount() }, tenant.isolate);
    const headers = [{ "If-None-Match": "*" }, { "If-Match": "*" }, { "If-Match": '"a"' }];
    for (const each of headers) expect((await foreign.send("PUT", fillPath(path, ids), body, each)).status).toBe(403);
  });
});

describe("with an Idempotency-Key", () => {
  it("a deletion that was done before is the same answer, with its If-Match", async () => {
    const { ids, tenant } = await createScene();
    for (const path of ["/tenant/surveys/{surveyId}", "/tenant/ideabanks/{ideaBankId}"]) {
      const at = fillPath(path, ids);
      const etag = (await tenant.send("GET", at)).headers.get("ETag") ?? "";
      const headers = { "If-Match": etag, "Idempotency-Key": path };
      expect((await tenant.send("DELETE", at, undefined, headers)).status).toBe(204);
      const again = await tenant.send("DELETE", at, undefined, headers);
      expect([again.status, again.headers.get("Idempotency-Replayed")]).toEqual([204, "true"]);
    }
  });

  it("a creation has the ETag and the address of its first answer", async () => {
    const { send } = await createScene();
    const create = () => send("POST", "/tenant/surveys", { title: "T" }, { "Idempotency-Key": "one" });
    const [first, again] = [await create(), await create()];
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    for (const name of ["ETag", "Location"]) expect(again.headers.get(name)).toBe(first.headers.get(name));
  });
});
