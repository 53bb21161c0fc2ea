/**
 * The texts that clients send: without control characters, and trimmed, but for ids, which are refused where they would not stay as
 * sent. Lengths are in Unicode characters, after trimming.
 */
import * as z from "zod/mini";
import { hasCredential } from "../credentials/hide-credentials.ts";

type Bounds = { readonly min: number; readonly max: number };

/** `form`: the normalization; without it a text is kept as sent. */
type Rules = Bounds & {
  readonly forbidden: RegExp;
  readonly form?: "NFC";
  readonly invisible?: "dropped" | "refused";
  readonly credentials?: "refused";
};

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const CONTROL_BUT_WHITESPACE = /[^\P{Cc}\n\r\t]/u;

/**
 * Characters that a screen does not show: Unicode's Default_Ignorable_Code_Point (bidirectional controls, zero-width characters,
 * variation selectors, tags), the noncharacters, and the three annotation characters, which Unicode does not count among the
 * first. The other characters of the category Cf are visible: signs that enclose numbers, the layout of hieroglyphs.
 */
const INVISIBLE = /[\p{DI}\p{NChar}\ufff9-\ufffb]/u;

/** The places where an invisible character changes what is seen. Each needs the base that it changes. */
const invisibleWithEffect = () =>
  [
    // Emoji: the style of a picture, the joint of a sequence, a keycap, the flags of subdivisions (UTS #51).
    /(?<=\p{ExtPict})[\ufe0e\ufe0f]/u,
    /(?<=\p{ExtPict}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{ExtPict})/u,
    /(?<=[0-9#*])\ufe0f(?=\u20e3)/u,
    /(?<=\u{1f3f4})\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/u,
    // Variants of a Han character, of a letter of Myanmar or Phags-pa, of a Mongolian letter; the Mongolian vowel separator.
    /(?<=\p{sc=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]/u,
    /(?<=[\p{sc=Mymr}\p{sc=Phag}])\ufe00/u,
    /(?<=\p{sc=Mong})(?<=\p{L})[\u180b-\u180d\u180f]/u,
    /(?<=\p{sc=Mong})(?<!\u180e)\u180e(?=\p{sc=Mong})(?=\p{L})/u,
    // The joiners of the scripts that spell with them (RFC 5892, appendix A.1 and A.2).
    /(?<=[\p{sc=Arab}\p{sc=Beng}\p{sc=Deva}\p{sc=Gujr}\p{sc=Guru}\p{sc=Khmr}\p{sc=Knda}\p{sc=Mlym}\p{sc=Mymr}\p{sc=Orya}\p{sc=Sinh}\p{sc=Syrc}\p{sc=Taml}\p{sc=Telu}])[\u200c\u200d](?=[\p{L}\p{M}])/u,
    // After a virama, and after a joining Arabic letter, even at the end of a word. The separator of scripts without spaces.
    /(?<=[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039\u17d2])[\u200c\u200d]/u,
    /(?<=\p{sc=Arab})(?<=\p{L})\u200d/u,
    /(?<=[\p{sc=Khmr}\p{sc=Laoo}\p{sc=Mymr}\p{sc=Thai}])\u200b(?=[\p{sc=Khmr}\p{sc=Laoo}\p{sc=Mymr}\p{sc=Thai}])/u,
  ]
    .map(({ source }) => source)
    .join("|");

/** Made at its first use: the tables of scripts take milliseconds of an isolate's start. */
let invisibleOrWithEffect: RegExp | undefined;

/** Drops invisible characters from a text. Those that change what is seen stay: joiners, variation selectors, the tags of a flag. */
export function withoutInvisible(value: string): string {
  invisibleOrWithEffect ??= new RegExp(`(${invisibleWithEffect()})|${INVISIBLE.source}`, "gu");
  const rest = value.replace(invisibleOrWithEffect, (_, kept: string | undefined) => kept ?? "");
  // A dropped character may have been the base of one that stayed, so this repeats.
  return rest === value ? value : withoutInvisible(rest);
}

/** A visible character: not a space, a bare accent, or the Braille pattern without dots, which no property calls blank. */
const SEEN = /[^\s\p{DI}\p{M}\u2800]/u;

const lengthMessage = ({ min, max, invisible }: Bounds & Pick<Rules, "invisible">) =>
  `must have ${min === 0 ? "at most" : `${min} to`} ${max} characters${invisible === "refused" ? "" : " after trimming"}`;

/** JSON Schema counts characters as Unicode code points (as we do), JavaScript in UTF-16 units, so the metadata is written by hand. */
const text = ({ forbidden, form, credentials, ...rules }: Rules) => {
  const { invisible } = rules;
  const isExact = invisible === "refused";
  return z
    .string(orRequired("must be a string"))
    .check(
      ...((form ?? invisible) ? [workable(rules)] : []),
      ...(invisible === "dropped" ? [z.overwrite(withoutInvisible)] : []),
      isExact ? TRIMMED : z.trim(),
      ...(form === undefined ? [] : [isExact ? COMPOSED : z.normalize(form)]),
      z.refine((value) => isWithin([...value].length, rules), { error: lengthMessage(rules) }),
      z.refine((value) => !forbidden.test(value), { error: "must not contain control characters" }),
      z.refine((value) => value.isWellFormed(), { error: "must be well-formed Unicode" }),
      ...(credentials === undefined
        ? []
        : [z.refine<string>((value) => !hasCredential(value), { error: "must not hold a key, a token or a secret" })]),
      ...(invisible === undefined
        ? []
        : [
            z.refine<string>((value) => withoutInvisible(value) === value, {
              error: "must not contain invisible characters or bidirectional controls",
              abort: true,
            }),
            z.refine<string>((value) => value === "" || SEEN.test(value), {
              error: "must contain a character that can be seen",
            }),
          ]),
    )
    .register(z.globalRegistry, { minLength: rules.min, maxLength: rules.max });
};

const TRIMMED = z.refine<string>((value) => value.trim() === value, {
  error: "must not begin or end with a space or a line break",
  abort: true,
});
const COMPOSED = z.refine<string>((value) => value.normalize("NFC") === value, {
  error: "must be composed (Unicode NFC)",
  abort: true,
});

/**
 * Normalizing, and dropping in rounds, take time that grows with the square of the length. So longer texts are refused first;
 * both shorten a real text by far less than eight times.
 */
const workable = (rules: Bounds & Pick<Rules, "invisible">) =>
  z.refine<string>((value) => value.trim().length <= 8 * rules.max, { error: lengthMessage(rules), abort: true });

/** A missing field has its own message. */
export const orRequired = (message: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? "is required" : message),
});

const isWithin = (length: number, { min, max }: Bounds) => length >= min && length <= max;

/** One line for people: a name, a title, a tag. Invisible characters are dropped, because the author does not see them either. */
export const line = (bounds: Bounds, form?: "NFC") =>
  text({ ...bounds, forbidden: CONTROL, invisible: "dropped", ...(form && { form }) });

/**
 * One line for programs: an id. It is refused if it would not stay as sent (spaces at its ends, another form), or could look like
 * another one.
 */
export const exactLine = (bounds: Bounds, form?: "NFC") =>
  text({ ...bounds, forbidden: CONTROL, invisible: "refused", ...(form && { form }) });

/** A longer text: line breaks and tabs are allowed. */
export const prose = (bounds: Bounds) => text({ ...bounds, forbidden: CONTROL_BUT_WHITESPACE });

/** Names appear in events, e-mails and lists, where others would read a credential. */
export const Name = text({ min: 1, max: 100, forbidden: CONTROL, invisible: "dropped", credentials: "refused" });
export const Title = line({ min: 1, max: 200 });
/** A search. Only its words are compared. */
export const Search = prose({ min: 1, max: 200 });
export const Description = prose({ min: 0, max: 10_000 });

export const flag = () => z.boolean({ error: "must be true or false" });

/** An integer in a range. */
export const integer = (min: number, max: number) => {
  const error = `must be an integer from ${min} to ${max}`;
  return z.int({ error }).check(z.gte(min, { error }), z.lte(max, { error }));
};

/** One of several fixed words. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(", ")}` });

/** The query parameters that may be given several times. */
export const SEVERAL = z.registry<{ readonly words: readonly string[] }>();

/** One or several of some fixed words: `?status=planned&status=implemented`, or separated by commas. */
export const someOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z
    .pipe(
      z.pipe(
        z.union([z.string(), z.array(z.string())], { error: `must be one or several of ${words.join(", ")}` }),
        z.transform((given: string | string[]) => [...new Set([given].flat().flatMap((text) => text.split(",")))]),
      ),
      z.array(oneOf(words)),
    )
    .register(SEVERAL, { words });

/** A point in time as the tenant API writes it: ISO 8601, UTC, milliseconds. */
export const Timestamp = z
  .string()
  .check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/))
  .register(z.globalRegistry, { format: "date-time" });

/** `Date` reads the 30th of February as the 2nd of March. */
const isDay = (day: string): boolean => new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);

/** A point in time as clients send it: ISO 8601, with an offset. */
export const Moment = z
  .string(orRequired("must be a string"))
  .check(
    z.refine(
      (value) =>
        /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(value) &&
        new Date(value).getTime() >= 0 &&
        isDay(value.slice(0, 10)),
      { error: "must be a time since 1970 in ISO 8601 with an offset, such as 2026-11-20T12:00:00Z" },
    ),
  )
  .register(z.globalRegistry, { format: "date-time" });

export const toMilliseconds = (time: string): number => new Date(time).getTime();
export const toTimestamp = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** An address that people are led to. */
export const WebAddress = z.string().check(
  // Reading a host takes time that grows with the square of its length.
  z.maxLength(2_000, { error: "must have at most 2,000 characters", abort: true }),
  z.refine((text) => /^https:\/\/[!-~]+$/.test(text) && URL.canParse(text), { error: "must be an https address" }),
);
