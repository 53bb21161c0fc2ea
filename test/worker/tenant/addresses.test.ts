/** A panelist's e-mail address: how a tenant gives, corrects and removes it, how a token brings it, and who sees it. */
import { env } from "cloudflare:workers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readExportedRows } from "../../../src/worker/database/accounts/exported-rows.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf, sessionOf } from "../../support/databases.ts";
import { failStores } from "../../support/intercept.ts";
import { bodyOf, fillPath, operationsOf } from "../../support/operations.ts";
import { CHANGELOG, createPanel, type Panel, PROPOSALS, sendWith } from "../../support/panel.ts";
import { open } from "../../support/public-page.ts";
import { createSigner } from "../../support/signing.ts";
import { createTenant } from "../../support/tenant.ts";
import { createWebhookScene } from "../../support/webhooks.ts";

type Person = { id: string; email: string | null; emailVerified: boolean };
const PANELISTS = "/tenant/panelists";
const ADDRESS = "nightjar@example.com";

const NONE = { email: null, verified: 0, mailbox: null };

const rowOf = (id: string) =>
  databaseOf(id)
    .prepare("SELECT email, email_verified AS verified, mailbox FROM panelists WHERE id = ?1")
    .bind(id)
    .first();
const verify = (id: string, email: string) =>
  databaseOf(id)
    .prepare("UPDATE panelists SET email = ?2, email_verified = 1, mailbox = ?2 WHERE id = ?1")
    .bind(id, email)
    .run();

async function createScene() {
  const { tenant, ...panel } = await createPanel();
  const send = async (method: string, path: string, body: object) => {
    const answer = await tenant.send(method, path, body);
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json<Person>();
  };
  return { ...panel, tenant, send, patch: (id: string, body: object) => send("PATCH", `${PANELISTS}/${id}`, body) };
}

describe("an address that the tenant gives", () => {
  it("is kept in plain form, with its mailbox, and is not verified", async () => {
    const { send } = await createScene();
    const { id, ...created } = await send("POST", PANELISTS, { email: " A.na+News@GMail.com " });
    expect(created).toMatchObject({ email: "a.na+news@gmail.com", emailVerified: false });
    expect(await rowOf(id)).toEqual({ email: "a.na+news@gmail.com", verified: 0, mailbox: "ana@gmail.com" });
  });

  it("is changed, taken away and left alone by PATCH", async () => {
    const { send, patch } = await createScene();
    const { id } = await send("POST", PANELISTS, { email: "one@example.com" });
    expect(await patch(id, { email: "Two+x@example.com" })).toMatchObject({ email: "two+x@example.com" });
    expect(await rowOf(id)).toEqual({ email: "two+x@example.com", verified: 0, mailbox: "two@example.com" });
    expect(await patch(id, { displayName: "Robin" })).toMatchObject({ email: "two+x@example.com" });
    expect(await patch(id, { email: null })).toMatchObject({ email: null });
    expect(await rowOf(id)).toEqual(NONE);
  });

  it("takes the proof from a verified one, but not when it is the same", async () => {
    const { panelist, patch, tenant } = await createScene();
    const { id } = await panelist();
    await verify(id, "one@example.com");
    const changes = async () =>
      (await (await tenant.send("GET", "/tenant/changes?limit=100")).json<{ items: object[] }>()).items.length;
    const before = await changes();
    expect(await patch(id, { email: "ONE@example.com" })).toMatchObject({ emailVerified: true });
    expect(await changes()).toBe(before);
    expect(await patch(id, { email: "two@example.com" })).toMatchObject({ emailVerified: false });
    expect(await changes()).toBe(before + 1);
    // Given back, it is as unproved as any other.
    expect(await patch(id, { email: "one@example.com" })).toMatchObject({ emailVerified: false });
  });

  it("may be that of several people, also of one who has verified it", async () => {
    const { panelist, send } = await createScene();
    const { id } = await panelist();
    await verify(id, ADDRESS);
    for (const _ of [1, 2]) await send("POST", PANELISTS, { email: ADDRESS });
    expect(await rowOf(id)).toMatchObject({ email: ADDRESS, verified: 1 });
  });

  it.each(["robin", "robin@", "robin@localhost", "a b@example.com", "a@example.com\nBcc: b@example.com", "", 7])(
    "is the field’s error when it is none: %j",
    async (email) => {
      const { tenant, panelist, bank } = await createScene();
      const { id } = await panelist();
      const message = typeof email === "number" ? "must be a string" : "must be an e-mail address";
      for (const [method, to, body, at] of [
        ["POST", PANELISTS, { email }, "email"],
        ["PATCH", `${PANELISTS}/${id}`, { email }, "email"],
        ["PUT", PANELISTS, { panelists: [{ externalId: "a", email }] }, "panelists.0.email"],
        ["POST", `/tenant/ideabanks/${bank.id}/tokens`, { externalId: "a", email }, "email"],
      ] as const) {
        const answer = await tenant.send(method, to, body);
        expect([answer.status, await answer.json()]).toEqual([
          400,
          expect.objectContaining({ errors: [{ path: at, message }] }),
        ]);
      }
    },
  );

  it("comes with an import, and changes nobody who exists", async () => {
    const { tenant, send } = await createScene();
    const { id: old } = await send("POST", PANELISTS, { externalId: "old", email: "old@example.com" });
    const body = {
      panelists: [
        { externalId: "old", email: "new@example.com" },
        { externalId: "new", email: "A+b@Example.com" },
      ],
    };
    const { ids } = await (await tenant.send("PUT", PANELISTS, body)).json<{ ids: string[] }>();
    expect(ids[0]).toBe(old);
    expect(await rowOf(old)).toMatchObject({ email: "old@example.com" });
    expect(await rowOf(ids[1] ?? "")).toEqual({ email: "a+b@example.com", verified: 0, mailbox: "a@example.com" });
  });

  it("goes with the person", async () => {
    const { tenant, send } = await createScene();
    const { id } = await send("POST", PANELISTS, { email: ADDRESS });
    expect((await tenant.send("DELETE", `${PANELISTS}/${id}`)).status).toBe(204);
    expect((await rowOf(id)) ?? NONE).toEqual(NONE);
  });
});

