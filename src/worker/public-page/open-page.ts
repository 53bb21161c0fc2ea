/** The board of a page, as everybody may see it. A board that is closed, has no page or does not exist is one answer: none. */
import type { Context } from "hono";
import { limitPanelist } from "../access/limit-panelist.ts";
import type { IdeaBankMemory } from "../access/open-idea-bank.ts";
import type { AppEnv } from "../http/app-env.ts";
import { clientOf } from "../model/address.ts";
import { capabilitiesOf, forVisitor } from "../model/capabilities.ts";
import { isId } from "../model/id.ts";
import type { Capabilities, IdeaBankState } from "../model/idea-bank.ts";
import type { ViewedChangelog } from "../view/read-view.ts";
import type { ContentTerms, PageContents } from "./contents.ts";

/** What the pages of an isolate share. */
export type PageMemory = IdeaBankMemory & { readonly contents: PageContents };

/** `capabilities` are those of a person who has signed in, `visitor` those of everybody else. */
export type OpenPage = {
  readonly id: string;
  readonly ideaBank: IdeaBankState;
  readonly changelog: ViewedChangelog | undefined;
  readonly capabilities: Capabilities;
  readonly visitor: Capabilities;
  readonly terms: ContentTerms;
};

/** A page without anything to read on it is none. */
const hasPage = (ideaBank: IdeaBankState): boolean =>
  ideaBank.publicPage && Object.values(forVisitor(capabilitiesOf(ideaBank))).includes(true);

/** Undefined where there is no page. Throws `too-many-requests` when D1 must be asked too often for the sender. */
export const openPage = (c: Context<AppEnv>, memory: IdeaBankMemory, id: string): Promise<OpenPage | undefined> =>
  readBoard(c, memory, id, hasPage);

/** Undefined for a board that `isOpen` refuses, as for one that does not exist. */
export async function readBoard(
  c: Context<AppEnv>,
  { views, databases }: IdeaBankMemory,
  id: string,
  isOpen: (ideaBank: IdeaBankState) => boolean,
): Promise<OpenPage | undefined> {
  if (!isId(id)) return undefined;
  const database = databases.of(c, id);
  if (database === undefined) return undefined;
  const { freshnessMs } = c.get("settings");
  const waitUntil = (promise: Promise<unknown>) => c.executionCtx.waitUntil(promise);
  let isCounted = false;
  const admit = async () => {
    // By the address alone: whoever tries identifiers asks for another board each time.
    const sender = `page ${clientOf(c.req.header("CF-Connecting-IP") ?? "")}`;
    if (!isCounted) await limitPanelist(c.env, sender, true);
    isCounted = true;
  };
  const { ideaBank, changelog } = await views.openForEverybody(
    id,
    {
      database,
      freshMs: freshnessMs,
      store: { kv: c.env.CHANGELOGS, calls: c.get("calls") },
      admitLookup: admit,
      waitUntil,
    },
    isOpen,
  );
  if (ideaBank === null || !isOpen(ideaBank)) return undefined;
  c.set("whose", { account: ideaBank.accountId });
  const capabilities = capabilitiesOf(ideaBank);
  const floor = views.floorOf({ ideaBankId: id, panelistId: null });
  return {
    ...{ id, ideaBank, changelog, capabilities, visitor: forVisitor(capabilities) },
    terms: { database, freshMs: freshnessMs, floor, writtenAt: views.writtenAt(id), admitRead: admit, waitUntil },
  };
}
