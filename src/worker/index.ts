/** The Worker's entry: the application, the scheduled job, the entrypoint for other Workers, and the Durable Object class that wrangler.toml names. */
import { createAccess } from "./access/entrypoint.ts";
import { createApp, createMemory } from "./app.ts";

export { ApiKeyGate } from "./api-key-gate/api-key-gate.ts";

const memory = createMemory();

export class Access extends createAccess(memory) {}

export default {
  fetch: createApp(undefined, memory).fetch,
  scheduled: async (_, env, executionCtx) => {
    const { runScheduled } = await import("./on-demand.ts");
    await runScheduled({ env, executionCtx });
  },
} satisfies ExportedHandler<Env>;
