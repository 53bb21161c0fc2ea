/** Of the attacks of docs/attack-costs.md, the requests that write a hundred things. */
import { MAX_WEBHOOKS } from "../../src/worker/model/webhook.ts";
import { addVoters, voterId } from "./many-rows.ts";
import { addWebhook } from "./webhooks.ts";
import { addApiKey, addIdeaBank, addProposal } from "./world.ts";

type Send = (path: string, init?: RequestInit) => Promise<Response>;

const HUNDRED = Array.from({ length: 100 }, (_, index) => index + 1);

/** An idea bank with a proposal and a hundred panelists, whose account has as many webhooks as it can. */
async function createScene(send: Send) {
  const bank = await addIdeaBank();
  await addVoters(bank, 1, HUNDRED.length);
  const proposal = `/tenant/ideabanks/${bank.id}/proposals/${await addProposal(bank)}`;
  const { text } = await addApiKey({ accountId: bank.accountId });
  for (let count = 0; count < MAX_WEBHOOKS; count++) await addWebhook(bank.accountId);
  const request = (method: string, path: string, body: object) =>
    send(path, {
      method,
      headers: { "X-API-Key": text, "Content-Type": "application/json", "Idempotency-Key": "one" },
      body: JSON.stringify(body),
    });
  return { bank, proposal, request };
}

export async function createPeople(send: Send): Promise<Response> {
  const { request } = await createScene(send);
  return request("PUT", "/tenant/panelists", { panelists: HUNDRED.map((each) => ({ externalId: `new-${each}` })) });
}

export async function giveVotes(send: Send): Promise<Response> {
  const { bank, proposal, request } = await createScene(send);
  return request("PUT", `${proposal}/votes`, {
    voters: HUNDRED.map((each) => ({ panelistId: voterId(bank, each) })),
  });
}

export async function writeComments(send: Send): Promise<Response> {
  const { bank, proposal, request } = await createScene(send);
  const comments = HUNDRED.map((each) => ({ body: `${each}`, panelistId: voterId(bank, each) }));
  return request("POST", `${proposal}/comments/batch`, { comments });
}
