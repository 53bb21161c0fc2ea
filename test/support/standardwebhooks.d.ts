/** What receivers use of the package, for tests that run in workerd (tsconfig.json): its own declarations bring those of Node with them. */
export declare class Webhook {
  constructor(secret: string);
  /** Throws for a wrong signature. */
  verify(body: string, headers: Record<string, string>): unknown;
}
