/** The claims of a signed token (RFC 7519, section 4.1): their rules, and which of them are broken. Pure. */
import * as z from "zod/mini";
import { EmailAddress, ExternalId } from "./panelist.ts";
import { Name, orRequired } from "./text.ts";

/** The longest lifetime, in seconds. */
const SIGNED_LIFETIME = 3_600;

/** Seconds come so far in the year 5138; milliseconds were so far in 1973. */
const MILLISECONDS = 100_000_000_000;
const inSeconds = z.lt(MILLISECONDS, { error: "is in milliseconds, and must be in seconds since 1970" });

const wholeSeconds = () => {
  const error = "must be a whole number of seconds since 1970";
  return z.int(orRequired(error)).check(z.gte(0, { error }), inSeconds);
};

const AUD = "must be the id of the idea bank, or a list with it";

/**
 * A text about the person. One that the API would not take is as none, because a name or an address locks nobody out. `z.catch` brings three
 * kilobytes of zod.
 */
const orNone = (text: z.ZodMiniType<string>) =>
  z.pipe(
    z.unknown(),
    z.transform((value) => text.safeParse(value).data),
  );

const Claims = z.object(
  {
    iss: z.string(orRequired("must be a string")),
    sub: ExternalId,
    iat: wholeSeconds(),
    exp: wholeSeconds(),
    nbf: z.optional(z.number({ error: "must be a number of seconds since 1970" }).check(inSeconds)),
    aud: z.optional(z.union([z.string(), z.array(z.string())], { error: AUD })),
    name: z.optional(orNone(Name)),
    email: z.optional(orNone(EmailAddress)),
  },
  { error: "must be a JSON object" },
);
type Claims = z.infer<typeof Claims>;

/** A broken rule. `path` is the claim's name; empty for all of them. */
export type ClaimError = { readonly path: string; readonly message: string };

/** Everything but whether the times have come: see `timeRefusal`. `ideaBankId` is the one whose secret has signed. */
export function readClaims(
  value: unknown,
  ideaBankId: string,
): { readonly claims: Claims } | { readonly errors: readonly [ClaimError, ...ClaimError[]] } {
  const parsed = Claims.safeParse(value);
  const broken = parsed.success
    ? [...brokenRules(parsed.data, ideaBankId)]
    : parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  const [first, ...others] = broken;
  if (first !== undefined) return { errors: [first, ...others] };
  return parsed.success ? { claims: parsed.data } : { errors: [{ path: "", message: "break a rule" }] };
}

function* brokenRules({ iss, iat, exp, aud }: Claims, ideaBankId: string): Generator<ClaimError> {
  if (iss !== ideaBankId) yield { path: "iss", message: "must be the id of the idea bank whose secret signs" };
  if (exp <= iat) yield { path: "exp", message: "must be later than iat" };
  if (exp - iat > SIGNED_LIFETIME)
    yield { path: "exp", message: `must be at most ${SIGNED_LIFETIME} seconds later than iat` };
  if (aud !== undefined && ![aud].flat().includes(ideaBankId)) yield { path: "aud", message: AUD };
}
