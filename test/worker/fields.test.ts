/**
 * Each field that a resource can be given, generated from the operations and their schemas: it is sent when the resource is created,
 * then changed alone, and read back each time. Each of these is one row in the log of changes, where the log has the resource.
 */
import { afterEach, describe, expect, it, vi } from "vitest";
import { CHANGE_TYPES } from "../../src/worker/model/change.ts";
import { Proposal } from "../../src/worker/model/proposal.ts";
import { logOf } from "../support/change-log.ts";
import {
  dependsOnOthers,
  examplesOf,
  type Fields,
  fieldsOf,
  type Resource,
  type Round,
  sendBack,
} from "../support/fields.ts";
import { createIsolate } from "../support/isolate.ts";
import { collectionOf, fillPath, type OperationCase, operationsOf } from "../support/operations.ts";
import { sendWith } from "../support/panel.ts";
import { addOneOfEverything, createTenant } from "../support/tenant.ts";
import { newId, tokenFor } from "../support/world.ts";

const operations = (["apiKey", "compoundToken"] as const).flatMap(operationsOf);
const find = (method: string, path: string) => operations.find((each) => each.method === method && each.path === path);

const resources = operations
  .filter(({ method }) => method === "PATCH")
  .map((change) => ({ title: change.path, change, creation: find("POST", collectionOf(change.path)) }));
const upserts = operations.filter(({ operation }) => operation.creates && operation.answer === Proposal);

/** A tenant or a panelist with all that a path can name, and its way to the resource of `item`, the path of one. */
async function createScene({ path, operation }: OperationCase) {
  const ids = await addOneOfEverything();
  const { accountId = "", ideaBankId = "", panelistId = "" } = ids;
  const isTenants = operation.credential.kind === "apiKey";
  const send = isTenants
    ? (await createTenant({ accountId })).send
    : sendWith(createIsolate(), await tokenFor(ideaBankId, panelistId));
  const noun = (path.match(/\{(\w+)Id\}$/)?.[1] ?? "").toLowerCase();
  const isLogged = CHANGE_TYPES.some((type) => type.startsWith(`${noun}.`));
  let logged = (await logOf(accountId)).length;
  return {
    /** All fields but those that name the same panelist again. A field that names a row names one that exists. */
    fieldsFor: (fields: Fields, round: Round): Resource => {
      const { panelistExternalId: _, ...values } = examplesOf(fields, round);
      return "panelistId" in values ? { ...values, panelistId } : values;
    },
    send: async (method: string, to: string, body?: object, more: Readonly<Record<string, string>> = {}) => {
      const response = await send(method, fillPath(to, { ...ids, ...more }), body);
      const answer = await response.json<Resource>();
      expect([response.status, answer]).toEqual([expect.toBeOneOf([200, 201]), answer]);
      return answer;
    },
    sendAs:
      ({ method, path }: OperationCase, more: Readonly<Record<string, string>>) =>
      (body: object) =>
        send(method, fillPath(path, { ...ids, ...more }), body),
    /** As a request of its own reads it: by its path, or in its list. */
    read: async (id: string, to = path): Promise<Resource | undefined> => {
      const single = find("GET", to);
      const address = fillPath((single?.path ?? collectionOf(to)).replace(/\{\w+\}$/, single ? id : "$&"), ids);
      const answer = await (await send("GET", address)).json<Resource & { items?: Resource[] }>();
      return single ? answer : answer.items?.find((each) => each.id === id);
    },
    /** Since the last look the log has one row more, if it has such a resource at all. */
    expectOneRow: async (types: RegExp) => {
      const rows = (await logOf(accountId)).slice(logged).map(({ type, actor }) => `${actor}: ${type}`);
      logged += rows.length;
      const row = new RegExp(`^${isTenants ? "tenant" : "panelist"}: ${noun || "proposal"}\\.${types.source}$`);
      expect(rows).toEqual(isLogged ? [expect.stringMatching(row)] : []);
    },
  };
}

/** Fields that a change may repeat, and nothing else: tenant/panelists.ts. And those that a new resource cannot have: waiting-comments.test.ts. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  "/tenant/panelists/{panelistId}": ["externalId"],
  "/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/comments/{commentId}": ["visibility"],
};

/** Fields of a new resource that no change has. */
const ONLY_NEW = ["createdAt", "panelistId", "panelistExternalId"];

afterEach(() => void vi.useRealTimers());

it("there are resources to check", () => {
  expect(resources.length).toBeGreaterThan(6);
  expect(resources.filter(({ creation }) => creation === undefined)).toEqual([]);
});

