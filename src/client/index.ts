/** The entry of the package `@edge-access-api/client`. */
export type { CallOptions } from "./call.ts";
export { Client, type ClientOptions } from "./client.ts";
export { ApiProblem } from "./problem.ts";
export type { TenantApi } from "./tenant-api.ts";
export type * from "./tenant-types.ts";
export { signToken } from "./token.ts";
export { InvalidWebhook, verifyWebhook } from "./webhook.ts";
