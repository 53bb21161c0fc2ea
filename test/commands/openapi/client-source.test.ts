/** The client's methods and types follow from the document, and are made when they are stale. */
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeClientSource } from "../../../src/commands/openapi/client-source.ts";

let project: string;
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), "client-"));
  await mkdir(join(project, "src/client"), { recursive: true });
  await mkdir(join(project, "public"));
});
afterEach(() => rm(project, { recursive: true }));

const read = (name: string) => readFile(join(project, "src/client", name), "utf8");

/** One operation, which answers a ticket that has these fields. */
async function writeDocument(operationId: string, fields: readonly string[]): Promise<void> {
  const $ref = "#/components/schemas/Ticket";
  const get = {
    operationId,
    summary: "Read a ticket",
    parameters: [{ name: "ticketId", in: "path", required: true, schema: { type: "string" } }],
    responses: { 200: { content: { "application/json": { schema: { $ref } } } } },
  };
  const properties = Object.fromEntries(fields.map((field) => [field, { type: "string" }]));
  const schemas = { Ticket: { type: "object", properties, required: fields }, Change: { $ref } };
  const document = { paths: { "/tenant/tickets/{ticketId}": { get } }, components: { schemas } };
  await writeFile(join(project, "public/openapi.json"), JSON.stringify(document));
}

it("there is a method for each operation, and a type for each schema that it names", { tags: "slow" }, async () => {
  await writeDocument("getTicket", ["title"]);
  await makeClientSource(project);
  expect(await read("tenant-api.ts")).toContain(
    "getTicket(given: types.GetTicketArguments, options?: CallOptions): Promise<types.Ticket> {",
  );
  expect(await read("tenant-types.ts")).toMatch(/Ticket: \{\s+title: string;\s+\};/);
});

it("what is not stale stays, and what is stale is made again", async () => {
  await writeDocument("getTicket", ["title"]);
  await makeClientSource(project);
  for (const name of ["tenant-api.ts", "tenant-types.ts"])
    await appendFile(join(project, "src/client", name), "// as it was");
  await makeClientSource(project);
  expect([await read("tenant-api.ts"), await read("tenant-types.ts")]).toEqual(
    Array(2).fill(expect.stringContaining("// as it was")),
  );
  await writeDocument("readTicket", ["title", "text"]);
  await makeClientSource(project);
  expect(await read("tenant-api.ts")).toMatch(/readTicket\((?!.*as it was)/s);
  expect(await read("tenant-types.ts")).toMatch(/text: string;(?!.*as it was)/s);
});
