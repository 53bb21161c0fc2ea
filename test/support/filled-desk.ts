/** An owner whose account has something on each page of Account Settings, through an isolate. */
import { env } from "cloudflare:workers";
import type { Digit } from "./databases.ts";
import { fillDesk, type SendJson } from "./desk-account.ts";
import { createOwner } from "./owner.ts";

const answerOf = (send: (method: string, path: string, body?: object) => Promise<Response>): SendJson =>
  async function sendJson<Answer>(method: string, path: string, body?: object) {
    const response = await send(method, path, body);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json<Answer>();
  };

type Options = { readonly name?: string; readonly digit?: Digit; readonly bindings?: Env };

export async function createFilledDesk({ name = "desk", digit = "0", bindings = env }: Options = {}) {
  const owner = createOwner(`${name}-${crypto.randomUUID()}@example.com`, bindings, digit);
  const { key } = await owner.create(`${name}'s server`);
  const headers = { "X-API-Key": key, "Content-Type": "application/json" };
  const ids = await fillDesk(
    {
      asOwner: answerOf(owner.json),
      asTenant: answerOf((method, path, body) =>
        owner.isolate.request(`/tenant${path}`, { method, headers, body: body ? JSON.stringify(body) : null }),
      ),
    },
    name,
  );
  // For the team alone.
  const idea = `/idea-banks/${ids.ideaBankId}/ideas/${ids.proposalId}`;
  const { accountId } = await (await owner.json("GET", "/members")).json<{ accountId: string }>();
  await owner.submit(idea, { do: "assign", assignee: accountId });
  await owner.submit(idea, { do: "private-tags", was: "privateTags=", privateTags: `${name} quarter` });
  await owner.submit(idea, { do: "add-note", note: `${name} asked for it.` });
  await owner.submit(`/people/${ids.panelistId}`, { do: "add-note", note: `${name} pays well.` });
  return { owner, ids };
}
