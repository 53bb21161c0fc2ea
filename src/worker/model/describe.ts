/** A schema's description in the OpenAPI document: its name, an example, and a text for each property. */
import type * as z from "zod/mini";

export type SchemaDescription = {
  readonly name: string;
  readonly example?: unknown;
  readonly fields: Readonly<Record<string, string>>;
};

const descriptions = new Map<z.core.$ZodType, SchemaDescription>();

/**
 * Returns the schema itself. It must have a text for each property: a missing one does not compile. A list needs none. A schema
 * without an `example` is only a part of others.
 */
export function describe<Schema extends z.ZodMiniType<object>>(
  schema: Schema,
  description: {
    readonly name: string;
    readonly example?: z.input<Schema>;
    readonly fields: z.input<Schema> extends readonly unknown[]
      ? Record<never, string>
      : { readonly [Field in keyof z.input<Schema>]-?: string };
  },
): Schema {
  descriptions.set(schema, description);
  return schema;
}

export const descriptionOf = (schema: z.core.$ZodType): SchemaDescription | undefined => descriptions.get(schema);
export const describedSchemas = (): ReadonlyMap<z.core.$ZodType, SchemaDescription> => descriptions;
