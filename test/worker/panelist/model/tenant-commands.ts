/** What the tenant does, and what happens to the stores and isolates. */
import fc from "fast-check";
import { vi } from "vitest";
import { PROPOSAL_STATUSES } from "../../../../src/worker/model/proposal.ts";
import { agree, type Command, command, FRESHNESS, type Scene } from "./commands.ts";
import { body, title } from "./panelist-commands.ts";
import type { Changes, Settings } from "./reference.ts";
import { createdId } from "./system.ts";

const status = fc.constantFrom(...PROPOSAL_STATUSES, "implemented" as const, "implemented" as const);
const visibility = fc.constantFrom("public" as const, "public" as const, "pending" as const, "hidden" as const);
const mostly = <Word>(word: Word, other: Word) => fc.constantFrom(word, word, word, word, other);

const proposalPath = ({ proposal }: Scene): string => `/proposals/${proposal.id}`;
const panelistPath = ({ panelist }: Scene): string => `/tenant/panelists/${panelist.id}`;

const changing = (name: string, weight: number, changes: fc.Arbitrary<Changes>) =>
  command(name, weight, changes, async (scene, changes) => {
    const { model, real, through, proposal } = scene;
    agree(await real.tenant(through, "PATCH", proposalPath(scene), changes), model.change(proposal.id, changes));
  });

const managing: fc.Arbitrary<Command>[] = [
  ...command(
    "propose",
    1,
    fc.record({ title, description: body, status, visibility }),
    async ({ model, real, through }, fields) => {
      const answer = await real.tenant(through, "POST", "/proposals", fields);
      agree(answer, model.propose(fields, createdId(answer)));
    },
  ),

  ...changing("edit as the tenant", 1, fc.record({ title, description: body, status }, { requiredKeys: [] })),
  ...changing("change the status", 3, fc.record({ status })),
  ...changing("respond", 2, fc.record({ response: fc.oneof(fc.record({ text: body }), fc.constant(null)) })),
  ...changing("approve or hide", 3, fc.record({ visibility })),

  ...command("merge", 2, fc.constant(null), async (scene) => {
    const { model, real, through, proposal, other } = scene;
    const answer = await real.tenant(through, "POST", `${proposalPath(scene)}/merge`, { into: other.id });
    agree(answer, model.merge(proposal.id, other.id));
  }),

  ...command("delete a proposal", 1, fc.constant(null), async (scene) => {
    const { model, real, through, proposal } = scene;
    agree(await real.tenant(through, "DELETE", proposalPath(scene)), model.remove(proposal.id));
  }),

  ...command("comment as the tenant", 2, body, async (scene, text) => {
    const { model, real, through, proposal } = scene;
    const answer = await real.tenant(through, "POST", `${proposalPath(scene)}/comments`, { body: text });
    agree(answer, model.answerAsTenant(proposal.id, text, createdId(answer)));
  }),

  ...command("edit a comment as the tenant", 1, body, async ({ model, real, through, comment }, text) => {
    const { on, id } = comment;
    const answer = await real.tenant(through, "PATCH", `/proposals/${on.id}/comments/${id}`, { body: text });
    agree(answer, model.editAsTenant(on.id, id, text));
  }),

  ...command("moderate a comment", 1, fc.constant(null), async ({ model, real, through, comment }) => {
    const { on, id } = comment;
    agree(await real.tenant(through, "DELETE", `/proposals/${on.id}/comments/${id}`), model.moderate(on.id, id));
  }),

  ...command(
    "change the idea bank",
    3,
    fc.record<Settings, keyof Settings>(
      {
        name: fc.constantFrom("Ideas", "Riders' ideas"),
        status: mostly<Settings["status"]>("OPEN", "CLOSED"),
        internal: mostly(false, true),
        changelogEnabled: mostly(true, false),
        changelogMaxEntries: fc.constantFrom(1, 2, 20),
        submissionsEnabled: mostly(true, false),
        votingEnabled: mostly(true, false),
        commentsEnabled: mostly(true, false),
        approvalRequired: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    async ({ model, real, through }, changes) => {
      agree(await real.tenant(through, "PATCH", "", changes), model.set(changes));
    },
  ),

  ...command("reopen the idea bank", 2, fc.constant(null), async ({ model, real, through }) => {
    const changes = { status: "OPEN", internal: false } as const;
    agree(await real.tenant(through, "PATCH", "", changes), model.set(changes));
  }),
];

const panelists: fc.Arbitrary<Command>[] = [
  ...command(
    "issue a token",
    2,
    fc.record({ displayName: fc.constantFrom("Robin", "Kim", null) }, { requiredKeys: [] }),
    async ({ model, real, through, panelist }, { displayName }) => {
      const { answer, issued } = await real.issue(through, { panelistId: panelist.id }, displayName);
      // None is issued until D1's clock has reached the revocation, which this history's clock, ahead of D1's, has dated.
      if (answer.status === 409 && panelist.revocations > 0) return;
      agree(answer, panelist.deleted ? { status: 403, error: "forbidden" } : { status: 201 });
      if (answer.status !== 201 || issued === undefined) return;
      model.tokens.push({ text: issued.token, panelist, dead: false });
      panelist.name = displayName === undefined ? panelist.name : displayName;
    },
  ),

  ...command("rename a panelist", 1, fc.constantFrom("Sam", null), async (scene, displayName) => {
    const { real, through, panelist } = scene;
    const answer = await real.tenant(through, "PATCH", panelistPath(scene), { displayName });
    agree(answer, panelist.deleted ? { status: 403, error: "forbidden" } : { status: 200 });
    if (!panelist.deleted) panelist.name = displayName;
  }),

  ...command("revoke tokens", 1, fc.constant(null), async (scene) => {
    const { model, real, through, panelist } = scene;
    agree(await real.tenant(through, "DELETE", `${panelistPath(scene)}/tokens`), model.revoke(panelist));
  }),

  ...command("delete a panelist", 1, fc.constant(null), async (scene) => {
    const { model, real, through, panelist } = scene;
    agree(await real.tenant(through, "DELETE", panelistPath(scene)), model.removePanelist(panelist));
  }),
];

const always = () => true;
const world: fc.Arbitrary<Command>[] = [
  ...command(
    "suspend the account",
    1,
    fc.constantFrom(true, false, false),
    async ({ model, real }, suspended) => {
      await real.suspend(suspended);
      model.suspended = suspended;
      // Nobody told the isolates.
      model.now += FRESHNESS;
      vi.setSystemTime(model.now);
    },
    always,
  ),

  ...command(
    "lift a suspension",
    1,
    fc.constant(null),
    async ({ model, real }) => {
      await real.suspend(false);
      model.suspended = false;
      model.now += FRESHNESS;
      vi.setSystemTime(model.now);
    },
    ({ suspended }) => suspended,
  ),

  ...command(
    "disturb KV",
    2,
    fc.constantFrom("keep" as const, "restore" as const, "drop" as const),
    async ({ real }, how) => real.disturbStore(how),
    always,
  ),

  ...command("evict an isolate", 1, fc.constant(null), async ({ real, through }) => real.evict(through), always),
];

export const tenantCommands = [...managing, ...panelists, ...world];
