/**
 * The tenant's own ids stay as they were sent: one that would not is refused, wherever an operation takes one, and in a token. So
 * nobody acts as another person by a spelling that looks the same.
 */

import { expect, it } from "vitest";
import * as z from "zod/mini";
import { createIsolate } from "../../support/isolate.ts";
import { addressOf, bodyOf, fillPath, type OperationCase, operationsOf } from "../../support/operations.ts";
import { createSigner, statuses } from "../../support/signing.ts";
import { addOneOfEverything, createTenant, dumpDatabases } from "../../support/tenant.ts";

const NAMES = ["externalId", "panelistExternalId"];

const FORMS: readonly (readonly [title: string, text: string])[] = [
  ["a space before it", " Kevin"],
  ["a space after it", "Kevin "],
  ["a no-break space after it", "Kevin\u00a0"],
  ["a line break after it", "Kevin\n"],
  ["a byte order mark before it", "\ufeffKevin"],
  ["the Kelvin sign", "\u212aevin"],
  ["a letter and its accent", "Ke\u0301vin"],
  ["a zero-width space", "Kev\u200bin"],
  ["a direction mark", "Kevin\u200f"],
];

type Place = { readonly each: OperationCase; readonly where: "body" | "query" | "path"; readonly name: string };

const propertiesOf = (schema: z.core.$ZodType | undefined): string[] => {
  if (schema === undefined) return [];
  const { properties = {} } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return Object.keys(properties).filter((name) => NAMES.includes(name));
};

/** Everywhere that the tenant API takes one, found in its definitions. */
const PLACES: Place[] = operationsOf("apiKey").flatMap((each) => [
  ...propertiesOf(each.operation.body).map((name) => ({ each, where: "body" as const, name })),
  ...propertiesOf(each.operation.query).map((name) => ({ each, where: "query" as const, name })),
  ...(each.path.includes("{externalId}") ? [{ each, where: "path" as const, name: "externalId" }] : []),
]);

it("is taken in more than a dozen places", () => {
  const names = PLACES.map(({ each, where, name }) => `${each.name} ${where} ${name}`);
  expect(names).toEqual(
    expect.arrayContaining([
      "createPanelist body externalId",
      "updatePanelist body externalId",
      "listPanelists query externalId",
      "issueToken body externalId",
      "revokeTokensOf body externalId",
      "createProposal body panelistExternalId",
      "upsertProposal path externalId",
      "createSurvey body externalId",
    ]),
  );
  expect(names.length).toBeGreaterThan(12);
});

it.each(PLACES.map((place) => [`${place.each.name}, ${place.where}`, place] as const))(
  "%s: 400 names the field, and nothing is written",
  async (_, { each: { path, method, operation }, where, name }) => {
    const ids = await addOneOfEverything();
    const tenant = await createTenant({ accountId: ids.accountId ?? "" });
    // A body names somebody in one way alone.
    const { panelistId: _unused, ...example } = (bodyOf(operation, ids) ?? {}) as Record<string, unknown>;
    const before = await dumpDatabases();
    for (const [title, text] of FORMS) {
      const inPath = where === "path" ? { ...ids, externalId: encodeURIComponent(text) } : ids;
      const query = where === "query" ? `?${new URLSearchParams({ [name]: text })}` : "";
      const body =
        where === "body" ? { ...example, [name]: text } : where === "path" ? bodyOf(operation, ids) : undefined;
      const address = where === "query" ? fillPath(path, inPath) : addressOf(path, inPath);
      const answer = await tenant.send(method, address + query, body);
      const { errors } = await answer.json<{ errors?: { path: string }[] }>();
      expect([answer.status, errors?.map((error) => error.path)], title).toEqual([400, [name]]);
    }
    expect(await dumpDatabases()).toEqual(before);
  },
);

it.each(FORMS)("a signed token whose sub has %s is 401", async (_, text) => {
  const { sign, isolate } = await createSigner();
  expect(await statuses(isolate, await sign("Kevin"))).toEqual([200, 200, 200]);
  expect(await statuses(createIsolate(), await sign(text))).toEqual([401, 401, 401]);
});
