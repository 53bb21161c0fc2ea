/** Whether a subject of the speed part is right, before it is timed. */
import { isParticipation } from "./panelist-groups.ts";
import type { Subject } from "./speed.ts";

/** That a subject says what ours says: the key's id, the changelog's items, the proposals, the vote, the refusal. */
export async function checkSubject({ name, url, method = "GET", headers, status }: Subject): Promise<void> {
  const [first = {}] = headers;
  const response = await fetch(url, { headers: first, method });
  const body = await response.text();
  const right =
    response.status === status &&
    (status !== 200 || /^\{"apiKeyId":"\w+"\}$/.test(body) || changelogEntries(body) === 20 || isParticipation(body));
  if (!right) throw new Error(`${name} (${url}) is wrong: ${response.status} ${body.slice(0, 300)}`);
}

function changelogEntries(body: string): number {
  const { items } = JSON.parse(body);
  const complete = (item: Record<string, unknown>) => Object.keys(item).join() === "title,description,lastModified";
  return Array.isArray(items) ? items.filter(complete).length : 0;
}