describe("a token that is issued with an address", () => {
  it("gives it to a new person, changes and removes it, and leaves it where there is none in the request", async () => {
    const { issue } = await createSigner();
    const { panelistId } = await issue({ externalId: "a", email: "Robin@example.com" });
    expect(await rowOf(panelistId)).toEqual({ email: "robin@example.com", verified: 0, mailbox: "robin@example.com" });
    await issue({ externalId: "a" });
    expect(await rowOf(panelistId)).toMatchObject({ email: "robin@example.com" });
    await verify(panelistId, "robin@example.com");
    await issue({ panelistId, email: "robin@example.com" });
    expect(await rowOf(panelistId)).toMatchObject({ verified: 1 });
    await issue({ panelistId, email: "kim+x@example.com" });
    expect(await rowOf(panelistId)).toEqual({ email: "kim+x@example.com", verified: 0, mailbox: "kim@example.com" });
    await issue({ externalId: "a", email: null });
    expect(await rowOf(panelistId)).toEqual(NONE);
  });

  it("is none of a visitor's", async () => {
    const { tenant, path } = await createSigner();
    const answer = await tenant.send("POST", `${path}/tokens`, { visitor: true, email: ADDRESS });
    expect([answer.status, (await answer.json<{ errors: object[] }>()).errors]).toEqual([
      400,
      [{ path: "email", message: "a visitor has no address" }],
    ]);
  });
});

