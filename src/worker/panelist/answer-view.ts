/**
 * Answers the operations that an isolate's view of the idea bank answers: first the token, then the idea bank, then the operation's
 * capability, then the handler.
 */
import type { Context } from "hono";
import { type IdeaBankMemory, type OpenedByToken, openByToken, unauthorized } from "../access/open-idea-bank.ts";
import type { AppEnv } from "../http/app-env.ts";
import { CONSISTENCY_TOKEN } from "../http/consistency.ts";
import type { EveryRequest } from "../http/every-request.ts";
import { hasCapability } from "../model/capabilities.ts";
import type { Capability } from "../model/idea-bank.ts";
import { Problem } from "../problem.ts";
import type { IdeaBankOperation } from "./operation.ts";

/**
 * Throws `idea-bank-not-found` where the capability is closed. A panelist's token is a secret, but a URL is not secret: readers pass it on,
 * and servers log it. So only a visitor's token is accepted there.
 */
export const createViewAnswer =
  (memory: IdeaBankMemory) =>
  async (c: Context<AppEnv>, { credential: { capability }, feed, handle }: IdeaBankOperation) => {
    const inAddress = feed === undefined ? undefined : c.req.query("token");
    if (inAddress && tokenOf(c) === undefined && !inAddress.startsWith("ibv_")) throw unauthorized("in an address");
    const opened = await openIdeaBank(c, { memory, capability, inAddress });
    c.set("whose", { account: opened.ideaBank?.accountId });
    if (capability !== null && (opened.ideaBank === null || !hasCapability(opened.ideaBank, capability)))
      throw new Problem("idea-bank-not-found");
    return handle(c, opened, memory);
  };

/**
 * The token in `Accept: application/json;token=<token>`. With this header a browser sends a GET to another origin at once; with
 * `Authorization` it asks first, for each address (https://fetch.spec.whatwg.org/#cors-safelisted-request-header).
 */
const tokenInAccept = (accept: string | undefined): string | undefined =>
  accept === undefined ? undefined : /;token=([\w.-]+)$/.exec(accept)?.[1];

/** The answer to a request that had its token in `Accept` differs by that header, too. */
export const varyingByAccept =
  (everyRequest: EveryRequest): EveryRequest =>
  (c, answer, fail) => {
    const answered = everyRequest(c, answer, fail);
    const { headers } = c.req.raw;
    if (headers.has("Authorization") || tokenInAccept(headers.get("Accept") ?? undefined) === undefined)
      return answered;
    return answered.then((response) => {
      response.headers.append("Vary", "Accept");
      return response;
    });
  };

/** The token in `Authorization: <token>` or `Authorization: Bearer <token>`; otherwise the one in `Accept`. */
export const tokenOf = (c: Context<AppEnv>): string | undefined =>
  c.req.header("Authorization")?.replace(/^Bearer +/i, "") ?? tokenInAccept(c.req.header("Accept"));

/** The client's address; "" when it is unknown. */
export const addressOf = (c: Context<AppEnv>): string => c.req.header("CF-Connecting-IP") ?? "";

/** Throws `unauthorized` for a token that is invalid or revoked. `inAddress` is a visitor's token in the URL. */
export const openIdeaBank = (
  c: Context<AppEnv>,
  {
    memory,
    capability,
    inAddress,
  }: {
    readonly memory: IdeaBankMemory;
    readonly capability: Capability | null;
    readonly inAddress?: string | undefined;
  },
): Promise<OpenedByToken> =>
  openByToken(memory, {
    caller: c,
    settings: c.get("settings"),
    question: {
      text: tokenOf(c) ?? inAddress,
      sent: c.req.raw,
      address: addressOf(c),
      capability,
      store: capability === "canViewChangelog" ? { kv: c.env.CHANGELOGS, calls: c.get("calls") } : undefined,
      consistencyToken: c.req.header(CONSISTENCY_TOKEN),
    },
  });
