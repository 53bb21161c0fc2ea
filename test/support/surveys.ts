/** A panel with surveys, for their tests. */
import { createPanel, type Panelist } from "./panel.ts";
import type { IdeaBankOptions } from "./world.ts";

export const QUESTIONS = [
  {
    ...{ id: "recommend", kind: "scale", title: "Would you recommend us?", from: 0, to: 10, nps: true },
    required: true,
  },
  {
    ...{ id: "why", kind: "text", title: "What is missing?", long: true },
    showIf: { question: "recommend", anyOf: [0, 1, 2, 3, 4, 5, 6] },
  },
  {
    ...{ id: "next", kind: "choice", title: "Which comes first?", other: true },
    options: [
      { id: "dark", label: "Dark mode" },
      { id: "night", label: "Night buses" },
    ],
  },
  {
    ...{ id: "uses", kind: "choices", title: "What do you use?", atMost: 2 },
    options: [
      { id: "map", label: "The map" },
      { id: "tickets", label: "Tickets" },
      { id: "none", label: "None of these", exclusive: true },
    ],
  },
];

type Results = {
  readonly responses: number;
  readonly shown: number;
  readonly complete: boolean;
  readonly questions: readonly {
    readonly id: string;
    readonly answered: number;
    readonly skipped: number;
    readonly notShown: number;
    readonly mean?: number | null;
    readonly nps?: unknown;
    readonly other?: number;
    readonly options?: readonly { readonly id: string; readonly count: number }[];
    readonly points?: readonly { readonly value: number; readonly count: number }[];
  }[];
};

export async function createSurveyPanel(options: IdeaBankOptions = {}) {
  const panel = await createPanel({ status: "OPEN", ...options });
  const { tenant, bank } = panel;
  const survey = async (fields: object = {}): Promise<string> => {
    const body = { ideaBankId: bank.id, title: "A survey", status: "OPEN", questions: QUESTIONS, ...fields };
    const response = await tenant.send("POST", "/tenant/surveys", body);
    if (response.status !== 201) throw new Error(await response.text());
    return (await response.json<{ id: string }>()).id;
  };
  const change = (id: string, changes: object) => tenant.send("PATCH", `/tenant/surveys/${id}`, changes);
  const read = async <Body>(below: string) => (await tenant.send("GET", `/tenant/surveys/${below}`)).json<Body>();
  return {
    ...panel,
    survey,
    change,
    read,
    results: (id: string) => read<Results>(`${id}/results`),
    close: (id: string) => change(id, { status: "CLOSED" }),
  };
}

export const answer = (
  panelist: Pick<Panelist, "send">,
  id: string,
  answers: object,
  headers: Record<string, string> = {},
): Promise<Response> => panelist.send("PUT", `/surveys/${id}/response`, { answers }, headers);

/** The status and the code of a problem, or the status and the body. */
export async function outcomeOf(response: Response): Promise<readonly [number, unknown]> {
  const text = await response.text();
  const body: unknown = text === "" ? null : JSON.parse(text);
  const isProblem = typeof body === "object" && body !== null && "error" in body;
  return [response.status, isProblem ? body.error : body];
}