describe("the claim email", () => {
  async function createClaimScene() {
    const signer = await createSigner();
    const { isolate, sign, propose, introspect, tenant } = signer;
    const voted = `${PROPOSALS}/${await propose()}/vote`;
    const vote = async (claims: object) => (await sendWith(isolate, await sign("a", claims))("PUT", voted)).status;
    const person = async () =>
      (await (await tenant.send("GET", `${PANELISTS}?externalId=a`)).json<{ items: Person[] }>()).items[0];
    return { ...signer, vote, person, idOf: async () => String((await introspect(await sign("a"))).panelistId) };
  }

  it("is the person’s address from the first write on, and no reading stores it", async () => {
    const { isolate, sign, vote, person } = await createClaimScene();
    for (const path of ["/ideabank", PROPOSALS, CHANGELOG])
      await sendWith(isolate, await sign("a", { email: ADDRESS }))("GET", path);
    expect(await person()).toBeUndefined();
    expect(await vote({ email: " Robin+x@Example.com" })).toBe(200);
    expect(await person()).toMatchObject({ email: "robin+x@example.com", emailVerified: false });
  });

  it("is kept up to date as the name is, each without the other", { tags: "slow" }, async () => {
    const { vote, person, idOf } = await createClaimScene();
    await vote({ name: "Robin", email: "one@example.com" });
    await vote({});
    await vote({ email: "two+x@example.com" });
    expect(await person()).toMatchObject({ displayName: "Robin", email: "two+x@example.com" });
    await vote({ name: "Kim", email: null });
    expect(await person()).toMatchObject({ displayName: "Kim", email: "two+x@example.com" });
    expect(await rowOf(await idOf())).toEqual({ email: "two+x@example.com", verified: 0, mailbox: "two@example.com" });
  });

  it("leaves the same address as verified as it is, and another one is not", async () => {
    const { vote, person, idOf } = await createClaimScene();
    await vote({ name: "Robin" });
    await verify(await idOf(), ADDRESS);
    await vote({ name: "Kim", email: ADDRESS });
    await vote({ name: "Lee" });
    expect(await person()).toMatchObject({ displayName: "Lee", email: ADDRESS, emailVerified: true });
    await vote({ email: "other@example.com" });
    expect(await person()).toMatchObject({ email: "other@example.com", emailVerified: false });
  });

  it.each(["robin", "", " ", 7, {}, ["a@example.com"], `${"x".repeat(300)}@example.com`, "a@b\u0000.com"])(
    "that is no address is as none: %j",
    async (email) => {
      const { vote, person } = await createClaimScene();
      expect(await vote({ email: ADDRESS })).toBe(200);
      expect(await vote({ email, name: "Robin" })).toBe(200);
      expect(await person()).toMatchObject({ displayName: "Robin", email: ADDRESS });
    },
  );

  it("changes nothing for a blocked person", { tags: "slow" }, async () => {
    const { vote, person, idOf, tenant } = await createClaimScene();
    await vote({ email: ADDRESS });
    await tenant.send("PATCH", `${PANELISTS}/${await idOf()}`, { active: false });
    expect(await vote({ email: "other@example.com" })).toBe(401);
    expect(await person()).toMatchObject({ email: ADDRESS });
  });
});

/** Somebody with an address who has done something on an open board with a page, in an isolate of its own. */
async function createShownScene() {
  const panel = await createPanel({ changelogEnabled: true });
  await panel.manage("PATCH", "", { publicPage: true, approvalRequired: false });
  const robin = await panel.panelist("Robin");
  await panel.tenant.send("PATCH", `${PANELISTS}/${robin.id}`, { email: ADDRESS });
  const idea = await robin.submit("Night buses");
  await robin.send("POST", `${PROPOSALS}/${idea}/comments`, { body: "Please" });
  await panel.manage("PATCH", `/proposals/${idea}`, { status: "implemented" });
  const issued = await panel.tenant.send("POST", `/tenant/ideabanks/${panel.bank.id}/tokens`, { visitor: true });
  const { token: visitor } = await issued.json<{ token: string }>();
  return { panel, robin, idea, visitor };
}

const bytesOf = async (answer: Response) => JSON.stringify([[...answer.headers], await answer.text()]);

/** The answer of each operation of the panelist API, to the person itself, to another one and to a visitor. */
async function* panelistAnswers({ panel, robin, idea, visitor }: Awaited<ReturnType<typeof createShownScene>>) {
  const kim = await panel.panelist("Kim");
  for (const send of [robin.send, kim.send, sendWith(panel.isolate, visitor)])
    for (const { operation, method, path } of operationsOf("compoundToken").filter(({ method }) => method !== "DELETE"))
      yield send(method, fillPath(path, { proposalId: idea }), operation.body ? bodyOf(operation) : undefined);
}

