/** The Worker's entry: the application, the scheduled job, the entrypoint for other Workers, and the Durable Object class that wrangler.toml names. */
import { createAccess } from "./access/entrypoint.ts";
import { createApp, createMemory } from "./app.ts";
import { runScheduled } from "./scheduled.ts";

export { ApiKeyGate } from "./api-key-gate/api-key-gate.ts";

const memory = createMemory();

export class Access extends createAccess(memory) {}

export default {
  fetch: createApp(undefined, memory).fetch,
  scheduled: (_, env, executionCtx) => runScheduled({ env, executionCtx }),
} satisfies ExportedHandler<Env>;
