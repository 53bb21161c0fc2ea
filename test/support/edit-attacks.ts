/** Of the attacks of docs/attack-costs.md, the edits that write the most: every word, tag and index entry of a proposal is another one after. */
import { MAX_WEBHOOKS } from "../../src/worker/model/webhook.ts";
import { databaseOf } from "./databases.ts";
import { numbers } from "./many-rows.ts";
import { addWebhook } from "./webhooks.ts";
import { addApiKey, addIdeaBank } from "./world.ts";

type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** Twelve words, the most that are stored, that no other title has. */
const twelveWords = (letter: string) => [..."abcdefghijkl"].map((other) => letter + other.repeat(6) + letter).join(" ");
const fiveTags = (letter: string) => [..."12345"].map((digit) => letter + digit);

const requestsWith = (headers: Record<string, string>) => (method: string, body: object) => ({
  method,
  headers: { ...headers, "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

/** An idea bank, its tenant's requests, and a proposal of its panelist. */
async function submitted(send: Send) {
  const bank = await addIdeaBank();
  const { text } = await addApiKey({ accountId: bank.accountId });
  const [own, tenant] = [requestsWith({ Authorization: bank.token }), requestsWith({ "X-API-Key": text })];
  const answer = await send("/ideabank/proposals", own("POST", { title: twelveWords("a") }));
  const { id } = await answer.json<{ id: string }>();
  /** As many as an account has: each is sent what follows. */
  const addWebhooks = async () => {
    for (let count = 0; count < MAX_WEBHOOKS; count++) await addWebhook(bank.accountId);
  };
  /** As long as a history gets: the next step pushes one out, and shortens another one. */
  const fillHistory = () =>
    databaseOf(bank.accountId)
      .prepare(
        `${numbers(100, 299)} INSERT INTO proposal_steps (proposal_id, number, account_id, made_at, changes, author_id)
         SELECT ?1, i, ?2, 1, json_object('description', json_array('a', printf('%.2000c', 'x'))), ?3 FROM n`,
      )
      .bind(id, bank.accountId, bank.panelistId)
      .run();
  return {
    id,
    fillHistory,
    own,
    tenant,
    addWebhooks,
    path: `/tenant/ideabanks/${bank.id}`,
    proposal: `/tenant/ideabanks/${bank.id}/proposals/${id}`,
  };
}

/** The panelist's own proposal, which has tags and waits for approval again. */
export async function editOwnTitle(send: Send): Promise<Response> {
  const { id, own, tenant, path, proposal, addWebhooks, fillHistory } = await submitted(send);
  await send(path, tenant("PATCH", { approvalRequired: true }));
  await send(proposal, tenant("PATCH", { visibility: "public", tags: fiveTags("a"), externalId: "x" }));
  await addWebhooks();
  await fillHistory();
  return send(`/ideabank/proposals/${id}`, own("PATCH", { title: twelveWords("b"), description: "new" }));
}

export async function changeEverything(send: Send): Promise<Response> {
  const { tenant, proposal, addWebhooks, fillHistory } = await submitted(send);
  const all = (letter: string, more: object) =>
    tenant("PATCH", {
      ...{ title: twelveWords(letter), description: letter, tags: fiveTags(letter), externalId: letter },
      ...{ response: { text: letter }, metadata: { letter }, ...more },
    });
  await send(proposal, all("c", { status: "implemented", visibility: "public" }));
  await addWebhooks();
  await fillHistory();
  return send(proposal, all("d", { status: "planned", visibility: "pending" }));
}
