/** What the application imports from the runtime. */
export class DurableObject {
  readonly ctx: object;
  readonly env: object;

  constructor(ctx: object, env: object) {
    this.ctx = ctx;
    this.env = env;
  }
}

/** Whom the application calls is in its own isolate. */
export class RpcTarget {}
