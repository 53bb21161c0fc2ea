/**
 * An answer's schema as a union by a word in it. Each kind has its own words and members, so that a generated client knows
 * which members a word has. The last kind takes every word, because words can be added. It has all members, none required: only so
 * do types narrow, since no generator can say "any other word".
 */
import type { JsonSchema } from "./schemas.ts";

/** `always` are the members that always exist, `also` those that may. */
export type Kind = {
  readonly name: string;
  readonly words: readonly string[];
  readonly always?: readonly string[];
  readonly also?: readonly string[];
};

type Union = {
  readonly name: string;
  /** The member that the kinds differ by. */
  readonly by: string;
  /** The members that each kind always has. */
  readonly every: readonly string[];
  readonly kinds: readonly Kind[];
  readonly other: { readonly name: string; readonly description: string };
};

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The schemas of the kinds, and the union under the name of the whole. */
export function unionOf(
  { properties = {}, description }: JsonSchema,
  { name, by, every, kinds, other }: Union,
): Record<string, JsonSchema> {
  const toSchema = ({ words, always = [], also = [] }: Kind): JsonSchema => {
    const { examples: _, ...word } = properties[by] ?? {};
    const members = [...every, ...always, ...also].map((each) => [each, properties[each] ?? {}] as const);
    return {
      type: "object",
      properties: { ...Object.fromEntries(members), [by]: { ...word, enum: words } },
      required: [...every, ...always],
    };
  };
  return {
    ...Object.fromEntries(kinds.map((kind) => [kind.name, toSchema(kind)])),
    [other.name]: { type: "object", description: other.description, properties, required: every },
    [name]: {
      ...(description !== undefined && { description }),
      anyOf: [...kinds.map((kind) => reference(kind.name)), reference(other.name)],
    },
  };
}
