/**
 * Hono with one router. Hono's default carries two more: one compiles all paths into a regular expression, which fails where a
 * level of the path has both a name and a parameter, as here; the other chooses between them.
 */
import type { Env } from "hono";
import { HonoBase } from "hono/hono-base";
import { TrieRouter } from "hono/router/trie-router";

export class Routes<E extends Env> extends HonoBase<E> {
  constructor() {
    super({ router: new TrieRouter() });
  }
}
