/** Every action of the pages on something that the account does not have: "Not found", and nothing is changed. */
import { describe, expect, it } from "vitest";
import { createAccountApp } from "../../../src/worker/account/app.ts";
import { createMemory } from "../../../src/worker/app.ts";
import { databaseOf } from "../../support/databases.ts";
import { membersOf } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";
import { addOneOfEverything, dumpDatabases } from "../../support/tenant.ts";
import { addWebhook } from "../../support/webhooks.ts";
import { addApiKey, newId } from "../../support/world.ts";

type Ids = Readonly<Record<string, string>>;
type Action = { readonly path: string; readonly fields?: (ids: Ids) => Record<string, string | string[]> };

const IDEA = "/idea-banks/:ideaBankId/ideas/:proposalId";
const PERSON = "/people/:panelistId";
const WEBHOOK = "/webhooks/:webhookId";
const doing = (path: string, ...words: string[]): Action[] =>
  words.map((word) => ({ path, fields: () => ({ do: word }) }));

const ACTIONS: readonly Action[] = [
  ...doing(PERSON, "end-tokens", "block", "unblock", "clear", "delete", "delete-all"),
  { path: PERSON, fields: () => ({ do: "email", email: "another@example.com", was: "email=" }) },
  { path: PERSON, fields: () => ({ do: "add-note", note: "A note" }) },
  { path: PERSON, fields: ({ noteId = "" }) => ({ do: "edit-note", noteId, note: "Another" }) },
  { path: PERSON, fields: ({ noteId = "" }) => ({ do: "delete-note", noteId }) },
  { path: `${PERSON}/stored` },
  ...doing("/idea-banks/:ideaBankId/settings", "delete"),
  { path: "/idea-banks/:ideaBankId/settings", fields: () => ({ name: "Another", status: "OPEN", "was-name": "x" }) },
  { path: "/idea-banks/:ideaBankId/embed" },
  ...doing("/idea-banks/:ideaBankId/public-page", "code", "account", "else"),
  { path: "/idea-banks/:ideaBankId/public-page", fields: () => ({ do: "switch", publicPage: "on" }) },
  ...["public", "hidden"].map((word) => ({
    path: "/idea-banks/:ideaBankId",
    fields: ({ proposalId = "" }: Ids) => ({ do: word, ids: proposalId }),
  })),
  {
    path: "/idea-banks/:ideaBankId",
    fields: ({ proposalId = "" }) => ({ do: "status", status: "planned", ids: proposalId }),
  },
  { path: "/idea-banks/:ideaBankId", fields: ({ proposalId = "" }) => ({ do: "tag", tag: "New", ids: proposalId }) },
  ...doing(IDEA, "delete"),
  { path: IDEA, fields: () => ({ do: "decide", status: "planned", visibility: "public", tags: "", response: "" }) },
  { path: IDEA, fields: () => ({ do: "edit", title: "Another", description: "" }) },
  { path: IDEA, fields: () => ({ do: "comment", body: "A comment" }) },
  { path: IDEA, fields: ({ commentId = "" }) => ({ do: "edit-comment", commentId, body: "Another" }) },
  { path: IDEA, fields: ({ commentId = "" }) => ({ do: "delete-comment", commentId }) },
  { path: IDEA, fields: ({ commentId = "" }) => ({ do: "hide-comment", commentId }) },
  {
    path: IDEA,
    fields: ({ commentId = "" }) => ({ do: "approve-comment", commentId, was: "pending", seen: "A comment" }),
  },
  { path: IDEA, fields: ({ ownMemberId = "" }) => ({ do: "assign", assignee: ownMemberId }) },
  { path: IDEA, fields: () => ({ do: "private-tags", was: "privateTags=", privateTags: "New" }) },
  { path: IDEA, fields: () => ({ do: "add-note", note: "A note" }) },
  { path: IDEA, fields: ({ noteId = "" }) => ({ do: "edit-note", noteId, note: "Another" }) },
  { path: IDEA, fields: ({ noteId = "" }) => ({ do: "delete-note", noteId }) },
  { path: `${IDEA}/writing` },
  {
    path: "/ideas",
    fields: ({ ideaBankId, proposalId, ownMemberId = "" }) => ({
      ...{ do: "assign-back", given: ownMemberId, changed: `${ideaBankId}-${proposalId}-none` },
    }),
  },
  { path: `${IDEA}/history`, fields: () => ({ step: "1" }) },
  { path: `${IDEA}/voters/export`, fields: () => ({ do: "export" }) },
  {
    path: `${IDEA}/publish`,
    fields: () => ({ do: "publish", title: "Another", description: "" }),
  },
  {
    path: "/ideas",
    fields: ({ ideaBankId, proposalId, ownMemberId = "" }) => ({
      ...{ do: "assign", assignee: ownMemberId, ids: `${ideaBankId}-${proposalId}` },
    }),
  },
  {
    path: "/ideas",
    fields: ({ ideaBankId, proposalId }) => ({
      ...{ do: "private-tag", privateTag: "New", ids: `${ideaBankId}-${proposalId}` },
    }),
  },
  ...["block", "unblock"].map((word) => ({
    path: "/comments",
    fields: ({ panelistId = "" }: Ids) => ({ do: word, panelistId }),
  })),
  ...["approve-comment", "hide-comment"].map((word) => ({
    path: "/comments",
    fields: ({ ideaBankId = "", proposalId = "", commentId = "" }: Ids) => ({
      ...{ do: word, ideaBankId, proposalId, commentId, was: "pending", seen: "A comment" },
    }),
  })),
  {
    path: "/ideas",
    fields: ({ ideaBankId, proposalId }) => ({ do: "status", status: "planned", ids: `${ideaBankId}-${proposalId}` }),
  },
  {
    path: "/ideas",
    fields: ({ ideaBankId, proposalId }) => ({
      do: `status:${ideaBankId}-${proposalId}`,
      [`status-${proposalId}`]: "planned",
    }),
  },
  { path: "/ideas/delete", fields: ({ ideaBankId, proposalId }) => ({ ids: `${ideaBankId}-${proposalId}` }) },
  { path: "/ideas/publish", fields: ({ ideaBankId, proposalId }) => ({ ids: `${ideaBankId}-${proposalId}` }) },
  {
    path: "/ideas/merge",
    fields: ({ ideaBankId, proposalId, otherProposalId = "" }) => ({
      ids: [`${ideaBankId}-${proposalId}`, `${ideaBankId}-${otherProposalId}`],
      into: otherProposalId,
    }),
  },
  { path: `${IDEA}/voters`, fields: () => ({ do: "add", panelistExternalId: "one", asked: "one", person: "new" }) },
  { path: `${IDEA}/voters`, fields: ({ panelistId = "" }) => ({ do: "remove", panelistId }) },
  { path: `${IDEA}/merge`, fields: ({ otherProposalId = "" }) => ({ into: otherProposalId }) },
  { path: `${IDEA}/merge`, fields: ({ otherProposalId = "" }) => ({ into: otherProposalId, keep: "this" }) },
  {
    path: "/ideas",
    fields: ({ ideaBankId, proposalId }) => ({ do: "public", ids: `${ideaBankId}-${proposalId}-0` }),
  },
  { path: IDEA, fields: () => ({ do: "approve", edits: "0" }) },
  { path: IDEA, fields: ({ otherProposalId = "" }) => ({ do: "merge", into: otherProposalId, edits: "0" }) },
  { path: "/api-keys/:apiKeyId/rotate", fields: () => ({ graceSeconds: "0" }) },
  { path: "/api-keys/:apiKeyId/change", fields: () => ({ name: "Another", "was-name": "x" }) },
  { path: "/api-keys/:apiKeyId/revoke" },
  ...doing(WEBHOOK, "rotate", "delete", "test", "pause", "resume"),
  { path: WEBHOOK, fields: () => ({ do: "move", to: "now" }) },
  { path: WEBHOOK, fields: () => ({ do: "change", url: "https://crm.example.com/other", "was-url": "x" }) },
  ...doing("/surveys/:surveyId", "open", "close", "copy", "delete"),
  ...["save", "add:text"].map((word) => ({
    path: "/surveys/:surveyId/edit",
    fields: () => ({ do: word, title: "Another" }),
  })),
  { path: "/members/:memberId", fields: () => ({ role: "viewer" }) },
  { path: "/members/:memberId/remove" },
  ...["accept", "decline"].map((word) => ({
    path: "/accounts",
    fields: ({ memberId = "" }: Ids) => ({ id: memberId, do: word }),
  })),
];

