/** A tenant's panelist, and the compound tokens issued to one. */
import * as z from "zod/mini";
import { COMPOUND_TOKEN, TOKEN_LIFETIME, VISITOR_LIFETIME, VISITOR_TOKEN } from "../credentials/compound-token.ts";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import { LANGUAGES } from "./language.ts";
import { MAX_ADDRESS_LENGTH, readAddress } from "./mailbox.ts";
import { PAGE_PARAMETER_TEXTS, PAGE_PARAMETERS } from "./pagination.ts";
import { exactLine, flag, integer, Name, oneOf, orRequired, Timestamp } from "./text.ts";

/** The tenant's own id for a person, unique within the tenant. Only in NFC, so that one spelling never stands for another. */
export const ExternalId = exactLine({ min: 1, max: 200 }, "NFC");
export const PersonPath = z.object({ externalId: ExternalId });

/** In plain form, in which it is stored and compared: see `readAddress`. */
export const EmailAddress = z
  .string(orRequired("must be a string"))
  .check(
    z.refine((text) => readAddress(text) !== undefined, { error: "must be an e-mail address", abort: true }),
    z.overwrite((text) => readAddress(text) ?? text),
  )
  .register(z.globalRegistry, { minLength: 3, maxLength: MAX_ADDRESS_LENGTH });

const TEXTS = {
  externalId: "Your own id for this person: unique in your account, 1 to 200 characters. `null` for none.",
  displayName:
    "The name that other panelists see beside what this panelist writes: 1 to 100 characters. `null`, the default, for none.",
  active: "`false` revokes all tokens of the panelist, and no new ones can be issued. The default is `true`.",
  email:
    "The person's e-mail address, kept in lower case. No panelist sees it. `null`, the default, for none. Several panelists may have the same.",
  language: "The language of e-mails to this person. `null`, the default: the idea bank's, else English.",
};
/** Of e-mails to somebody. */
const MailLanguage = oneOf(LANGUAGES);
const EXAMPLE_EXTERNAL_ID = "customer-42";
const EXAMPLE_EMAIL = "robin@example.com";
const EXAMPLE_ID = "Pa7Ne1isT001";

const RESOURCE_TEXTS = {
  id: "The panelist's identifier.",
  ...TEXTS,
  emailVerified:
    "Whether the person has proved the address, with a code on a public page. `false` for an address that you have given.",
  createdAt: "When the panelist was created: ISO 8601, UTC, with milliseconds.",
};

export const Panelist = describe(
  z.object({
    id: Id,
    externalId: z.nullable(ExternalId),
    displayName: z.nullable(Name),
    active: flag(),
    email: z.nullable(z.string()),
    emailVerified: flag(),
    language: z.nullable(MailLanguage),
    createdAt: Timestamp,
  }),
  {
    name: "Panelist",
    example: {
      id: EXAMPLE_ID,
      externalId: EXAMPLE_EXTERNAL_ID,
      displayName: "Robin",
      active: true,
      email: EXAMPLE_EMAIL,
      emailVerified: false,
      language: "en",
      createdAt: "2026-11-02T09:31:00.000Z",
    },
    fields: RESOURCE_TEXTS,
  },
);
export type Panelist = z.infer<typeof Panelist>;

/** In the log of changes. A webhook has no scopes, so its deliveries have no address. */
export const ChangedPanelist = describe(
  z.object({ ...Panelist.shape, email: z.optional(z.nullable(z.string())), emailVerified: z.optional(flag()) }),
  {
    name: "ChangedPanelist",
    fields: {
      ...RESOURCE_TEXTS,
      email: `${TEXTS.email} Absent in what a webhook gets.`,
      emailVerified: `${RESOURCE_TEXTS.emailVerified} Absent in what a webhook gets.`,
    },
  },
);
export type ChangedPanelist = z.infer<typeof ChangedPanelist>;

/** For readers who may know who somebody is, but not the address. */
export function withoutAddress({ email: _, emailVerified: __, ...panelist }: ChangedPanelist): ChangedPanelist {
  return panelist;
}

export const NewPanelist = describe(
  z.strictObject({
    externalId: z._default(z.nullable(ExternalId), null),
    displayName: z._default(z.nullable(Name), null),
    active: z._default(flag(), true),
    email: z._default(z.nullable(EmailAddress), null),
    language: z._default(z.nullable(MailLanguage), null),
  }),
  {
    name: "NewPanelist",
    example: { externalId: EXAMPLE_EXTERNAL_ID, displayName: "Robin", email: EXAMPLE_EMAIL },
    fields: TEXTS,
  },
);
export type NewPanelist = z.infer<typeof NewPanelist>;

/** A person whom the tenant knows by its own id. */
const KnownPerson = describe(
  z.strictObject({
    externalId: ExternalId,
    displayName: z._default(z.nullable(Name), null),
    email: z._default(z.nullable(EmailAddress), null),
  }),
  {
    name: "KnownPerson",
    example: { externalId: EXAMPLE_EXTERNAL_ID, displayName: "Robin", email: EXAMPLE_EMAIL },
    fields: {
      externalId: "Your own id for this person: 1 to 200 characters.",
      displayName: "The name of a new panelist, or `null`, the default. The name of an existing one stays.",
      email: "The e-mail address of a new panelist, or `null`, the default. The address of an existing one stays.",
    },
  },
);
export type KnownPerson = z.infer<typeof KnownPerson>;

