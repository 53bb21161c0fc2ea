/** Answers are described as open: a client that is generated from the document and checks what it reads must take what is added later. */
import { expect, it } from "vitest";
import document from "../../public/openapi.json";
import { DELIVERY_TYPES } from "../../src/worker/model/webhook.ts";

type Node = Record<string, unknown>;
const schemas: Record<string, Node> = document.components.schemas;

/** The names of all schemas that a part of the document refers to, also by others. */
function namesIn(part: unknown, found = new Set<string>()): Set<string> {
  for (const [, name = ""] of JSON.stringify(part).matchAll(/#\/components\/schemas\/(\w+)/g)) {
    if (found.has(name)) continue;
    found.add(name);
    namesIn(schemas[name], found);
  }
  return found;
}

const operations = Object.values(document.paths).flatMap((methods) => Object.values<Node>(methods));
const answers = [...namesIn([operations.map(({ responses }) => responses), document.components.responses])];

/** Every schema in a schema, itself too. */
function partsOf(node: unknown): Node[] {
  if (Array.isArray(node)) return node.flatMap(partsOf);
  if (typeof node !== "object" || node === null) return [];
  return [node as Node, ...Object.values(node).flatMap(partsOf)];
}

it("no answer has a rule that only a request can break", () => {
  expect(answers.length).toBeGreaterThan(30);
  const RULES = ["maxLength", "minLength", "maxItems", "minItems", "maximum", "maxProperties", "uniqueItems"];
  const faults = answers.flatMap((name) =>
    partsOf(schemas[name]).flatMap((part) => [
      ...RULES.filter((rule) => typeof part[rule] === "number" || part[rule] === true).map(
        (rule) => `${name}: ${rule}`,
      ),
      ...(part.additionalProperties === false ? [`${name}: additionalProperties`] : []),
    ]),
  );
  expect(faults).toEqual([]);
});

it("no answer has a closed list of words, but for what tells the kinds of a change or a problem apart, beside a kind for all others", () => {
  const kindsOf = (union: string) =>
    [...JSON.stringify(schemas[union]).matchAll(/(\w+)"}/g)].flatMap(([, name = ""]) =>
      name.startsWith("Other") ? [] : [name],
    );
  const KINDS = [...kindsOf("Change"), ...kindsOf("Problem")];
  expect(KINDS.length).toBeGreaterThan(8);
  const closed = answers.filter((name) => partsOf(schemas[name]).some((part) => Array.isArray(part.enum)));
  expect(closed.toSorted()).toEqual(KINDS.toSorted());
  for (const name of ["Change", "Problem"]) expect(JSON.stringify(schemas[name])).toContain(`Other${name}`);
});

it("no schema is in requests and in answers: their rules differ", () => {
  const requests = namesIn(operations.map(({ requestBody = {} }) => requestBody));
  expect(answers.filter((name) => requests.has(name))).toEqual([]);
});

it("no two names of schemas and operations are equal but for capitals, which some file systems and languages do not tell apart", () => {
  const names = [...Object.keys(schemas), ...operations.map(({ operationId }) => String(operationId))];
  const same = [...Map.groupBy(names, (name) => name.toLowerCase()).values()].filter((each) => each.length > 1);
  expect(same).toEqual([]);
});

it("a kind of change requires what is always there", () => {
  expect(schemas.CommentChange?.required).toEqual(expect.arrayContaining(["proposalId", "commentId"]));
  expect(schemas.IdeaBankChange?.required).not.toContain("proposalId");
});

it("the document has a webhook for each type of delivery, whose body is that kind", () => {
  const webhooks: Record<string, { post: { requestBody: { content: object } } }> = document.webhooks;
  expect(Object.keys(webhooks)).toEqual([...DELIVERY_TYPES]);
  for (const [type, { post }] of Object.entries(webhooks)) {
    const [kind = ""] = namesIn(post);
    expect(JSON.stringify(schemas[kind]), type).toContain(`"${type}"`);
  }
});
