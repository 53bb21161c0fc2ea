/** What a link fills into a form: only a link on a page of the desk does, because an owner sends what stands in a form. */
import type { Context } from "hono";
import type { OwnerEnv } from "../owner-env.ts";

/**
 * The query of this address, if a page of the desk has led here; otherwise none of it. A typed address, an e-mail and another site lead here
 * too, and so does a link in what people write: it sends no `Referer`. A script names neither.
 */
export const filledIn = (c: Pick<Context<OwnerEnv>, "req">): URLSearchParams =>
  isFromDesk(c) ? new URL(c.req.url).searchParams : new URLSearchParams();

/** Loading a page again sends the `Referer` again, and `Sec-Fetch-Site` may be `none` then. */
function isFromDesk({ req }: Pick<Context<OwnerEnv>, "req">): boolean {
  const referer = req.header("Referer");
  if (referer === undefined) return req.header("Sec-Fetch-Site") === undefined;
  const desk = `${new URL(req.url).origin}/account`;
  return referer === desk || referer.startsWith(`${desk}/`) || referer.startsWith(`${desk}?`);
}