/** For imports. */
export const KnownPeople = describe(
  z.strictObject({ panelists: z.array(KnownPerson).check(z.minLength(1), z.maxLength(100)) }),
  {
    name: "KnownPeople",
    example: { panelists: [{ externalId: EXAMPLE_EXTERNAL_ID, displayName: "Robin", email: EXAMPLE_EMAIL }] },
    fields: { panelists: "1 to 100 people." },
  },
);

export const PanelistIds = describe(z.object({ ids: z.array(Id), created: integer(0, 100) }), {
  name: "PanelistIds",
  example: { ids: [EXAMPLE_ID], created: 1 },
  fields: {
    ids: "The panelists' identifiers, in the order of your list.",
    created: "How many of them are new.",
  },
});

export const PanelistChanges = describe(
  z.strictObject({
    externalId: z.optional(z.nullable(ExternalId)),
    displayName: z.optional(z.nullable(Name)),
    active: z.optional(flag()),
    email: z.optional(z.nullable(EmailAddress)),
    language: z.optional(z.nullable(MailLanguage)),
  }),
  { name: "PanelistChanges", example: { active: false }, fields: TEXTS },
);
export type PanelistChanges = z.infer<typeof PanelistChanges>;

export const PanelistQuery = describe(z.strictObject({ ...PAGE_PARAMETERS, externalId: z.optional(ExternalId) }), {
  name: "PanelistQuery",
  fields: { ...PAGE_PARAMETER_TEXTS, externalId: "Only the panelist with this `externalId`." },
});

/** A visitor's token is in the source of a page, so it may last longer. */
const lastsTooLong = `must be an integer from ${TOKEN_LIFETIME.min} to ${TOKEN_LIFETIME.max} for a panelist`;

/** Names the panelist by id, or by `externalId`, which creates a new panelist. Or it is for visitors. */
export const TokenRequest = describe(
  z
    .strictObject({
      panelistId: z.optional(Id),
      externalId: z.optional(ExternalId),
      displayName: z.optional(z.nullable(Name)),
      email: z.optional(z.nullable(EmailAddress)),
      visitor: z.optional(z.literal(true, { error: "must be true" })),
      lifetimeSeconds: z.optional(integer(VISITOR_LIFETIME.min, VISITOR_LIFETIME.max)),
    })
    .check(
      z.refine(
        ({ panelistId, externalId, visitor }) =>
          [panelistId, externalId, visitor].filter((each) => each !== undefined).length === 1,
        { error: "must name the panelist by either panelistId or externalId, or be for a visitor" },
      ),
      z.refine(({ visitor, displayName }) => visitor === undefined || displayName === undefined, {
        error: "a visitor has no name",
        path: ["displayName"],
      }),
      z.refine(({ visitor, email }) => visitor === undefined || email === undefined, {
        error: "a visitor has no address",
        path: ["email"],
      }),
      z.refine(({ visitor, lifetimeSeconds = 0 }) => visitor !== undefined || lifetimeSeconds <= TOKEN_LIFETIME.max, {
        error: lastsTooLong,
        path: ["lifetimeSeconds"],
      }),
    )
    .register(z.globalRegistry, {
      description: "Names the panelist by exactly one of `panelistId` and `externalId`, or is for a visitor.",
      // `type: "object"` is left out, because openapi-typescript would make an empty object of it, which no request fits.
      oneOf: [{ required: ["panelistId"] }, { required: ["externalId"] }, { required: ["visitor"] }],
    }),
  {
    name: "TokenRequest",
    example: { externalId: EXAMPLE_EXTERNAL_ID, lifetimeSeconds: 3_600 },
    fields: {
      panelistId: "The identifier of one of your panelists.",
      externalId: "Your own id for the person. The panelist is created if it is new.",
      displayName: "Sets the panelist's display name. `null` removes it. Without this field the name does not change.",
      email: "Sets the panelist's e-mail address. `null` removes it. Without this field the address does not change.",
      visitor: "`true`: a token for everybody who is not signed in. It only reads.",
      lifetimeSeconds:
        "How long the token is valid, in seconds: 60 to 7,776,000 (90 days), by default 86,400 (24 h). A visitor's: up to 31,622,400 " +
        "(366 days), which is its default.",
    },
  },
);
export type TokenRequest = z.infer<typeof TokenRequest>;

export const TokenRevocation = describe(z.strictObject({ externalId: ExternalId }), {
  name: "TokenRevocation",
  example: { externalId: EXAMPLE_EXTERNAL_ID },
  fields: { externalId: "Your own id for the person." },
});

export const IssuedToken = describe(
  z.object({
    token: z.string().check(z.regex(new RegExp(`${COMPOUND_TOKEN.pattern.source}|${VISITOR_TOKEN.pattern.source}`))),
    panelistId: z.nullable(Id),
    expiresAt: Timestamp,
  }),
  {
    name: "IssuedToken",
    example: {
      token: "ibt_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEX",
      panelistId: EXAMPLE_ID,
      expiresAt: "2026-11-21T10:00:00.000Z",
    },
    fields: {
      token:
        "The compound token: `ibt_` and 51 base62 digits. Store it as a secret of the panelist. A visitor's, `ibv_` and 40 digits, is " +
        "no secret.",
      panelistId: "The panelist that it was issued to. `null` for a visitor.",
      expiresAt: "When it expires: ISO 8601, UTC, with milliseconds.",
    },
  },
);

export const PanelistDeletion = describe(z.strictObject({ content: z.optional(oneOf(["delete", "keep"])) }), {
  name: "PanelistDeletion",
  fields: {
    content:
      "`delete`: the panelist's proposals and comments are deleted, too. The default is `keep`: they stay, without an author.",
  },
});
