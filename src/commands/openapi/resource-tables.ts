/** The tables of resources in `docs/api.md`: every field with its values, its default and its meaning, out of the OpenAPI document. */

type Schema = {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly examples?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly default?: unknown;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};
type Document = { readonly components: { readonly schemas: Readonly<Record<string, Schema>> } };

/** A resource's title, its schema, and the schema of the body that creates one. */
const RESOURCES: readonly (readonly [title: string, resource: string, request: string])[] = [
  ["Idea bank", "IdeaBank", "NewIdeaBank"],
  ["Proposal", "Proposal", "NewProposal"],
  ["Comment", "Comment", "NewComment"],
  ["Panelist", "Panelist", "NewPanelist"],
  ["Survey", "Survey", "NewSurvey"],
  ["API key", "ApiKey", "NewApiKey"],
  ["Webhook", "Webhook", "NewWebhook"],
  ["Member", "Member", "NewMember"],
];

/** A field's description says its default in a sentence of this form, where the schema has none. */
const DEFAULT_SENTENCE = / ?The default is ([^.]*)\./;

/** A property's type in words: its values if they are listed, else the type. */
function valuesOf(schema: Schema): string {
  const {
    type,
    format,
    items,
    enum: values,
    examples = [],
  } = schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
  const listed = values ?? examples;
  if (listed.length > 0) return listed.map((value) => `\`${value}\``).join(", ");
  if (type === "array") return items?.type === "string" ? "list of texts" : "list";
  if (type === "string") return format === "date-time" ? "time" : "text";
  return { boolean: "`true`, `false`", integer: "number" }[type ?? ""] ?? "object";
}

/** The default of a field when its resource is created without it. */
function defaultOf(name: string, { properties = {}, required = [] }: Schema, description: string): string {
  const field = properties[name];
  if (field === undefined) return "set by the service";
  if (required.includes(name)) return "required";
  const stated = DEFAULT_SENTENCE.exec(description)?.[1];
  return field.default === undefined ? (stated ?? "none") : field.default === "" ? "empty" : `\`${field.default}\``;
}

/** Markdown: a table for each resource, under a heading. Throws for a resource that the document does not have. */
export function resourceTables({ components: { schemas } }: Document): string {
  return RESOURCES.map(([title, resource, request]) => {
    const [shown, sent] = [schemas[resource], schemas[request]];
    if (shown?.properties === undefined || sent === undefined) throw new Error(`${title}: no schema in the document`);
    const rows = Object.entries(shown.properties).map(([name, field]) => {
      const { description = "" } = field;
      const meaning = description.replace(DEFAULT_SENTENCE, "").replaceAll("|", "\\|");
      const values = valuesOf(sent.properties?.[name] ?? field);
      return `| \`${name}\` | ${values} | ${defaultOf(name, sent, description)} | ${meaning} |`;
    });
    return [`### ${title}`, "", "| field | values | default | meaning |", "|---|---|---|---|", ...rows].join("\n");
  }).join("\n\n");
}
