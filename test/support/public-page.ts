/** A board with its page switched on, and a stranger who opens it. */
import { createIsolate, type Isolate } from "./isolate.ts";
import { createPanel } from "./panel.ts";
import type { IdeaBankOptions } from "./world.ts";

export const open = (isolate: Isolate, path: string, headers: Record<string, string> = {}, env?: Env) =>
  isolate.request(path, { headers: { "Accept-Language": "en", ...headers }, redirect: "manual" }, env);

export async function createPageScene(options: IdeaBankOptions = {}, fields: object = {}) {
  const panel = await createPanel({ changelogEnabled: true, ...options }, createIsolate());
  await panel.manage("PATCH", "", { name: "Rider ideas", publicPage: true, approvalRequired: false, ...fields });
  const home = `/b/${panel.bank.id}/rider-ideas`;
  return {
    ...panel,
    home,
    visit: (below = "", headers: Record<string, string> = {}, env?: Env) =>
      open(panel.isolate, home + below, headers, env),
    /** The text of a page that must be there. */
    read: async (below = "", headers: Record<string, string> = {}) => {
      const answer = await open(panel.isolate, home + below, headers);
      if (answer.status !== 200) throw new Error(`${below}: ${answer.status}`);
      return answer.text();
    },
  };
}
