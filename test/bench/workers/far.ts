/**
 * A Worker whose databases are far away: each call to D1 takes so much longer. `POST /desk-pages`, with the identifiers of a filled desk,
 * answers each page of Account Settings with its address.
 */
import { addressOfPage, DESK_PAGES, SIGN_IN } from "../../support/desk-pages.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";

export const far = <E extends { readonly DB: D1Database }>(
  worker: ExportedHandler<E>,
  distanceMs: number,
): ExportedHandler<E> => ({
  async fetch(request, env, context) {
    if (worker.fetch === undefined) throw new Error("a Worker without a fetch handler");
    if (new URL(request.url).pathname === "/desk-pages") {
      const ids = await request.json<Parameters<typeof addressOfPage>[1]>();
      const pages = DESK_PAGES.filter((page) => page !== SIGN_IN);
      return Response.json(pages.map((page) => ({ page, address: addressOfPage(page, ids) })));
    }
    const delayed = interceptDatabases(env, () => async (_, makeCall) => {
      await new Promise((arrived) => setTimeout(arrived, distanceMs));
      return makeCall();
    });
    return worker.fetch(request, delayed, context);
  },
});