/** Everything of another account that a path can name. */
async function addForeign(): Promise<Ids> {
  const stranger = createOwner();
  const { accountId, items } = await membersOf(stranger);
  const ids = await addOneOfEverything(accountId);
  return {
    ...ids,
    apiKeyId: (await addApiKey({ accountId })).id,
    webhookId: await addWebhook(accountId),
    memberId: items[0]?.id ?? "",
    noteId:
      (await databaseOf(accountId).prepare("SELECT id FROM notes WHERE account_id = ?1").bind(accountId).first("id")) ??
      "",
  };
}

describe.each(["unknown", "foreign"])("with %s identifiers", (kind) => {
  it.each(ACTIONS.map((action) => [`${action.path} ${action.fields?.({}).do ?? ""}`, action] as const))(
    "POST %s is Not found",
    async (_, { path, fields = () => ({}) }) => {
      const owner = createOwner();
      await owner.keys();
      const foreign = await addForeign();
      const unknown = Object.fromEntries(Object.keys(foreign).map((name) => [name, newId(foreign.accountId)]));
      const { accountId: ownMemberId } = await membersOf(owner);
      const ids: Ids = { ...(kind === "foreign" ? foreign : unknown), ownMemberId };
      const before = await dumpDatabases();
      const answer = await owner.submit(
        path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? ""),
        fields(ids),
      );
      expect(answer.status).toBe(404);
      expect(await dumpDatabases()).toEqual(before);
      expect(await owner.events()).toEqual([]);
    },
  );
});

it("covers every page that acts on something by its identifier", () => {
  const { routes } = createAccountApp(createMemory(() => 0));
  const acting = routes
    .filter(({ method, path }) => method === "POST" && path.includes("/:") && !path.startsWith("/account/api/"))
    .map(({ path }) => path.replace("/account", ""));
  expect(new Set(ACTIONS.map(({ path }) => path).filter((path) => path.includes("/:")))).toEqual(new Set(acting));
});
