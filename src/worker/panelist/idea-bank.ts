/**
 * `/ideabank`, and the way in which it and the changelog open an idea bank from the isolate's view: first the token is checked,
 * then the idea bank is opened, then the operation's capability is checked.
 */
import type { Context } from "hono";
import type { VerifiedToken } from "../credentials/compound-token.ts";
import type { AppEnv } from "../http/app-env.ts";
import { readConsistencyToken } from "../http/consistency.ts";
import type { OpenedIdeaBank, OpenTerms } from "../idea-bank/views.ts";
import { capabilitiesOf, forVisitor } from "../model/capabilities.ts";
import { IdeaBankAccess } from "../model/idea-bank.ts";
import { subjectsOf, unauthorized } from "./authenticate-panelist.ts";
import { type IdeaBankMemory, ideaBankOperation } from "./operation.ts";

export const IDEA_BANK_OPERATIONS = {
  getCapabilities: ideaBankOperation({
    method: "GET",
    path: "/ideabank",
    capability: null,
    answer: IdeaBankAccess,
    summary: "Read what the idea bank allows",
    description: "Read it first: it shows which of the other operations this token can use.",
    /** A closed, a suspended and a missing idea bank give the same answer. */
    handle: async (c, memory) => {
      const { ideaBank, token } = await openIdeaBank(c, memory, null);
      const ofPanelist = capabilitiesOf(ideaBank);
      const capabilities = token.panelistId === null ? forVisitor(ofPanelist) : ofPanelist;
      const isOpen = Object.values(capabilities).includes(true);
      return c.json({ name: isOpen && ideaBank ? ideaBank.name : null, capabilities });
    },
  }),
};

/** Throws `unauthorized` for a token that is invalid or revoked. `inAddress` is a visitor's token in the URL. */
export async function openIdeaBank(
  c: Context<AppEnv>,
  { tokens, views, databases }: IdeaBankMemory,
  capability: OpenTerms["capability"],
  inAddress?: string,
): Promise<OpenedIdeaBank & { readonly token: VerifiedToken }> {
  const token = await tokens.read(c, inAddress);
  const database = databases.of(c, token.ideaBankId);
  if (database === undefined) throw unauthorized("of no database");
  const { freshnessMs, anchorMs } = c.get("settings");
  const opened = await views.open(token, {
    freshMs: freshnessMs,
    youngMs: freshnessMs + anchorMs,
    database,
    store: capability === "canViewChangelog" ? { kv: c.env.CHANGELOGS, calls: c.get("calls") } : undefined,
    floor: await readConsistencyToken(c, subjectsOf(token)),
    capability,
    waitUntil: (promise) => c.executionCtx.waitUntil(promise),
  });
  if (opened.isRevoked) throw unauthorized("revoked");
  return { ...opened, token };
}
