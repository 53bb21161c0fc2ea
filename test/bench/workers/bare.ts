/**
 * The limit: a bare Hono route that gives an answer which was taken from ours, same status, headers and body.
 * Under `/answers/<name>` as it is; under `/objects/<name>` after one call of a Durable Object that does nothing.
 */
import { DurableObject } from "cloudflare:workers";
import { type Context, Hono } from "hono";

/** An answer as it was taken. */
export type Answer = { readonly headers: Record<string, string> } & (
  | { readonly status: 200 | 401 | 429; readonly body: string }
  | { readonly status: 304 }
);

type App = { Bindings: { IDLE: DurableObjectNamespace<Idle> } };

export class Idle extends DurableObject {
  nothing(): void {}
}

/** As many objects as whoami has keys in use. */
const OBJECTS = 64;

const answers = new Map<string, (c: Context<App>) => Response>();
let ids: DurableObjectId[] | undefined;
let next = 0;

function answerer(answer: Answer): (c: Context<App>) => Response {
  const { status, headers } = answer;
  if (status === 304) return (c) => c.body(null, status, headers);
  const bytes = Uint8Array.from(new TextEncoder().encode(answer.body));
  return (c) => c.body(bytes, status, headers);
}

const app = new Hono<App>();

app.put("/answers/:name", async (c) => {
  answers.set(c.req.param("name"), answerer(await c.req.json<Answer>()));
  return c.body(null, 204);
});

app.get("/answers/:name", (c) => answers.get(c.req.param("name"))?.(c) ?? c.notFound());

app.get("/objects/:name", async (c) => {
  const { IDLE } = c.env;
  ids ??= Array.from({ length: OBJECTS }, (_, index) => IDLE.idFromName(String(index)));
  const id = ids[next++ % OBJECTS];
  if (id !== undefined) await IDLE.get(id).nothing();
  return answers.get(c.req.param("name"))?.(c) ?? c.notFound();
});

export default app;