describe.each(resources)("$title", ({ change, creation }) => {
  it("can be changed in every field that it is created with, but those of a new one alone", () => {
    const created = Object.keys(fieldsOf(creation ?? change)).filter((name) => !ONLY_NEW.includes(name));
    expect(Object.keys(fieldsOf(change))).toEqual(expect.arrayContaining(created));
  });

  it("keeps every field that it is created with, and each that is changed alone", { tags: "slow" }, async () => {
    const scene = await createScene(change);
    const alone = (name: string) => !dependsOnOthers(change.path, name);
    const settable = Object.fromEntries(Object.entries(fieldsOf(creation ?? change)).filter(([name]) => alone(name)));
    const changeable = Object.keys(fieldsOf(change)).filter(
      (name) => alone(name) && !KEPT[change.path]?.includes(name),
    );
    const create = async (given: Resource) => {
      const created = await scene.send("POST", collectionOf(change.path), given);
      expect(created).toMatchObject(given);
      expect(await scene.read(String(created.id))).toEqual(created);
      await scene.expectOneRow(/created/);
      return created;
    };
    await create(scene.fieldsFor(settable, 0));

    // Another one: who it was created for can be a reason that it cannot be changed.
    const [before, after] = ([1, 2] as const).map((round) =>
      Object.fromEntries(
        Object.entries(scene.fieldsFor(settable, round)).filter(([name]) => changeable.includes(name)),
      ),
    );
    let expected = await create(before ?? {});
    const path = change.path.replace(/\{\w+\}$/, String(expected.id));
    expect(Object.keys(after ?? {})).toEqual(expect.arrayContaining(changeable));
    for (const [name, value] of Object.entries(after ?? {})) {
      expect(value, `two values of ${name}`).not.toEqual(expected[name]);
      vi.setSystemTime(Date.now() + 1_000);
      const changed = await scene.send("PATCH", path, { [name]: value });
      if ("updatedAt" in expected) expect(changed.updatedAt, `${name} is a change`).not.toBe(expected.updatedAt);
      expect(changed).toMatchObject({ [name]: value });
      expect(await scene.read(String(expected.id))).toEqual(changed);
      await scene.expectOneRow(/(updated|status-changed)/);
      // The other fields stay, but for the times of the change itself.
      const { updatedAt, lastActivityAt, ...rest } = expected;
      expect(changed).toMatchObject({ ...rest, [name]: changed[name] });
      expected = changed;
    }
  });

  it("says of each field why it is not taken, when all that was read is sent back with a change", async () => {
    const scene = await createScene(change);
    const changeable = fieldsOf(change);
    // One that was created for a panelist may not be changed.
    const given = Object.entries(fieldsOf(creation ?? change)).filter(
      ([name]) => name in changeable && !dependsOnOthers(change.path, name),
    );
    const { id } = await scene.send("POST", collectionOf(change.path), scene.fieldsFor(Object.fromEntries(given), 0));
    const read = { ...(await scene.read(String(id))), ...scene.fieldsFor(pickFirst(changeable), 2) };
    const write = scene.sendAs(change, { [change.parameters.at(-1) ?? ""]: String(id) });
    const { updatedAt, lastActivityAt, response, ...rest } = await sendBack(read, { fields: changeable, write });
    expect(read).toMatchObject(rest);
  });
});

/** The first field that is a text for people. */
const pickFirst = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => ["title", "name", "body", "displayName"].includes(name))
      .slice(0, 1),
  );

describe.each(upserts)("PUT $path", (upsert) => {
  it("keeps every field that it creates with, and all that it changes", { tags: "slow" }, async () => {
    const scene = await createScene({ ...upsert, path: upsert.path.replace(/\/by-external-id\/.*/, "/{proposalId}") });
    const more = { externalId: newId() };
    const put = (body: object) => scene.send("PUT", upsert.path, body, more);
    const given = scene.fieldsFor(fieldsOf(upsert), 0);
    const created = await put(given);
    expect(created).toMatchObject({ ...given, ...more });
    await scene.expectOneRow(/created/);

    const { createdAt: _, panelistId: __, ...changes } = scene.fieldsFor(fieldsOf(upsert), 1);
    const changed = await put(changes);
    expect(changed).toMatchObject({
      ...changes,
      ...more,
      createdAt: created.createdAt,
      panelistId: created.panelistId,
    });
    expect(await scene.read(String(created.id))).toEqual(changed);
    await scene.expectOneRow(/(updated|status-changed)/);

    const write = scene.sendAs(upsert, more);
    expect(await sendBack({ ...changed, title: "Sent back" }, { fields: fieldsOf(upsert), write })).toMatchObject({
      ...more,
      title: "Sent back",
    });
  });
});
