/** An idea bank whose people answer surveys, asked only over HTTP. Nothing here knows how surveys are kept. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { createIsolate } from "../support/isolate.ts";
import { withoutLimits } from "../support/limits.ts";
import { createPanel, type Panelist, sendWith } from "../support/panel.ts";
import type { IdeaBankOptions } from "../support/world.ts";
import { createLooseIsolate } from "./loose-isolate.ts";
import type { Answers, Question, Results } from "./recount.ts";

export type Json = Record<string, unknown>;
export type Survey = Json & {
  id: string;
  ideaBankId: string | null;
  title: string;
  status: string;
  questions: (Question & Json)[];
  responses: number;
  openedAt: string | null;
  createdAt: string;
  updatedAt: string;
};
export type Stored = { answers: Answers; createdAt: string; updatedAt: string; revision: number | string };
export type Listed = { panelistId: string; answers: Answers; createdAt: string; updatedAt: string };
export type Change = Json & { type: string; surveyId?: string; panelistId?: string; response?: Json | null };
export type Text = { text: string; panelistId?: string; createdAt?: string };

export const SURVEYS = "/surveys";
export const TENANT_SURVEYS = "/tenant/surveys";

/** The survey of the design: a scale, a text that hangs on it, a choice and several choices. */
export const DESIGNED: Question[] = [
  { id: "recommend", kind: "scale", title: "Would you recommend us?", from: 0, to: 10, nps: true, required: true },
  {
    id: "why",
    kind: "text",
    title: "What is missing?",
    long: true,
    showIf: { question: "recommend", anyOf: [0, 1, 2, 3, 4, 5, 6] },
  },
  {
    id: "next",
    kind: "choice",
    title: "Which comes first?",
    options: [
      { id: "dark", label: "Dark mode" },
      { id: "night", label: "Night buses" },
    ],
    other: true,
  },
  {
    id: "uses",
    kind: "choices",
    title: "What do you use?",
    options: [
      { id: "map", label: "The map" },
      { id: "tickets", label: "Tickets" },
      { id: "alerts", label: "Alerts" },
      { id: "lost", label: "Lost and found" },
    ],
    atLeast: 0,
    atMost: 3,
  },
];

/** One scale that has to be answered: the smallest survey. */
export const SCALE: Question[] = [{ id: "q", kind: "scale", title: "How was it?", from: 1, to: 5, required: true }];

export const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
export const inFuture = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();

export type Scene = Awaited<ReturnType<typeof createScene>>;

export async function createScene(options: IdeaBankOptions = {}, isolate = createLooseIsolate(withoutLimits(env))) {
  const panel = await createPanel(options, isolate);
  const { tenant, bank } = panel;

  const json = async <Body>(answer: Response, status = 200): Promise<Body> => {
    const text = await answer.text();
    expect([answer.status, text], text).toEqual([status, text]);
    return JSON.parse(text) as Body;
  };
  const ask = async <Body>(method: string, path: string, body?: unknown, status = 200) =>
    json<Body>(await tenant.send(method, path, body), status);

  const pages = async <Item>(path: string): Promise<Item[]> => {
    const items: Item[] = [];
    let cursor: string | undefined;
    do {
      const query = `${path.includes("?") ? "&" : "?"}limit=100${cursor === undefined ? "" : `&cursor=${cursor}`}`;
      const page = await ask<{ items: Item[]; nextCursor?: string }>("GET", path + query);
      items.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return items;
  };

  const create = (fields: Json = {}) =>
    ask<Survey>("POST", TENANT_SURVEYS, { title: "Rides", ideaBankId: bank.id, questions: DESIGNED, ...fields }, 201);
  const patch = (id: string, fields: Json) => tenant.send("PATCH", `${TENANT_SURVEYS}/${id}`, fields);
  const change = async (id: string, fields: Json) => json<Survey>(await patch(id, fields));

  return {
    ...panel,
    json,
    ask,
    pages,
    create,
    patch,
    change,
    /** A token for the person with this id in the tenant's system. */
    issue: async (externalId: string) => {
      const issued = await panel.tenant.send("POST", `/tenant/ideabanks/${panel.bank.id}/tokens`, { externalId });
      return issued.json<{ token: string; panelistId: string }>();
    },
    /** A survey that is open. */
    open: async (fields: Json = {}) => {
      const { id } = await create(fields);
      return change(id, { status: "OPEN" });
    },
    close: (id: string) => change(id, { status: "CLOSED" }),
    read: (id: string) => ask<Survey>("GET", `${TENANT_SURVEYS}/${id}`),
    results: (id: string, query = "") => ask<Results>("GET", `${TENANT_SURVEYS}/${id}/results${query}`),
    responses: (id: string, query = "") => pages<Listed>(`${TENANT_SURVEYS}/${id}/responses${query}`),
    texts: (id: string, question: string) => pages<Text>(`${TENANT_SURVEYS}/${id}/texts?question=${question}`),
    changes: async () => {
      const items: Change[] = [];
      let after = "";
      for (;;) {
        const page = await ask<{ items: Change[]; nextCursor: string }>("GET", `/tenant/changes?limit=100${after}`);
        if (page.items.length === 0) return items;
        items.push(...page.items);
        after = `&after=${page.nextCursor}`;
      }
    },
    people: (count: number) => Promise.all(Array.from({ length: count }, () => panel.panelist())),
    /** As the same person through an isolate that remembers nothing. */
    anew: (person: Pick<Panelist, "token">) => sendWith(createIsolate(withoutLimits(env)), person.token),
  };
}

type Sender = Pick<Panelist, "send">;

export const pathOf = (surveyId: string) => `${SURVEYS}/${surveyId}`;
export const responseOf = (surveyId: string) => `${SURVEYS}/${surveyId}/response`;

export const put = ({ send }: Sender, surveyId: string, answers: unknown, headers: Record<string, string> = {}) =>
  send("PUT", responseOf(surveyId), { answers }, headers);

/** Puts, and it has to be taken. */
export async function answer(person: Sender, surveyId: string, answers: Answers): Promise<Stored> {
  const given = await put(person, surveyId, answers);
  const text = await given.text();
  expect([given.status, text]).toEqual([200, text]);
  return JSON.parse(text) as Stored;
}

export const take = ({ send }: Sender, surveyId: string) => send("DELETE", responseOf(surveyId));

export const own = async ({ send }: Sender, surveyId: string) =>
  (await send("GET", pathOf(surveyId))).json<Json & { response: Stored | null }>();

export const offered = async ({ send }: Sender) =>
  (await (await send("GET", SURVEYS)).json<{ items: (Json & { id: string; answered: boolean })[] }>()).items;

export type Fault = { path: string; message: string };
/** The status, the code, and the paths of an answer that refuses. */
export async function refusal(
  answer: Response,
): Promise<{ status: number; error: string; paths: string[]; text: string }> {
  const text = await answer.text();
  const { error = "", errors = [] } = JSON.parse(text) as { error?: string; errors?: Fault[] };
  return { status: answer.status, error, paths: errors.map(({ path }) => path), text };
}
