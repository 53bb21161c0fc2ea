/**
 * Hono with one router. Hono's default carries another one, which compiles all paths into a regular expression: that fails where a
 * level of the path has both a name and a parameter, as here.
 */
import type { Env } from "hono";
import { HonoBase } from "hono/hono-base";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";

export class Routes<E extends Env> extends HonoBase<E> {
  constructor() {
    // Fills the router when the first request is matched: never for routes that are only added to others.
    super({ router: new SmartRouter({ routers: [new TrieRouter()] }) });
  }
}
