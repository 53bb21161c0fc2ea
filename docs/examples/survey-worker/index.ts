/**
 * A survey backend beside the access API: a Worker of its own, which asks over a service binding whether a key, or a token, is good.
 *
 *     POST /surveys/{id}/answers    a panelist answers, with a compound token; a second answer replaces the first
 *     GET  /surveys/{id}/answers    the tenant's server reads them, with its API key
 */
import type { Access } from "../../../src/worker/index.ts";

type Env = { readonly ACCESS: Service<typeof Access>; readonly ANSWERS: KVNamespace<string> };
type Refusal = { readonly problem: { readonly status: number }; readonly headers: Readonly<Record<string, string>> };

/** KV keeps 1,024 bytes beside a name, and lists them with it. */
const MAX_CHARACTERS = 150;

const refuse = ({ problem, headers }: Refusal) =>
  Response.json(problem, {
    status: problem.status,
    headers: { ...headers, "Content-Type": "application/problem+json" },
  });
const refuseFor = (status: number, error: string, detail: string) =>
  refuse({ problem: { status, ...{ error, detail } }, headers: {} });

async function takeAnswer(request: Request, env: Env, surveyId: string): Promise<Response> {
  const token = request.headers.get("Authorization")?.replace(/^Bearer +/i, "") ?? null;
  const access = await env.ACCESS.panelist(token);
  if (!access.ok) return refuse(access);
  const { accountId, panelistId } = access;
  if (accountId === null) return refuseFor(404, "not-found", "There is no such survey.");
  if (panelistId === null) return refuseFor(403, "sign-in-required", "A visitor's token only reads.");
  const answer = await request.text();
  if (answer.length > MAX_CHARACTERS) return refuseFor(413, "payload-too-large", "Answer in 150 characters.");
  // The tenant is part of the name: nobody reads or writes what is another tenant's.
  await env.ANSWERS.put(`${accountId}/${surveyId}/${panelistId}`, "", { metadata: { answer } });
  return new Response(null, { status: 204 });
}

async function listAnswers(request: Request, env: Env, surveyId: string): Promise<Response> {
  const access = await env.ACCESS.admit(request.headers.get("X-API-Key"), {
    scope: "surveys:read",
    address: request.headers.get("CF-Connecting-IP"),
  });
  if (!access.ok) return refuse(access);
  const prefix = `${access.accountId}/${surveyId}/`;
  const { keys } = await env.ANSWERS.list<{ readonly answer: string }>({ prefix, limit: 100 });
  const items = keys.map(({ name, metadata }) => ({ panelistId: name.slice(prefix.length), ...metadata }));
  return Response.json({ items }, { headers: access.headers });
}

export default {
  async fetch(request, env) {
    const [, surveyId] = /^\/surveys\/(\w{1,40})\/answers$/.exec(new URL(request.url).pathname) ?? [];
    if (surveyId === undefined) return refuseFor(404, "not-found", "There is no such path.");
    if (request.method === "POST") return takeAnswer(request, env, surveyId);
    if (request.method === "GET") return listAnswers(request, env, surveyId);
    return refuseFor(405, "method-not-allowed", "Send GET or POST.");
  },
} satisfies ExportedHandler<Env>;
