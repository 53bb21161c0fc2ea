/** What the demo account holds: `demo.json`, checked by the API's own rules. A transit company asks its riders. */
import * as z from "zod/mini";
import { ProposalStatus, Visibility } from "../../worker/model/proposal.ts";
import { NewSurvey } from "../../worker/model/survey.ts";
import { Tags } from "../../worker/model/tag.ts";
import { Description, integer, Name, prose, Title } from "../../worker/model/text.ts";
import demo from "./demo.json" with { type: "json" };

/** A prime, so that walking over the panelists in steps meets each of them once. Most have no name. */
export const PANELISTS = 263;

/** `by: "tenant"` is the transit company. Without a name a panelist is shown without one. */
const Comment = z.strictObject({ by: z.nullable(z.string()), text: prose({ min: 1, max: 10_000 }) });

/** By a member. `daysAgo`: before the first start. */
const Act = { by: z.string(), daysAgo: z.number() };

/** What the team alone sees of an idea, and how it came to its status. Oldest first. */
const Inside = z.strictObject({
  assignee: z.string(),
  privateTags: Tags,
  notes: z.array(z.strictObject({ ...Act, text: prose({ min: 1, max: 10_000 }) })),
  /** Each leads to the next status. The last one's is the idea's, and comes with its response. */
  decisions: z.array(z.strictObject({ ...Act, status: ProposalStatus })),
});

const Idea = z.strictObject({
  title: Title,
  description: Description,
  status: ProposalStatus,
  /** Days between its last activity and the first start. */
  daysAgo: z.number(),
  /** The number of panelists who vote for it. */
  votes: integer(0, PANELISTS),
  tags: z.optional(Tags),
  visibility: z._default(Visibility, "public"),
  /** The title of the one that it was merged into. */
  mergedInto: z.optional(Title),
  author: z.optional(z.string()),
  response: z.optional(prose({ min: 1, max: 10_000 })),
  /** Oldest first. */
  comments: z._default(z.array(Comment), []),
  inside: z.optional(Inside),
});
export type DemoIdea = z.infer<typeof Idea>;

const Asked = z.strictObject({
  survey: NewSurvey,
  /** Days between its opening and the first start. */
  daysAgo: z.number(),
  /** Of as many panelists. */
  responses: integer(0, PANELISTS),
  /** What is written in answer to text questions, and instead of options, in turn. */
  texts: z.array(z.string()),
  others: z.array(z.string()),
});
export type DemoSurvey = z.infer<typeof Asked>;

const Demo = z.strictObject({
  /** Its name. */
  ideaBank: Name,
  /** The account's members by name, its creator first. */
  team: z.array(Name),
  surveys: z.array(Asked),
  /** The first is the panelist of the demo token, whose texts can be edited and deleted in the board. */
  names: z.array(Name),
  ideas: z.array(Idea),
});

/** Throws when the file is not as above, or names a person or an idea that it does not have. */
export function readDemo(content: unknown = demo) {
  const read = Demo.parse(content);
  const people = new Set([...read.names, "tenant"]);
  const team = new Set(read.team);
  const titles = new Set(read.ideas.map(({ title }) => title));
  if (titles.size < read.ideas.length) throw new Error("demo.json has a title twice");
  for (const { title, author, mergedInto, comments, inside, status } of read.ideas) {
    const { assignee, notes = [], decisions = [] } = inside ?? {};
    const other = [assignee, ...[...notes, ...decisions].map(({ by }) => by)].find((name) => name && !team.has(name));
    if (other) throw new Error(`demo.json: "${title}" has ${other} inside, who is not in "team"`);
    if (inside && decisions.at(-1)?.status !== status)
      throw new Error(`demo.json: the last decision of "${title}" is not its status`);
    const stranger = [author, ...comments.map(({ by }) => by)].find((name) => name && !people.has(name));
    if (stranger) throw new Error(`demo.json: "${title}" is by ${stranger}, who is not in "names"`);
    if (mergedInto && !titles.has(mergedInto))
      throw new Error(`demo.json: "${title}" is merged into "${mergedInto}", which is not there`);
  }
  return read;
}
