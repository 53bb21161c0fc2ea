/** What panelists do. */
import fc from "fast-check";
import { expect } from "vitest";
import { PROPOSALS } from "../../../support/panel.ts";
import { newId } from "../../../support/world.ts";
import { agree, type Command, command, type Scene } from "./commands.ts";
import type { Answer } from "./reference.ts";
import { createdId } from "./system.ts";
import { readComments, viewProposal } from "./views.ts";

export const title = fc.constantFrom("Night buses", "Dark mode", "More trains", "A refund button");
export const body = fc.constantFrom("Yes.", "Every day\nof the week.", "No, thank you.");
const text = fc.record({ title, description: fc.oneof(body, fc.constant("")) });

const always = () => true;

const send = ({ real, through, token }: Scene, method: string, path: string, json?: unknown, key?: string) =>
  real.panelist(through, token.text, method, path, json, key === undefined ? {} : { "Idempotency-Key": key });

const pathOf = ({ proposal }: Scene): string => `${PROPOSALS}/${proposal.id}`;

/** The same POST twice at the same time: done once, answered twice. */
async function sendTwice(scene: Scene, path: string, json: unknown): Promise<Answer> {
  const key = newId();
  const [one, other] = await Promise.all([send(scene, "POST", path, json, key), send(scene, "POST", path, json, key)]);
  expect(other).toEqual(one);
  return one;
}

function agreeOnComment({ model, token, proposal }: Scene, answer: Answer, expected: Answer): void {
  const id = createdId(answer);
  agree(answer, expected, () => {
    const { body } = readComments(model, token, proposal.id) as { body: { items: { id: string }[] } };
    return body.items.find((item) => item.id === id);
  });
}

export const panelistCommands: fc.Arbitrary<Command>[] = [
  ...command(
    "submit",
    3,
    fc.record({ text, twice: fc.boolean() }),
    async (scene, { text, twice }) => {
      const { model, token } = scene;
      const answer = await (twice ? sendTwice(scene, PROPOSALS, text) : send(scene, "POST", PROPOSALS, text));
      const id = createdId(answer);
      agree(answer, model.submit(token, text, id), () => {
        const proposal = model.find(id);
        return proposal && viewProposal(model, proposal, token);
      });
    },
    always,
  ),

  ...command(
    "edit",
    2,
    fc.record({ title, description: body }, { requiredKeys: [] }),
    async (scene, changes) => {
      const { model, token, own } = scene;
      const answer = await send(scene, "PATCH", `${PROPOSALS}/${own.id}`, changes);
      agree(answer, model.edit(token, own.id, changes), () => viewProposal(model, own, token));
    },
    always,
  ),

  ...command(
    "withdraw",
    1,
    fc.constant(null),
    async (scene) => {
      const { model, token, own } = scene;
      agree(await send(scene, "DELETE", `${PROPOSALS}/${own.id}`), model.withdraw(token, own.id));
    },
    always,
  ),

  ...command(
    "vote",
    5,
    fc.constantFrom(true, true, false),
    async (scene, voted) => {
      const { model, token, proposal } = scene;
      const answer = await send(scene, voted ? "PUT" : "DELETE", `${pathOf(scene)}/vote`);
      agree(answer, model.vote(token, proposal.id, voted));
    },
    always,
  ),

  ...command(
    "comment",
    3,
    fc.record({ body, twice: fc.boolean() }),
    async (scene, { body, twice }) => {
      const { model, token, proposal } = scene;
      const path = `${pathOf(scene)}/comments`;
      const answer = await (twice ? sendTwice(scene, path, { body }) : send(scene, "POST", path, { body }));
      agreeOnComment(scene, answer, model.comment(token, proposal.id, body, createdId(answer)));
    },
    always,
  ),

  ...command(
    "edit a comment",
    2,
    body,
    async (scene, text) => {
      const { model, token, ownComment } = scene;
      const { on, id } = ownComment;
      const answer = await send(scene, "PATCH", `${PROPOSALS}/${on.id}/comments/${id}`, { body: text });
      agree(answer, model.editComment(token, on.id, id, text), () => {
        const { body } = readComments(model, token, on.id) as { body: { items: { id: string }[] } };
        return body.items.find((item) => item.id === id);
      });
    },
    always,
  ),

  ...command(
    "delete a comment",
    2,
    fc.constant(null),
    async (scene) => {
      const { model, token, ownComment } = scene;
      const { on, id } = ownComment;
      const answer = await send(scene, "DELETE", `${PROPOSALS}/${on.id}/comments/${id}`);
      agree(answer, model.uncomment(token, on.id, id));
    },
    always,
  ),
];
