/** A session of the Worker whose round trips are calls of wrangler, so that a command sends the Worker's own SQL. It counts no changes. */
import { Session } from "../../../worker/store/session.ts";
import type { Statement } from "../../../worker/store/statement.ts";
import type { Wrangler } from "../cloudflare/wrangler.ts";
import { quote } from "./sql.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Sends statements with semicolons between them, as one transaction. Returns the rows of each. */
type Send = (sql: string) => Promise<readonly (readonly Row[])[]>;

export const sessionOver = (send: Send): Session =>
  new Session(
    async (statements) => (await send(statements.map(withValues).join("; "))).map((rows) => ({ rows, changes: 0 })),
    () => undefined,
  );

/** At a database on Cloudflare. */
export const remoteSession = (wrangler: Wrangler, binding: string): Session =>
  sessionOver(async (sql) => {
    const call = ["d1", "execute", binding, "--remote", "--yes", "--json", "--command", sql];
    return (await wrangler.json<{ results?: Row[] }[]>(call)).map(({ results }) => results ?? []);
  });

export const onOneLine = (sql: string): string => sql.replace(/\s+/g, " ").trim();

/** Contains its values, because wrangler takes no parameters. */
const withValues = ({ sql, values }: Statement): string =>
  onOneLine(sql).replace(/\?(\d+)/g, (_, number: string) => {
    const value = values[Number(number) - 1] ?? null;
    return typeof value === "string" ? quote(value) : String(value);
  });
