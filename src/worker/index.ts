/** The Worker's entry: the application, the scheduled job, and the Durable Object class that wrangler.toml names. */
import { createFrontDoor } from "./front-door.ts";
import { runScheduled } from "./scheduled.ts";

export { ApiKeyGate } from "./api-key-gate/api-key-gate.ts";

/** Wrangler writes its value into the bundle: "development" under `wrangler dev`, "production" in what is deployed. */
declare const process: { readonly env: { readonly NODE_ENV: string } };

// Deployed, Account Settings is a Worker of its own, and none of its code is here. `wrangler dev` and tests have both in this one.
const app =
  import.meta.deployed && process.env.NODE_ENV !== "development"
    ? createFrontDoor()
    : (await import("./app.ts")).createApp();

export default {
  fetch: app.fetch,
  scheduled: (_, env) => runScheduled(env),
} satisfies ExportedHandler<Env>;
