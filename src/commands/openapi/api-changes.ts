/**
 * What has changed in the API since the last release, from the two OpenAPI documents. Breaking is what makes a client fail that worked:
 * a request that is refused now, or an answer that lacks something or has another kind of value.
 */
type Schema = { readonly [name: string]: unknown };

type Parameter = { readonly name: string; readonly in: string; readonly required?: boolean; readonly schema: Schema };
type Content = { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> };
type Operation = {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
};
export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
type ApiChanges = { readonly breaking: readonly string[]; readonly added: readonly string[] };

/** Who writes a value decides what breaks: a client that sends it, or the API that answers it. */
type Role = "request" | "answer";

const nameOf = (ref: unknown) => String(ref).slice(String(ref).lastIndexOf("/") + 1);
const objectOf = (value: unknown): Schema => (typeof value === "object" && value !== null ? { ...value } : {});
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** The schema itself, or each of what it can be. */
const choicesOf = (schema: Schema): Schema[] => {
  const choices = schema.anyOf ?? schema.oneOf;
  return Array.isArray(choices) ? choices.map(objectOf).flatMap(choicesOf) : [schema];
};
const kindsOf = (schema: Schema): string[] =>
  choicesOf(schema).map(({ $ref, type }) => ($ref === undefined ? String(type ?? "any") : "object"));
const valuesOf = (schema: Schema): string[] => choicesOf(schema).flatMap((each) => textsOf(each.enum));
const refsOf = (schema: Schema): string[] =>
  choicesOf(schema).flatMap(({ $ref, items }) =>
    $ref !== undefined ? [nameOf($ref)] : items === undefined ? [] : refsOf(objectOf(items)),
  );

/** Bounds of a number, of a text's length and of a list's. Without one there is none: it is infinitely far. */
const BOUNDS = ["maximum", "maxLength", "maxItems", "minimum", "minLength", "minItems"];
const boundOf = (schema: Schema, name: string): number => {
  const sign = name.startsWith("min") ? -1 : 1;
  const found = choicesOf(schema).flatMap((each) => (typeof each[name] === "number" ? [each[name]] : []));
  return found.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...found.map((bound) => sign * bound));
};

const operationsOf = ({ paths }: ApiDocument) =>
  new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    ),
  );
const bodyOf = (part: Content | undefined): Schema => Object.values(part?.content ?? {})[0]?.schema ?? {};
const successOf = ({ responses }: Operation) =>
  bodyOf(Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1]);

