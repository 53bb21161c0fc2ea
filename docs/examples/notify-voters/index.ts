/**
 * Tells the voters of an idea that it is done, each once, by e-mail.
 *
 *     POST /webhook                  a change of the API: the webhook's address, with the type `proposal.status-changed`
 *     GET, POST /unsubscribe?…       the link in each e-mail: a page with a button, and what the button and mail programs do
 */
import { Client, InvalidWebhook, verifyWebhook } from "@edge-access-api/client";
import { sendEmail } from "./send-email.ts";

export type Env = Record<"API_URL" | "API_KEY" | "MAIL_URL" | "WEBHOOK_SECRET" | "UNSUBSCRIBE_SECRET", string> & {
  readonly DB: D1Database;
  readonly QUEUE: Queue<Message>;
};
type Voter = { readonly panelistId: string; readonly externalId: string | null };
/** Without `voters`: all of the idea's are to be told. With them: these. So each run of the Worker is small. */
type Message = Record<"origin" | "ideaBankId" | "proposalId" | "title", string> & {
  readonly voters?: readonly Voter[];
};

const VOTERS_IN_MESSAGE = 100;

async function takeWebhook(request: Request, env: Env): Promise<Response> {
  const delivery = { headers: request.headers, body: await request.text() };
  const { change } = await verifyWebhook(delivery, env.WEBHOOK_SECRET);
  if (
    change.type === "proposal.status-changed" &&
    "proposalId" in change &&
    change.proposal?.status === "implemented"
  ) {
    const { ideaBankId = "", proposalId = "", proposal } = change;
    await env.QUEUE.send({ origin: new URL(request.url).origin, ideaBankId, proposalId, title: proposal.title });
  }
  return new Response(null, { status: 204 });
}

async function divide(message: Message, { API_URL, API_KEY, QUEUE }: Env): Promise<void> {
  const { ideaBankId, proposalId } = message;
  let voters: Voter[] = [];
  for await (const voter of new Client({ url: API_URL, apiKey: API_KEY }).listVotes({ ideaBankId, proposalId })) {
    if (voters.push(voter) < VOTERS_IN_MESSAGE) continue;
    await QUEUE.send({ ...message, voters });
    voters = [];
  }
  if (voters.length > 0) await QUEUE.send({ ...message, voters });
}

/** The row is written before the e-mail is sent: who was perhaps told is not told again. False: this voter is to be told later. */
async function tell(
  { panelistId, externalId }: Voter,
  { origin, proposalId, title }: Message,
  env: Env,
): Promise<boolean> {
  if (externalId === null) return true;
  const claim = env.DB.prepare(
    "INSERT INTO told SELECT ?1, ?2 WHERE ?2 NOT IN (SELECT panelist_id FROM unsubscribed) ON CONFLICT DO NOTHING",
  );
  if ((await claim.bind(proposalId, panelistId).run()).meta.changes === 0) return true;
  const unsubscribeUrl = `${origin}/unsubscribe?person=${panelistId}&signature=${await sign(panelistId, env)}`;
  const text = `“${title}” is done. You voted for it.\n\nNo more e-mails like this: ${unsubscribeUrl}`;
  if (await sendEmail({ externalId, subject: `Done: ${title}`, text, unsubscribeUrl }, env).catch(() => true))
    return true;
  await env.DB.prepare("DELETE FROM told WHERE proposal_id = ?1 AND panelist_id = ?2")
    .bind(proposalId, panelistId)
    .run();
  return false;
}

async function unsubscribe(request: Request, env: Env): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const person = searchParams.get("person") ?? "";
  if (!isSame(searchParams.get("signature") ?? "", await sign(person, env)))
    return new Response("Unknown link.", { status: 404 });
  const headers = { "Content-Type": "text/html; charset=utf-8" };
  // Programs that check links open them: only the button unsubscribes.
  if (request.method !== "POST")
    return new Response("<form method=post><button>Unsubscribe</button></form>", { headers });
  await env.DB.prepare("INSERT INTO unsubscribed VALUES (?1) ON CONFLICT DO NOTHING").bind(person).run();
  return new Response("<p>You are unsubscribed.</p>", { headers });
}

/** In a time that tells nothing of where two signatures differ. */
function isSame(given: string, signature: string): boolean {
  const bytes = (each: string) => new TextEncoder().encode(each);
  const [first, second] = [bytes(given), bytes(signature)];
  return first.byteLength === second.byteLength && crypto.subtle.timingSafeEqual(first, second);
}

async function sign(text: string, { UNSUBSCRIBE_SECRET }: Env): Promise<string> {
  // Anybody can sign with an empty secret.
  if (!UNSUBSCRIBE_SECRET) throw new Error("UNSUBSCRIBE_SECRET is not set.");
  const bytes = (each: string) => new TextEncoder().encode(each);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes(UNSUBSCRIBE_SECRET), hmac, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign(hmac, key, bytes(text)));
  return Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === "/unsubscribe") return unsubscribe(request, env);
    if (pathname !== "/webhook" || request.method !== "POST") return new Response(null, { status: 404 });
    return takeWebhook(request, env).catch((error: unknown) => {
      if (error instanceof InvalidWebhook) return new Response(error.message, { status: 401 });
      throw error;
    });
  },
  async queue({ messages }, env) {
    for (const message of messages) {
      const { voters } = message.body;
      if (voters === undefined) await divide(message.body, env);
      else if ((await Promise.all(voters.map((voter) => tell(voter, message.body, env)))).includes(false))
        message.retry();
    }
  },
} satisfies ExportedHandler<Env, Message>;
