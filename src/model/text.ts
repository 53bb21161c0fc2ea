/** The texts that clients send: trimmed, without control characters, otherwise kept as sent. Lengths are in Unicode characters. */
import * as z from "zod/mini";

type Bounds = { readonly min: number; readonly max: number };

// These patterns match control characters on purpose.
const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_WHITESPACE = /[^\P{Cc}\n\r\t]/u;

const lengthMessage = ({ min, max }: Bounds) =>
  min === 0 ? `must have at most ${max} characters` : `must have ${min} to ${max} characters`;

/** JSON Schema counts characters as Unicode code points (as we do), JavaScript in UTF-16 units, so the metadata is written by hand. */
const text = (bounds: Bounds, forbidden: RegExp) =>
  z
    .string(orRequired("must be a string"))
    .check(
      z.trim(),
      z.refine((value) => isWithin([...value].length, bounds), { error: lengthMessage(bounds) }),
      z.refine((value) => !forbidden.test(value), { error: "must not contain control characters" }),
      z.refine((value) => value.isWellFormed(), { error: "must be well-formed Unicode" }),
    )
    .register(z.globalRegistry, { minLength: bounds.min, maxLength: bounds.max });

/** A missing field has its own message. */
const orRequired = (message: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? "is required" : message),
});

const isWithin = (length: number, { min, max }: Bounds) => length >= min && length <= max;

/** One line: a name, a title. */
export const line = (bounds: Bounds) => text(bounds, CONTROL);

/** A longer text: line breaks and tabs are allowed. */
export const prose = (bounds: Bounds) => text(bounds, CONTROL_BUT_WHITESPACE);

export const Name = line({ min: 1, max: 100 });
export const Title = line({ min: 1, max: 200 });
export const Description = prose({ min: 0, max: 10_000 });

export const flag = () => z.boolean({ error: "must be true or false" });

/** An integer of a range. */
export const integer = (min: number, max: number) => {
  const error = `must be an integer from ${min} to ${max}`;
  return z.int({ error }).check(z.gte(min, { error }), z.lte(max, { error }));
};

/** One of several fixed words. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(", ")}` });

/** A point in time as the tenant API writes it: ISO 8601, UTC, milliseconds. */
export const Timestamp = z
  .string()
  .check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/))
  .register(z.globalRegistry, { format: "date-time" });

export const toTimestamp = (milliseconds: number): string => new Date(milliseconds).toISOString();
