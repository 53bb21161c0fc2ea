/** The Worker's entry: the application, and the Durable Object class that wrangler.toml names. */
import { createApp } from "./app.ts";

export { ApiKeyGate } from "./api-key-gate/api-key-gate.ts";

export default createApp();
