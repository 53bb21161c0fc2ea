/**
 * Hono with one router. Its own default carries two more: one that compiles all paths into an expression, and cannot when a level
 * of the path holds a name beside a parameter, as ours do; and one that chooses between them. What is answered from memory is not routed.
 */
import type { Env } from "hono";
import { HonoBase } from "hono/hono-base";
import { TrieRouter } from "hono/router/trie-router";

export class Routes<E extends Env> extends HonoBase<E> {
  constructor() {
    super({ router: new TrieRouter() });
  }
}
