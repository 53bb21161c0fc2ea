/** An owner with an open board and its surveys, and the people who vote and answer. */
import { env } from "cloudflare:workers";
import type { Survey } from "../../src/worker/model/survey.ts";
import { createOwner } from "./owner.ts";

export type SurveyDesk = Awaited<ReturnType<typeof createSurveyDesk>>;
type Person = { readonly token: string; readonly panelistId: string; readonly externalId: string };

export async function createSurveyDesk() {
  const owner = createOwner(undefined, env);
  const { key } = await owner.create();
  async function tenant<Answer = { id: string }>(method: string, path: string, body?: object): Promise<Answer> {
    const headers = { "X-API-Key": key, "Content-Type": "application/json" };
    const response = await owner.isolate.request(`/tenant${path}`, {
      ...{ method, headers },
      body: body ? JSON.stringify(body) : null,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text || "{}");
  }
  const { id: boardId } = await tenant("POST", "/ideabanks", { name: "Riverline", status: "OPEN" });
  const ideas = `/ideabanks/${boardId}/proposals`;

  const person = async (): Promise<Person> => {
    const externalId = `person-${crypto.randomUUID()}`;
    const body = { externalId, displayName: `Robin ${externalId.slice(-4)}` };
    return { externalId, ...(await tenant<Omit<Person, "externalId">>("POST", `/ideabanks/${boardId}/tokens`, body)) };
  };
  return {
    ...{ owner, boardId, tenant, person },
    survey: (id: string) => tenant<Survey>("GET", `/surveys/${id}`),
    change: (id: string, changes: object) => tenant<Survey>("PATCH", `/surveys/${id}`, changes),
    /** An open survey of the board. */
    create: async (fields: object) =>
      (await tenant("POST", "/surveys", { title: "Buses at night", ideaBankId: boardId, status: "OPEN", ...fields }))
        .id,
    idea: async (title: string, { voters = 0 } = {}) => {
      const { id } = await tenant("POST", ideas, { title });
      for (let count = 0; count < voters; count++)
        await tenant("PUT", `${ideas}/${id}/votes/${(await person()).panelistId}`);
      return id;
    },
    answer: async (id: string, answers: object, { token }: Pick<Person, "token">) => {
      const response = await owner.isolate.request(`/surveys/${id}/response`, {
        method: "PUT",
        headers: { Authorization: token, "Content-Type": "application/json" },
        body: JSON.stringify({ answers }),
      });
      if (!response.ok) throw new Error(`PUT response: ${response.status} ${await response.text()}`);
    },
  };
}