const pagesOf = ({ panel, idea }: { readonly panel: Panel; readonly idea: string }) =>
  ["", "/roadmap", "/changelog", "/changelog.atom", "/changelog.json", `/ideas/${idea}`, "/surveys", "/sign-in"].map(
    (below) => open(panel.isolate, `/b/${panel.bank.id}${below}`),
  );

describe("an address is seen", () => {
  it("in no answer to a panelist or a visitor, no feed, no public page, and no line of the log", {
    tags: "slow",
  }, async () => {
    const lines: unknown[][] = [];
    for (const level of ["log", "info", "warn", "error"] as const) {
      const heard = vi.spyOn(console, level).mockImplementation((...line) => void lines.push(line));
      onTestFinished(() => heard.mockRestore());
    }
    const scene = await createShownScene();
    const all: string[] = [];
    for await (const answer of panelistAnswers(scene)) all.push(await bytesOf(await answer));
    for (const answer of pagesOf(scene)) all.push(await bytesOf(await answer));
    const { panel, robin } = scene;
    // What is refused, and what fails.
    for (const email of [ADDRESS, `x ${ADDRESS}`, [ADDRESS]])
      all.push(await bytesOf(await robin.send("POST", PROPOSALS, { title: 1, email })));
    const sent = {
      method: "PATCH",
      headers: { "X-API-Key": panel.tenant.text, "Content-Type": "application/json" },
      body: JSON.stringify({ email: `other-${ADDRESS}` }),
    };
    const failing = await panel.isolate.request(`${PANELISTS}/${robin.id}`, sent, failStores(env, "d1"));
    expect(failing.status).toBe(503);
    all.push(await bytesOf(failing));
    const shown = all.join("\n");
    expect(shown).toContain("Night buses");
    expect(shown).toContain("Robin");
    expect(shown).not.toContain("nightjar");
    const log = JSON.stringify(lines);
    expect(log).toContain("injected fault");
    expect(log).not.toContain("nightjar");
  });

  it("in the changes only with the scope panelists:read, and in the account’s export", async () => {
    const { panel, robin } = await createShownScene();
    const { accountId } = panel.bank;
    const { tenant: reader } = panel;
    const other = await createTenant({ accountId, scopes: ["ideabanks:read"] }, panel.isolate);
    const changes = async ({ send }: Pick<typeof reader, "send">) =>
      (await send("GET", "/tenant/changes?limit=100")).text();
    expect(await changes(reader)).toContain(ADDRESS);
    expect(await changes(other)).not.toContain("nightjar");
    expect((await other.send("GET", `${PANELISTS}/${robin.id}`)).status).toBe(403);
    const stranger = await createTenant({}, panel.isolate);
    expect((await stranger.send("GET", `${PANELISTS}/${robin.id}`)).status).toBe(403);
    const { rows } = await readExportedRows(sessionOf(databaseOf(accountId)), accountId, {
      list: "panelists",
      parents: [],
    });
    expect(rows).toContainEqual(expect.objectContaining({ id: robin.id, email: ADDRESS, mailbox: ADDRESS }));
  });

  it("in no delivery of a webhook, which has no scopes", async () => {
    freeze(Date.now());
    const { tenant, robin, receiver, deliver } = await createWebhookScene();
    await tenant.send("PATCH", `${PANELISTS}/${robin.id}`, { email: ADDRESS });
    await tenant.send("POST", PANELISTS, { externalId: "b", email: ADDRESS, displayName: "Bo" });
    await deliver();
    const bodies = receiver.seen.map(({ body }) => body);
    expect(bodies.map(({ type }) => type)).toEqual(expect.arrayContaining(["panelist.updated", "panelist.created"]));
    expect(JSON.stringify(bodies)).toContain('"displayName":"Bo"');
    expect(JSON.stringify(bodies)).not.toMatch(/nightjar|email/);
  });
});
