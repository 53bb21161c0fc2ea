/** The surveys of the idea bank, as the element asks for them. */
import type { Answers } from "../../worker/model/survey-answers.ts";
import type { ConsistentConnection } from "../shared/consistent-connection.ts";
import { requestFailure } from "../shared/request-failure.ts";
import type { Listed, Response, Survey } from "./open-survey.ts";

export class Surveys {
  readonly #connection: ConsistentConnection;

  constructor(connection: ConsistentConnection) {
    this.#connection = connection;
  }

  list = async (): Promise<readonly Listed[]> =>
    (await this.#connection.send<{ readonly items: readonly Listed[] }>("/surveys")).body?.items ?? [];

  /** `id` may come from the page. It must be an identifier, because another text could be a path to somewhere else. */
  async read(id: string): Promise<Survey> {
    if (!/^\w+$/.test(id)) throw requestFailure("survey-not-found");
    const { body } = await this.#connection.send<Survey>(`/surveys/${id}`);
    if (!body) throw requestFailure("failed");
    return body;
  }

  /** Fails with `precondition-failed` where the response is no longer the one with the revision `seen`; null: there was none. */
  async answer(id: string, answers: Answers, seen: string | null): Promise<Response> {
    const condition = seen === null ? { "If-None-Match": "*" } : { "If-Match": `"${seen}"` };
    const { body } = await this.#connection.send<Response>(`/surveys/${id}/response`, {
      method: "PUT",
      headers: { "Content-Type": "application/json", ...condition },
      body: JSON.stringify({ answers }),
    });
    if (!body) throw requestFailure("failed");
    return body;
  }

  delete = (id: string) => this.#connection.send(`/surveys/${id}/response`, { method: "DELETE" });
}
