/** The schemas of the document, as tables of fields. */
import { html } from "hono/html";
import type { OpenApi, Parameter, Schema } from "./document-types.ts";
import { prose } from "./prose.ts";

type Html = ReturnType<typeof html>;

export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1);

/** The type in a word or two; other schemas are linked. */
function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) return html`<a href="#schema/${nameOf(schema.$ref)}">${nameOf(schema.$ref)}</a>`;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined)
    return html`${choices.map((one, index) => html`${index > 0 ? " or " : ""}${typeOf(one)}`)}`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined)
    return html`${schema.enum.map((one, index) => html`${index > 0 ? ", " : ""}<code>${JSON.stringify(one)}</code>`)}`;
  if (schema.type === "array" && schema.items !== undefined) return html`list of ${typeOf(schema.items)}`;
  if (schema.examples !== undefined) return typeOf({ enum: schema.examples });
  const types = [schema.type ?? "any value"].flat().join(" or ");
  return html`${types}${schema.format === undefined ? "" : ` (${schema.format})`}`;
}

/** The bounds that its type does not say: length, number, pattern, default. */
function boundsOf(schema: Schema): string {
  const span = (least: number | undefined, most: number | undefined, unit: string) =>
    least === undefined && most === undefined
      ? []
      : [least === most ? `${most}${unit}` : `${[least ?? 0, most ?? "any number"].join(" to ")}${unit}`];
  return [
    ...span(schema.minLength, schema.maxLength, " characters"),
    ...span(schema.minItems, schema.maxItems, " items"),
    ...span(schema.minimum, schema.maximum, ""),
    ...(schema.pattern === undefined ? [] : [`pattern \`${schema.pattern}\``]),
    ...(schema.default === undefined ? [] : [`default \`${JSON.stringify(schema.default)}\``]),
  ].join("; ");
}

type Row = { readonly name: string; readonly place?: string; readonly isRequired: boolean; readonly schema: Schema };

const table = (caption: string, rows: readonly (Row & { readonly words: string | undefined })[]): Html => html`<table>
  <caption>${caption}</caption>
  <thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
  <tbody>${rows.map(
    ({ name, place, isRequired, schema, words }) => html`
    <tr><th scope="row"><code>${name}</code>${place === undefined ? "" : html` <span class="soft">${place}</span>`}${
      isRequired ? html` <span class="required">required</span>` : ""
    }</th><td>${typeOf(schema)}</td><td>${prose(words ?? "")}${boundsLine(schema)}</td></tr>`,
  )}
  </tbody>
</table>`;

const boundsLine = (schema: Schema): Html | string => {
  const bounds = boundsOf(schema);
  return bounds === "" ? "" : html` <span class="soft">${prose(bounds)}</span>`;
};

export const parameterTable = (parameters: readonly Parameter[]): Html =>
  table(
    "Parameters",
    parameters.map(({ name, in: place, required = false, description, schema }) => ({
      name,
      place,
      isRequired: required,
      schema,
      words: description,
    })),
  );

/** The fields of an object, or of a list's items; one line for any other schema. */
export function fieldsOf(caption: string, schema: Schema, { components }: OpenApi): Html {
  const found = schema.$ref === undefined ? schema : components.schemas[nameOf(schema.$ref)];
  const properties = Object.entries(found?.properties ?? {});
  if (properties.length === 0) return html`<p>${caption}: ${typeOf(schema)}</p>`;
  return table(
    caption,
    properties.map(([name, field]) => ({
      name,
      // Only in a body is a field required of the reader.
      isRequired: caption === "Body" && (found?.required?.includes(name) ?? false),
      schema: field,
      words: field.description,
    })),
  );
}
