/** Each field of a key and of a webhook: it is sent when the thing is made, then changed alone, and read back each time. */
import { expect, it, vi } from "vitest";
import { examplesOf, fieldsOf, type Resource, sendBack } from "../../support/fields.ts";
import { collectionOf, fillPath, type OperationCase, operationsOf } from "../../support/operations.ts";
import { createOwner } from "../../support/owner.ts";

const operations = operationsOf("access");
const find = (method: string, path: string) => operations.find((each) => each.method === method && each.path === path);
/** A member is invited, and so not made by what changes it: roles.test.ts. */
const changes = operations.filter(({ method, name }) => method === "PATCH" && name !== "changeMember");

/** Fields that are read under another name. */
const READ_AS: Readonly<Record<string, (resource: Resource) => unknown>> = {
  paused: ({ pausedAt = null, state }) => pausedAt !== null || state === "paused",
  expiresInDays: ({ expiresAt }) => (Date.parse(String(expiresAt)) - Date.now()) / 86_400_000,
};
/** The field's name in an event. */
const AUDITED_AS: Readonly<Record<string, string>> = { expiresInDays: "expiresAt" };
const valueIn = (resource: Resource, name: string) => (READ_AS[name] ?? ((each: Resource) => each[name]))(resource);

function createScene({ path, parameters }: OperationCase) {
  const owner = createOwner();
  const parameter = parameters.at(-1) ?? "";
  const send = async (method: string, to: string, body?: object): Promise<Resource> => {
    const response = await owner.json(method, to.replace("/account/api", ""), body);
    const answer = await response.json<Resource>();
    expect([response.ok, answer]).toEqual([true, answer]);
    // The answer that shows a secret has the thing beside it.
    return (answer.apiKey ?? answer.webhook ?? answer) as Resource;
  };
  return {
    owner,
    send,
    read: async (id: string): Promise<Resource | undefined> => {
      if (find("GET", path)) return send("GET", fillPath(path, { [parameter]: id }));
      return ((await send("GET", collectionOf(path))).items as Resource[]).find((each) => each.id === id);
    },
  };
}

it("there are two: keys and webhooks", () =>
  expect(changes.map(({ name }) => name)).toEqual(["changeApiKey", "changeWebhook"]));

it.each(changes)("$name", { tags: "slow" }, async (change) => {
  vi.setSystemTime(Date.UTC(2026, 10, 20));
  const { owner, send, read } = createScene(change);
  const creation = find("POST", collectionOf(change.path)) ?? change;
  const examples = examplesOf(fieldsOf(creation), 0);
  // The other format hides the address, and has fewer types: test/worker/deliveries/messages.test.ts.
  const given = { ...examples, ...("format" in examples && { format: "standard" }) };
  let expected = await send("POST", collectionOf(change.path), given);
  const id = String(expected.id);
  for (const [name, value] of Object.entries(given)) expect(valueIn(expected, name), name).toEqual(value);
  expect(await read(id)).toEqual(expected);
  const newestChange = async () => (await owner.events())[0]?.changes;
  const settings = Object.keys(given).map((name) => AUDITED_AS[name] ?? name);
  expect(Object.keys((await newestChange())?.after ?? {})).toEqual(expect.arrayContaining(settings));

  for (const [name, value] of Object.entries(examplesOf(fieldsOf(change), 1))) {
    const body = { [name]: name === "paused" ? true : value };
    const events = (await owner.events()).length;
    vi.setSystemTime(Date.now() + 1_000);
    expect(valueIn(expected, name), `two values of ${name}`).not.toEqual(body[name]);
    const changed = await send("PATCH", fillPath(change.path, { [change.parameters.at(-1) ?? ""]: id }), body);
    expect(valueIn(changed, name), name).toEqual(body[name]);
    expect(await read(id)).toEqual(changed);
    expect(await owner.events(), `the activity, for ${name}`).toHaveLength(events + 1);
    const values = await newestChange();
    expect(values?.after, `the event, for ${name}`).toEqual(body);
    expect(Object.keys(values?.before ?? {})).toEqual([name]);
    expect(await (await owner.page("/activity")).text()).toContain(" → ");
    const { pausedAt: _, state: __, [name]: ___, ...rest } = expected;
    expect(changed).toMatchObject(rest);
    expected = changed;
  }

  const write = (body: object) =>
    owner.json(
      "PATCH",
      fillPath(change.path, { [change.parameters.at(-1) ?? ""]: id }).replace("/account/api", ""),
      body,
    );
  await sendBack(expected, { fields: fieldsOf(change), write });
});
