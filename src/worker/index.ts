/** The Worker's entry: the application, the scheduled job, and the Durable Object class that wrangler.toml names. */
import { createApp } from "./app.ts";
import { runScheduled } from "./scheduled.ts";

export { ApiKeyGate } from "./api-key-gate/api-key-gate.ts";

export default {
  fetch: createApp().fetch,
  scheduled: (_, env, executionCtx) => runScheduled({ env, executionCtx }),
} satisfies ExportedHandler<Env>;
