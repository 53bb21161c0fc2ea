/** `/tenant/panelists`. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import {
  createPanelist,
  deletePanelist,
  PANELISTS,
  putPanelists,
  updatePanelist,
} from "../database/panelists/panelists.ts";
import { respondVersion } from "../http/etag.ts";
import { respondCreated } from "../http/idempotency-key.ts";
import { parseOrThrow } from "../http/invalid-request.ts";
import {
  KnownPeople,
  NewPanelist,
  Panelist,
  PanelistChanges,
  PanelistDeletion,
  PanelistIds,
  PanelistQuery,
} from "../model/panelist.ts";
import { Problem } from "../problem.ts";
import { owned, respondDeleted } from "./refuse-foreign.ts";
import { readOperations } from "./resource.ts";

const PATH = "/tenant/panelists";
export const PANELIST = `${PATH}/{panelistId}`;

const externalIdFixed = () =>
  new Problem("conflict", {
    detail: "A panelist's externalId cannot be changed. Delete the panelist and create a new one.",
  });
const externalIdTaken = () =>
  new Problem("conflict", {
    detail:
      "A panelist with this externalId exists already. Find it with `GET /tenant/panelists?externalId=…`, or issue its token by `externalId`.",
  });

export const PANELIST_TAG = {
  name: "Panelists",
  description: "Your panelists, and the compound tokens that you issue to them.",
};
const { operation, version, list, get } = readOperations({
  tag: PANELIST_TAG,
  path: PATH,
  id: "panelistId",
  names: ["a panelist", "panelists"],
  scopes: { read: "panelists:read" },
  schemas: { resource: Panelist, changes: PanelistChanges },
  query: PanelistQuery,
  rows: PANELISTS,
});

export const PANELIST_OPERATIONS = {
  listPanelists: list,

  createPanelist: operation({
    method: "POST",
    effect: "adds",
    path: PATH,
    scope: "panelists:write",
    body: NewPanelist,
    answer: Panelist,
    version,
    problems: ["conflict"],
    summary: "Create a panelist",
    handle: async (c, { session, accountId, body, now, idempotencyKey, panelistIdOf, noteRevocation }) => {
      const { externalId } = body;
      const id = externalId === null ? createId(accountId, secureRandomBytes) : await panelistIdOf(externalId);
      const creation = { accountId, id, input: body, now, idempotencyKey };
      const { result, revocation } = await createPanelist(session, creation);
      noteRevocation(revocation);
      return respondCreated(c, { result, toBody: (panelist) => panelist, refusal: externalIdTaken, version });
    },
  }),

  putPanelists: operation({
    method: "PUT",
    effect: "adds",
    idempotent: true,
    path: PATH,
    scope: "panelists:write",
    body: KnownPeople,
    answer: PanelistIds,
    status: 200,
    problems: ["conflict", "quota-exceeded"],
    summary: "Create up to 100 panelists",
    description: "For imports. Creates those who do not exist, and changes nobody. Repeating it changes nothing.",
    handle: async (c, { session, accountId, body: { panelists }, now, panelistIdOf }) => {
      const people = [];
      // One after the other: the first may read the account's salt, which all others need.
      for (const person of panelists) people.push({ ...person, id: await panelistIdOf(person.externalId) });
      const { ids, created } = await putPanelists(session, { accountId, people, now });
      const deleted = ids.indexOf(null);
      if (deleted >= 0)
        throw new Problem("conflict", {
          detail: `The panelist in panelists.${deleted} is still being deleted. Try again in a few minutes. The others exist.`,
        });
      return c.json({ ids, created });
    },
  }),

  getPanelist: get,

  updatePanelist: operation({
    method: "PATCH",
    effect: "overwrites",
    path: PANELIST,
    scope: "panelists:write",
    body: PanelistChanges,
    answer: Panelist,
    version,
    problems: ["conflict"],
    summary: "Change a panelist",
    description:
      "Fields that are not sent stay as they are; `externalId` is not changed. `active: false` revokes all tokens of the panelist. No token is issued " +
      "until the panelist is active again.",
    handle: async (c, { session, accountId, ids, body, now, precondition, noteRevocation }) => {
      const { seen } = precondition;
      const found = await updatePanelist(session, { accountId, id: ids.panelistId, changes: body, seen, now });
      const updated = owned(found, precondition);
      if (updated === "other-id") throw externalIdFixed();
      noteRevocation(updated.revocation);
      return respondVersion(c, version, updated.panelist);
    },
  }),

  deletePanelist: operation({
    method: "DELETE",
    effect: "ends",
    path: PANELIST,
    scope: "panelists:write",
    options: PanelistDeletion,
    version,
    summary: "Delete a panelist",
    description:
      "Revokes all its tokens and removes its votes; many votes are removed within minutes. Its proposals and comments stay, without an author. `?content=delete` deletes them too.",
    handle: async (c, { session, accountId, ids, now, idempotencyKey, precondition, noteRevocation }) => {
      const { content } = parseOrThrow(PanelistDeletion, c.req.query());
      const { seen } = precondition;
      const deletion = {
        accountId,
        id: ids.panelistId,
        deletesContent: content === "delete",
        now,
        seen,
        idempotencyKey,
      };
      const { result, revocation } = await deletePanelist(session, deletion);
      noteRevocation(revocation);
      return respondDeleted(c, result, precondition);
    },
  }),
};
