/** `/tenant/ideabanks`. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import { createIdeaBank, deleteIdeaBank, listIdeaBanks, loadIdeaBank, updateIdeaBank } from "../database/idea-banks.ts";
import { owned, respondGone, respondPage } from "./answers.ts";
import { respondOnce } from "./idempotency-key.ts";
import type { OperationRouter } from "./operation-router.ts";
import { OPERATIONS } from "./operations.ts";

export function addIdeaBankRoutes(router: OperationRouter): void {
  const { memory } = router;

  router.on(OPERATIONS.listIdeaBanks, async (c, { session, accountId, page }) =>
    respondPage(c, memory, await listIdeaBanks(session, accountId, page)),
  );

  router.on(OPERATIONS.createIdeaBank, async (c, { session, accountId, body, now, retry }) => {
    const id = createId(secureRandomBytes);
    const once = await createIdeaBank(session, accountId, id, body, now, retry);
    // A replica may not have it yet: the first panelist to come through this isolate waits for one that does.
    memory.snapshots.expire(id, session.getBookmark());
    return respondOnce(c, once, (ideaBank) => ideaBank);
  });

  router.on(OPERATIONS.getIdeaBank, async (c, { session, accountId, ids }) =>
    c.json(owned(await loadIdeaBank(session, accountId, ids.ideaBankId))),
  );

  router.on(OPERATIONS.updateIdeaBank, async (c, { session, accountId, ids, body }) =>
    c.json(owned(await updateIdeaBank(session, accountId, ids.ideaBankId, body))),
  );

  router.on(OPERATIONS.deleteIdeaBank, async (c, { session, accountId, ids }) =>
    respondGone(c, await deleteIdeaBank(session, accountId, ids.ideaBankId)),
  );
}
