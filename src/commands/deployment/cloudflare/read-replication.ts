/** Read replication of D1: wrangler has no command for it, Cloudflare's API has. */
import type { Context } from "../../command-line/context.ts";
import { shellWord } from "../arguments.ts";
import type { Wrangler } from "./wrangler.ts";

type Credentials = { type: string; token?: string; key?: string; email?: string };

/** The address that wrangler calls too. */
const apiOf = ({ variables }: Context) => variables.CLOUDFLARE_API_BASE_URL ?? "https://api.cloudflare.com/client/v4";

/** Turns it on. "on": it was on before. "unknown": it could not be read or set; `replicationByHand` tells how to do it. */
export async function ensureReadReplication(
  wrangler: Wrangler,
  accountId: string,
  databaseId: string,
): Promise<"on" | "turned on" | "unknown"> {
  try {
    const headers = headersOf(await wrangler.json<Credentials>(["auth", "token", "--json"]));
    const url = `${apiOf(wrangler.context)}/accounts/${accountId}/d1/database/${databaseId}`;
    const read = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) });
    const answer: { result?: { read_replication?: { mode?: string } } } = read.ok ? await read.json() : {};
    if (answer.result?.read_replication?.mode === "auto") return "on";
    const body = JSON.stringify({ read_replication: { mode: "auto" } });
    const written = await fetch(url, { method: "PUT", headers, body, signal: AbortSignal.timeout(30_000) });
    return written.ok ? "turned on" : "unknown";
  } catch {
    return "unknown";
  }
}

/** "auto", "disabled"; undefined when it could not be read. */
export async function readReplicationMode(
  wrangler: Wrangler,
  accountId: string,
  databaseId: string,
): Promise<string | undefined> {
  try {
    const headers = headersOf(await wrangler.json<Credentials>(["auth", "token", "--json"]));
    const url = `${apiOf(wrangler.context)}/accounts/${accountId}/d1/database/${databaseId}`;
    const read = await fetch(url, { headers, signal: AbortSignal.timeout(4_000) });
    const answer: { result?: { read_replication?: { mode?: string } } } = read.ok ? await read.json() : {};
    return answer.result?.read_replication?.mode;
  } catch {
    return undefined;
  }
}

const headersOf = ({ token, key, email }: Credentials): Record<string, string> => ({
  "Content-Type": "application/json",
  ...(token === undefined
    ? { "X-Auth-Key": key ?? "", "X-Auth-Email": email ?? "" }
    : { Authorization: `Bearer ${token}` }),
});

/** One line to paste into a shell. */
export const replicationByHand = (context: Context, accountId: string, databaseId: string): string =>
  `curl -X PUT ${shellWord(`${apiOf(context)}/accounts/${accountId}/d1/database/${databaseId}`)} -H "Authorization: Bearer $CLOUDFLARE_API_TOKEN" ` +
  `-H 'Content-Type: application/json' -d '{"read_replication":{"mode":"auto"}}'`;
