/**
 * `/ideabank`, and the way in which it and the changelog open an idea bank from the isolate's view: first the token is checked,
 * then the idea bank is opened, then the operation's capability is checked.
 */
import type { Context } from "hono";
import { accessOf, type IdeaBankMemory, type OpenedByToken, openByToken } from "../access/open-idea-bank.ts";
import type { VerifiedToken } from "../credentials/compound-token.ts";
import type { AppEnv } from "../http/app-env.ts";
import { readConsistencyToken } from "../http/consistency.ts";
import type { OpenTerms } from "../idea-bank/views.ts";
import { IdeaBankAccess } from "../model/idea-bank.ts";
import { ideaBankOperation } from "./operation.ts";

export const IDEA_BANK_OPERATIONS = {
  getCapabilities: ideaBankOperation({
    method: "GET",
    effect: "reads",
    path: "/ideabank",
    capability: null,
    answer: IdeaBankAccess,
    problems: ["too-many-requests"],
    summary: "Read what the idea bank allows",
    description: "Read it first: it shows which of the other operations this token can use.",
    /** A closed, a suspended and a missing idea bank give the same answer. */
    handle: async (c, memory) => c.json(accessOf(await openIdeaBank(c, { memory, capability: null }))),
  }),
};

/** The token in `Authorization: <token>` or `Authorization: Bearer <token>`. */
export const tokenOf = (c: Context<AppEnv>): string | undefined =>
  c.req.header("Authorization")?.replace(/^Bearer +/i, "");

/** The client's address; "" when it is unknown. */
export const addressOf = (c: Context<AppEnv>): string => c.req.header("CF-Connecting-IP") ?? "";

/** The subjects for which a consistency token counts in requests with this token. */
export const subjectsOf = ({ ideaBankId, panelistId }: VerifiedToken): readonly string[] => [
  ideaBankId,
  panelistId ?? ideaBankId,
];

/** Throws `unauthorized` for a token that is invalid or revoked. `inAddress` is a visitor's token in the URL. */
export const openIdeaBank = (
  c: Context<AppEnv>,
  {
    memory,
    capability,
    inAddress,
  }: {
    readonly memory: IdeaBankMemory;
    readonly capability: OpenTerms["capability"];
    readonly inAddress?: string | undefined;
  },
): Promise<OpenedByToken> =>
  openByToken(memory, {
    caller: c,
    settings: c.get("settings"),
    question: {
      text: tokenOf(c) ?? inAddress,
      address: addressOf(c),
      capability,
      store: capability === "canViewChangelog" ? { kv: c.env.CHANGELOGS, calls: c.get("calls") } : undefined,
      floorOf: (token) => readConsistencyToken(c, subjectsOf(token)),
    },
  });
