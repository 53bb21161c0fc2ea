/** The fields of a board's public page: switching it on switches approval on, unless the request says otherwise. */
import { expect, it } from "vitest";
import type { IdeaBank } from "../../../src/worker/model/idea-bank.ts";
import { createTenant } from "../../support/tenant.ts";

async function createScene() {
  const tenant = await createTenant();
  const ask = async (method: string, path: string, body: object) =>
    (await tenant.send(method, `/tenant/ideabanks${path}`, body)).json<IdeaBank>();
  const approvalOf = ({ publicPage, approvalRequired }: IdeaBank) => [publicPage, approvalRequired];
  return {
    tenant,
    create: (fields: object) => ask("POST", "", { name: "N", ...fields }),
    created: async (fields: object) => approvalOf(await ask("POST", "", { name: "N", ...fields })),
    changed: async ({ id }: IdeaBank, changes: object) => approvalOf(await ask("PATCH", `/${id}`, changes)),
  };
}

it("a board that is created with a page starts with approval", async () => {
  const { created } = await createScene();
  expect(await created({})).toEqual([false, false]);
  expect(await created({ publicPage: false })).toEqual([false, false]);
  expect(await created({ publicPage: true })).toEqual([true, true]);
  expect(await created({ publicPage: true, approvalRequired: false })).toEqual([true, false]);
  expect(await created({ publicPage: false, approvalRequired: true })).toEqual([false, true]);
});

it("a retry with the same Idempotency-Key gets the same answer", async () => {
  const { tenant } = await createScene();
  const send = () =>
    tenant.send("POST", "/tenant/ideabanks", { name: "N", publicPage: true }, { "Idempotency-Key": "page" });
  const first = await (await send()).json<IdeaBank>();
  expect([first.approvalRequired, await (await send()).json()]).toEqual([true, first]);
});

it("switching the page on switches approval on, and only then", async () => {
  const { create, changed } = await createScene();
  const bank = await create({});
  expect(await changed(bank, { publicPage: false })).toEqual([false, false]);
  expect(await changed(bank, { publicPage: true, description: "Rider ideas" })).toEqual([true, true]);
  expect(await changed(bank, { approvalRequired: false })).toEqual([true, false]);
  // It is on already.
  expect(await changed(bank, { publicPage: true })).toEqual([true, false]);
  expect(await changed(bank, { publicPage: false })).toEqual([false, false]);
  expect(await changed(bank, { publicPage: true })).toEqual([true, true]);
  expect(await changed(bank, { publicPage: false })).toEqual([false, true]);
});

it("the same request can leave approval off", async () => {
  const { create, changed } = await createScene();
  expect(await changed(await create({}), { publicPage: true, approvalRequired: false })).toEqual([true, false]);
  expect(await changed(await create({}), { publicPage: false, approvalRequired: true })).toEqual([false, true]);
});

it("of two requests that switch it on at the same time, the second changes nothing", async () => {
  const { create, changed } = await createScene();
  const bank = await create({});
  const both = await Promise.all([changed(bank, { publicPage: true }), changed(bank, { publicPage: true })]);
  expect(both).toEqual([
    [true, true],
    [true, true],
  ]);
});
