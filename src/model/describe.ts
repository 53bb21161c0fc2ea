/** What the OpenAPI document says of a schema: its name there, an example, and a sentence for each property. */
import type * as z from "zod/mini";

export type SchemaDescription = {
  readonly name: string;
  readonly example?: unknown;
  readonly fields: Readonly<Record<string, string>>;
};

const descriptions = new Map<z.core.$ZodType, SchemaDescription>();

/**
 * Describes every property of an object's schema; the compiler asks for those of new ones. Without an `example` it is part of
 * others. Call it under `!import.meta.deployed`, so that it costs the Worker nothing.
 */
export function describe<Schema extends z.ZodMiniType<object>>(
  schema: Schema,
  description: {
    readonly name: string;
    readonly example?: z.input<Schema>;
    readonly fields: { readonly [Field in keyof z.input<Schema>]-?: string };
  },
): void {
  descriptions.set(schema, description);
}

export const descriptionOf = (schema: z.core.$ZodType): SchemaDescription | undefined => descriptions.get(schema);
export const describedSchemas = (): ReadonlyMap<z.core.$ZodType, SchemaDescription> => descriptions;
