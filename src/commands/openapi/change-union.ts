/**
 * `Change` as a union: each kind names the members that it always has, so that a generated client does not ask for the
 * `proposalId` of a comment's change. The last member takes every type, because types can be added.
 */
import { CHANGE_TYPES, type ChangeType } from "../../worker/model/change.ts";
import type { JsonSchema } from "./schemas.ts";

/** By the first word of a type: the members that always exist, and those that may. */
const KINDS = {
  proposal: { name: "ProposalChange", always: ["ideaBankId", "proposalId", "proposal"], also: ["panelistId"] },
  comment: {
    name: "CommentChange",
    always: ["ideaBankId", "proposalId", "commentId", "proposal", "comment"],
    also: ["panelistId"],
  },
  panelist: { name: "PanelistChange", always: ["panelistId"], also: ["panelist"] },
  ideabank: { name: "IdeaBankChange", always: ["ideaBankId", "ideaBank"], also: [] },
  survey: { name: "SurveyChange", always: ["surveyId"], also: ["survey"] },
} as const;
const EVERY = ["type", "at", "by"];

/** The name of the schema of a type's changes. */
export const changeKindOf = (type: ChangeType): string =>
  Object.entries(KINDS).find(([word]) => type.startsWith(`${word}.`))?.[1].name ?? "OtherChange";

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The schemas with the union in the place of `Change`. */
export function withChangeUnion({ Change, ...schemas }: Record<string, JsonSchema>): Record<string, JsonSchema> {
  if (Change?.properties === undefined) throw new Error("there is no schema Change");
  const fields = Change.properties;
  const pick = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, fields[name] ?? {}]));
  const kinds = Object.entries(KINDS).map(([word, { name, always, also }]) => {
    const types = CHANGE_TYPES.filter((type) => type.startsWith(`${word}.`));
    const { examples: _, ...type } = fields.type ?? {};
    const properties = { ...pick([...EVERY, ...always, ...also]), type: { ...type, enum: types } };
    return [name, { type: "object", properties, required: [...EVERY, ...always] }] as const;
  });
  const other = { type: "object", properties: pick(EVERY), required: EVERY };
  return {
    ...schemas,
    ...Object.fromEntries(kinds),
    OtherChange: { ...other, description: "A change of a type that was added later: ignore it." },
    Change: { anyOf: [...kinds.map(([name]) => reference(name)), reference("OtherChange")] },
  };
}
