/** The resources of the tenant API: creating, reading, changing, listing and deleting. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { PROPOSAL_STATUSES } from "../../../src/worker/model/proposal.ts";
import { countRows, databaseOf } from "../../support/databases.ts";
import { runJob } from "../../support/job.ts";
import { addOneOfEverything, createTenant } from "../../support/tenant.ts";

const ID = expect.stringMatching(/^[0-9A-Za-z]{12}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const resources = [
  {
    collection: "/tenant/surveys",
    least: { title: "T" },
    defaults: {
      id: ID,
      title: "T",
      description: "",
      status: "DRAFT",
      url: null,
      externalId: null,
      ideaBankId: null,
      thanks: "",
      questions: [],
      audience: null,
      anonymous: false,
      editable: true,
      closesAt: null,
      maxResponses: null,
      responses: 0,
      openedAt: null,
      createdAt: TIME,
      updatedAt: TIME,
    },
    changes: {
      ...{ title: "Größer 😀", description: "Line\nbreak", thanks: "Danke", status: "CLOSED" },
      ...{ anonymous: true, editable: false, closesAt: "2099-11-20T12:00:00.000Z", maxResponses: 9 },
    },
  },
  {
    collection: "/tenant/ideabanks",
    least: { name: "N" },
    defaults: {
      id: ID,
      name: "N",
      status: "DRAFT",
      internal: false,
      changelogEnabled: false,
      changelogMaxEntries: 20,
      submissionsEnabled: true,
      votingEnabled: true,
      commentsEnabled: true,
      surveysEnabled: true,
      approvalRequired: false,
      url: null,
      description: "",
      publicPage: false,
      hiddenFromSearch: false,
      emailSignIn: false,
      signInUrl: null,
      notifiesPeople: true,
      language: null,
      commentApprovalRequired: false,
      createdAt: TIME,
    },
    changes: {
      name: "M",
      status: "OPEN",
      internal: true,
      changelogEnabled: true,
      changelogMaxEntries: 100,
      submissionsEnabled: false,
      votingEnabled: false,
      commentsEnabled: false,
      surveysEnabled: false,
      approvalRequired: true,
      commentApprovalRequired: true,
      url: "https://riverline.example/ideas",
    },
  },
  {
    collection: "/tenant/panelists",
    least: {},
    defaults: {
      ...{
        id: ID,
        externalId: null,
        displayName: null,
        active: true,
        email: null,
        emailVerified: false,
        language: null,
      },
      createdAt: TIME,
    },
    changes: { displayName: "Robin", active: false, email: "robin@example.com" },
  },
];

describe.each(resources)("$collection", ({ collection, least, defaults, changes }) => {
  it("creates with defaults, reads, updates any subset, lists and deletes", { tags: "slow" }, async () => {
    const tenant = await createTenant();
    const created = await tenant.send("POST", collection, least);
    expect(created.status).toBe(201);
    const resource = await created.json<{ id: string }>();
    expect(resource).toEqual(defaults);
    const path = `${collection}/${resource.id}`;
    expect(await (await tenant.send("GET", path)).json()).toEqual(resource);
    for (const [field, value] of Object.entries(changes)) {
      const updated = await tenant.send("PATCH", path, { [field]: value });
      expect(updated.status).toBe(200);
      expect(await updated.json()).toMatchObject({ [field]: value });
    }
    expect(await (await tenant.send("GET", path)).json()).toEqual({ ...defaults, ...changes });
    const before = await (await tenant.send("GET", path)).json();
    expect(await (await tenant.send("PATCH", path, {})).json()).toEqual(before);
    expect(await (await tenant.send("GET", collection)).json()).toEqual({ items: [{ ...defaults, ...changes }] });
    const deleted = await tenant.send("DELETE", path);
    expect([deleted.status, await deleted.text()]).toEqual([204, ""]);
    expect((await tenant.send("GET", path)).status).toBe(403);
    expect((await tenant.send("DELETE", path)).status).toBe(403);
    expect(await (await tenant.send("GET", collection)).json()).toEqual({ items: [] });
  });

  it("accepts the same fields on creation as on update, and returns them as sent", async () => {
    const tenant = await createTenant();
    const created = await tenant.send("POST", collection, { ...least, ...changes });
    expect(await created.json()).toEqual({ ...defaults, ...changes });
  });
});

describe("proposals", () => {
  it("create with defaults, update any subset, delete with their comments", async () => {
    const ids = await addOneOfEverything();
    const tenant = await createTenant({ accountId: ids.accountId });
    const proposals = `/tenant/ideabanks/${ids.ideaBankId}/proposals`;
    const created = await tenant.send("POST", proposals, { title: "T" });
    const proposal = await created.json<{ id: string }>();
    const defaults = {
      id: ID,
      title: "T",
      description: "",
      status: "submitted",
      visibility: "public",
      votes: 0,
      comments: 0,
      panelistId: null,
      response: null,
      duplicateOf: null,
      merging: false,
      tags: [],
      externalId: null,
      metadata: {},
      createdAt: TIME,
      lastActivityAt: TIME,
    };
    expect(proposal).toEqual(defaults);
    const updated = await tenant.send("PATCH", `${proposals}/${proposal.id}`, { status: "declined" });
    expect(await updated.json()).toEqual({ ...defaults, status: "declined" });
    expect(await (await tenant.send("GET", `${proposals}/${proposal.id}`)).json()).toMatchObject({
      status: "declined",
    });
    expect((await tenant.send("DELETE", `${proposals}/${ids.proposalId}`)).status).toBe(204);
    expect(await countRows("comments")).toBe(0);
  });

  it("can change between any two statuses", { tags: "slow" }, async () => {
    const ids = await addOneOfEverything();
    const tenant = await createTenant({ accountId: ids.accountId });
    const path = `/tenant/ideabanks/${ids.ideaBankId}/proposals/${ids.proposalId}`;
    for (const from of PROPOSAL_STATUSES) {
      for (const to of PROPOSAL_STATUSES) {
        await tenant.send("PATCH", path, { status: from });
        expect(await (await tenant.send("PATCH", path, { status: to })).json()).toMatchObject({ status: to });
      }
    }
  });

  it("are listed by status", async () => {
    const ids = await addOneOfEverything();
    const tenant = await createTenant({ accountId: ids.accountId });
    const proposals = `/tenant/ideabanks/${ids.ideaBankId}/proposals`;
    await tenant.send("POST", proposals, { title: "P", status: "planned" });
    const titles = async (query: string) =>
      (await (await tenant.send("GET", proposals + query)).json<{ items: { title: string }[] }>()).items.map(
        ({ title }) => title,
      );
    expect(await titles("")).toEqual(["P", "A proposal", "A proposal"]);
    expect(await titles("?status=planned")).toEqual(["P"]);
    expect(await titles("?status=declined")).toEqual([]);
  });

  it("count an edit or a change of status as activity, and nothing else", async () => {
    const ids = await addOneOfEverything();
    const tenant = await createTenant({ accountId: ids.accountId });
    const path = `/tenant/ideabanks/${ids.ideaBankId}/proposals/${ids.proposalId}`;
    await databaseOf(ids.accountId).prepare("UPDATE proposals SET last_activity_at = 1").run();
    const activityAfter = async (changes: object) =>
      Date.parse((await (await tenant.send("PATCH", path, changes)).json<{ lastActivityAt: string }>()).lastActivityAt);
    expect(await activityAfter({})).toBe(1);
    expect(await activityAfter({ title: "A proposal", status: "implemented" })).toBe(1);
    expect(await activityAfter({ title: "Another" })).toBeGreaterThan(1);
    await databaseOf(ids.accountId).prepare("UPDATE proposals SET last_activity_at = 1").run();
    expect(await activityAfter({ status: "planned" })).toBeGreaterThan(1);
  });
});

describe("comments", () => {
  it("are listed and deleted; deleting does not change the proposal's last activity", async () => {
    const ids = await addOneOfEverything(undefined, "panelist");
    const tenant = await createTenant({ accountId: ids.accountId });
    const comments = `/tenant/ideabanks/${ids.ideaBankId}/proposals/${ids.proposalId}/comments`;
    expect(await (await tenant.send("GET", comments)).json()).toEqual({
      items: [
        {
          id: ids.commentId,
          proposalId: ids.proposalId,
          by: "panelist",
          panelistId: ids.panelistId,
          body: "A comment",
          visibility: "public",
          createdAt: "1970-01-01T00:00:00.001Z",
        },
      ],
    });
    const activity = () => databaseOf(ids.accountId).prepare("SELECT last_activity_at FROM proposals").first();
    const before = await activity();
    expect((await tenant.send("DELETE", `${comments}/${ids.commentId}`)).status).toBe(204);
    expect(await (await tenant.send("GET", comments)).json()).toEqual({ items: [] });
    expect(await activity()).toEqual(before);
  });
});

describe("panelists", () => {
  it("have an externalId that is unique within one tenant", async () => {
    const [tenant, other] = [await createTenant(), await createTenant()];
    const create = (by: typeof tenant, externalId: string | null) =>
      by.send("POST", "/tenant/panelists", { externalId });
    expect((await create(tenant, "a")).status).toBe(201);
    expect((await create(other, "a")).status).toBe(201);
    const taken = await create(tenant, "a");
    expect(taken.status).toBe(409);
    expect(await taken.json()).toMatchObject({
      error: "conflict",
      detail: expect.stringContaining("externalId exists already"),
    });
    for (const nameless of [await create(tenant, null), await create(tenant, null)]) expect(nameless.status).toBe(201);
  });

  it("are found by externalId", async () => {
    const tenant = await createTenant();
    for (const externalId of ["a", "b&c=d"]) await tenant.send("POST", "/tenant/panelists", { externalId });
    const found = await tenant.send("GET", `/tenant/panelists?externalId=${encodeURIComponent("b&c=d")}`);
    expect(await found.json()).toMatchObject({ items: [{ externalId: "b&c=d" }] });
  });
});

it("deleting an idea bank deletes its proposals and comments", { tags: "slow" }, async () => {
  const ids = await addOneOfEverything();
  const tenant = await createTenant({ accountId: ids.accountId });
  await tenant.send("DELETE", `/tenant/ideabanks/${ids.ideaBankId}`);
  await runJob(env);
  expect([await countRows("proposals"), await countRows("comments")]).toEqual([0, 0]);
});