export function compareApis(released: ApiDocument, today: ApiDocument): ApiChanges {
  const breaking = new Set<string>();
  const added = new Set<string>();
  const compared = new Set<string>();

  function compareValues(where: string, role: Role, [before, after]: readonly [Schema, Schema]): void {
    const lost = (of: (schema: Schema) => string[], from = before, to = after) =>
      of(from).filter((each) => !of(to).includes(each));
    const code = (texts: readonly string[]) => texts.map((text) => `\`${text}\``).join(", ");
    const [fewerKinds, moreKinds] = [lost(kindsOf), lost(kindsOf, after, before)];
    const [fewerValues, moreValues] = [lost(valuesOf), lost(valuesOf, after, before)];
    if (role === "request" && fewerKinds.length > 0) breaking.add(`${where} takes no ${code(fewerKinds)} any more`);
    if (role === "answer" && moreKinds.length > 0) breaking.add(`${where} can be ${code(moreKinds)}`);
    if (role === "request" && moreKinds.length > 0) added.add(`${where} takes ${code(moreKinds)}`);
    const isClosed = valuesOf(before).length === 0 && valuesOf(after).length > 0;
    if (role === "request" && (fewerValues.length > 0 || isClosed))
      breaking.add(`${where} takes ${isClosed ? "only" : "not"} ${code(isClosed ? moreValues : fewerValues)}`);
    else if (moreValues.length > 0 && !isClosed) added.add(`${where}: the value ${code(moreValues)}`);
    if (role === "request")
      for (const name of BOUNDS) {
        const [old, now] = [boundOf(before, name), boundOf(after, name)];
        if (now < old) breaking.add(`${where}: \`${name}\` is ${Math.abs(now)}`);
        if (now > old) added.add(`${where}: \`${name}\` is ${Number.isFinite(now) ? Math.abs(now) : "gone"}`);
      }
    for (const [index, name] of refsOf(before).entries()) {
      const other = refsOf(after).includes(name) ? name : refsOf(after)[index];
      if (other !== undefined) compareNamed(role, name, other);
    }
    const [items, nextItems] = [before, after].map((schema) => choicesOf(schema).find((each) => each.items)?.items);
    if (items !== undefined && nextItems !== undefined)
      compareValues(`${where}, each`, role, [objectOf(items), objectOf(nextItems)]);
    compareFields(where, role, [before, after]);
  }

  function compareFields(where: string, role: Role, [before, after]: readonly [Schema, Schema]): void {
    const [old, now] = [objectOf(before.properties), objectOf(after.properties)];
    const [required, requires] = [textsOf(before.required), textsOf(after.required)];
    for (const name of Object.keys(old)) {
      const field = `${where}: \`${name}\``;
      if (now[name] === undefined) {
        breaking.add(`${field} is gone`);
        continue;
      }
      if (role === "request" && !required.includes(name) && requires.includes(name))
        breaking.add(`${field} is required`);
      if (role === "answer" && required.includes(name) && !requires.includes(name))
        breaking.add(`${field} may be missing`);
      compareValues(field, role, [objectOf(old[name]), objectOf(now[name])]);
    }
    for (const name of Object.keys(now).filter((each) => old[each] === undefined))
      if (role === "request" && requires.includes(name)) breaking.add(`${where}: \`${name}\` is required`);
      else added.add(`${where}: \`${name}\``);
  }

  function compareNamed(role: Role, before: string, after: string): void {
    const pair = [role, before, after].join(" ");
    if (compared.has(pair)) return;
    compared.add(pair);
    const [old, now] = [released.components.schemas[before], today.components.schemas[after]];
    if (old !== undefined && now !== undefined) compareValues(`\`${after}\``, role, [old, now]);
  }

  const now = operationsOf(today);
  for (const [name, operation] of operationsOf(released)) {
    const other = now.get(name);
    if (other === undefined) {
      breaking.add(`\`${name}\` is gone`);
      continue;
    }
    const parameters = ({ parameters = [] }: Operation): Schema => ({
      properties: Object.fromEntries(parameters.map((each) => [each.name, each.schema])),
      required: parameters.filter(({ required }) => required).map((each) => each.name),
    });
    compareFields(`\`${name}\``, "request", [parameters(operation), parameters(other)]);
    compareValues(`\`${name}\`, body`, "request", [bodyOf(operation.requestBody), bodyOf(other.requestBody)]);
    compareValues(`\`${name}\`, answer`, "answer", [successOf(operation), successOf(other)]);
  }
  for (const name of now.keys()) if (!operationsOf(released).has(name)) added.add(`\`${name}\``);
  return { breaking: [...breaking], added: [...added] };
}

/** The compared parts, without descriptions: the form in which a released document is kept. */
export function withoutWords({ paths, components: { schemas } }: ApiDocument): ApiDocument {
  const isWord = (key: string, value: unknown) =>
    ["example", "examples"].includes(key) ||
    (["description", "summary"].includes(key) && typeof value === "string") ||
    (["tags", "security"].includes(key) && Array.isArray(value));
  return JSON.parse(
    JSON.stringify({ paths, components: { schemas } }, (key, value) => (isWord(key, value) ? undefined : value)),
  );
}

const listOf = (lines: readonly string[], otherwise: string) =>
  lines.length === 0 ? otherwise : lines.map((line) => `- ${line}.`).join("\n");

/** The part of docs/api-changes.md about what is not released yet. */
export const describeChanges = ({ breaking, added }: ApiChanges): string =>
  `### Breaking\n\n${listOf(breaking, "Nothing.")}\n\n### Added\n\n${listOf(added, "Nothing.")}`;

const UNRELEASED = /^## Unreleased, since (\S+)\n\n<!-- changes -->\n(.*?)<!-- end of changes -->\n/ms;

/** Of docs/api-changes.md: what was not released yet came with this version, and a new section begins. `date`: YYYY-MM-DD. */
export const releaseChanges = (page: string, { version, date }: { readonly version: string; readonly date: string }) =>
  page.replace(UNRELEASED, (section, before: string, changes: string) =>
    before === version
      ? section
      : `## Unreleased, since ${version}

<!-- changes -->

${describeChanges({ breaking: [], added: [] })}

<!-- end of changes -->

## ${version} (${date}), since ${before}

${changes.trim()}
`,
  );
