/**
 * Tenants ask, and panelists answer: they change, repeat and take back what they have answered, while the survey is closed, limited or
 * edited, and while people who have answered are deleted.
 */
import { type Actors, type KnownBank, pickFrom } from "../actors.ts";
import type { Command, SurveyDoes } from "../plan.ts";
import { EPOCH } from "../world/globals.ts";
import type { Source } from "../world/random.ts";
import type { Answer } from "../world/world.ts";

type SurveyCommand = Command & { readonly kind: "survey" };
type KnownSurvey = { readonly id: string; readonly bank: KnownBank };
type Sent = { readonly operation: string; readonly method: string; readonly path: string; readonly body?: unknown };
type Invited = { readonly token: string; readonly panelistId: string };
/** What a person has sent last, and the `ETag` that came back. */
type Mine = { readonly answers: object; readonly etag: string | undefined };

const OPTIONS = ["dark", "night", "quiet"];
const QUESTIONS = [
  {
    ...{ kind: "choice", id: "next", title: "Which comes first?", other: true },
    options: OPTIONS.map((id) => ({ id, label: `The ${id} one` })),
  },
  { kind: "scale", id: "how", title: "How is it?", required: true },
  { kind: "text", id: "why", title: "What is missing?", showIf: { question: "how", anyOf: [1, 2] } },
];
/** By external id. The last one only calls, and was never here. */
const PEOPLE = ["asked-0", "asked-1", "asked-2", "asked-3", "asked-4", "asked-5"];
const CALLERS = [...PEOPLE.slice(3), "caller-0"];

export class Surveys {
  readonly #actors: Actors;
  readonly #surveys: KnownSurvey[] = [];
  /** By idea bank and person: the token that its page has, and whose it is. */
  readonly #invited = new Map<string, Invited>();
  /** By survey and person. */
  readonly #mine = new Map<string, Mine>();

  constructor(actors: Actors) {
    this.#actors = actors;
  }

  async perform(source: Source, command: SurveyCommand): Promise<void> {
    if (command.does === "open") return this.#open(source, command);
    const survey = pickFrom(this.#surveys, command.survey);
    if (survey === undefined) return;
    const under: Promise<void>[] = [];
    for (let index = 0; index < command.count; index++) {
      // Those at the same moment meet different isolates.
      const isolate = command.everyMs > 0 ? command.isolate : command.isolate + index;
      under.push(this.#once(source.of(index), survey, index, { ...command, isolate }));
      if (command.everyMs > 0) await this.#actors.world.timeline.sleep(command.everyMs);
    }
    await Promise.all(under);
  }

  #manage(source: Source, bank: KnownBank, sent: Sent, command: SurveyCommand): Promise<Answer | undefined> {
    const key = bank.account.integration;
    if (key === undefined) return Promise.resolve(undefined);
    const headers = { "x-api-key": key.text };
    return this.#actors.send(source, { client: `key ${key.id}`, isolate: command.isolate, headers, ...sent }, command);
  }

  /** At once, or as a draft that opens later. */
  async #open(source: Source, command: SurveyCommand): Promise<void> {
    const { pick, draw, account: index } = command;
    const account = pickFrom(this.#actors.accounts, index);
    const bank = account && pickFrom(account.banks, pick);
    if (bank === undefined) return;
    const isDraft = draw % 4 === 0;
    const body = {
      ...{ ideaBankId: bank.id, title: `Survey ${draw}`, questions: QUESTIONS, status: isDraft ? "DRAFT" : "OPEN" },
      ...((draw >> 2) % 2 === 0 && { maxResponses: 1 + ((draw >> 4) % 2) }),
      ...((draw >> 6) % 5 === 0 && { closesAt: this.#inMs(5_000 + ((draw >> 8) % 40_000)) }),
      ...((draw >> 9) % 5 === 0 && { editable: false }),
      ...((draw >> 12) % 5 === 0 && { anonymous: true }),
    };
    const made = await this.#manage(
      source.of("create"),
      bank,
      { operation: "createSurvey", method: "POST", path: "/tenant/surveys", body },
      command,
    );
    if (made?.status !== 201) return;
    const survey = { id: (made.body as { readonly id: string }).id, bank };
    this.#surveys.push(survey);
    if (isDraft) await this.#change(source.of("open"), survey, { status: "OPEN" }, command);
  }

  #inMs(milliseconds: number): string {
    return new Date(Math.floor(EPOCH + this.#actors.world.timeline.now + milliseconds)).toISOString();
  }

  async #change(source: Source, { id, bank }: KnownSurvey, body: object, command: SurveyCommand): Promise<void> {
    const request = { operation: "updateSurvey", method: "PATCH", path: `/tenant/surveys/${id}`, body };
    await this.#manage(source, bank, request, command);
  }

  async #once(source: Source, survey: KnownSurvey, index: number, command: SurveyCommand): Promise<void> {
    const { bank, id } = survey;
    const { pick } = command;
    const draw = command.draw + index;
    const path = `/tenant/surveys/${id}`;
    const manage = (operation: string, method: string, path: string, body?: unknown) =>
      this.#manage(source, bank, { operation, method, path, ...(body !== undefined && { body }) }, command);
    const change = CHANGES[command.does]?.(draw);
    if (change !== undefined) return this.#change(source, survey, change, command);
    switch (command.does) {
      case "delete":
        await manage("deleteSurvey", "DELETE", path);
        return;
      case "deletePerson": {
        const panelistId = pickFrom(this.#whoHasAnswered(survey), pick);
        if (panelistId !== undefined) await manage("deletePanelist", "DELETE", `/tenant/panelists/${panelistId}`);
        return;
      }
      case "record":
      case "unrecord": {
        const recorded = `${path}/responses/by-external-id/${pickFrom(CALLERS, pick)}`;
        if (command.does === "record")
          await manage("recordSurveyResponse", "PUT", recorded, { answers: answersOf(draw) });
        else await manage("deleteRecordedResponse", "DELETE", recorded);
        return;
      }
      default:
        return this.#ask(source, survey, { index, draw }, command);
    }
  }

  /** A panelist's request. Those at the same moment are of different people, as far as there are some. */
  async #ask(
    source: Source,
    { id, bank }: KnownSurvey,
    { index, draw }: { readonly index: number; readonly draw: number },
    command: SurveyCommand,
  ): Promise<void> {
    const person = pickFrom(PEOPLE, command.pick + index) ?? "";
    // Now and then with a token of another idea bank.
    const place = draw % 19 === 0 ? (pickFrom(bank.account.banks, draw) ?? bank) : bank;
    const token = await this.#tokenOf(source.of("token"), place, person, command);
    if (token === undefined) return;
    const path = `/surveys/${id}`;
    const own = `${id} ${person}`;
    const mine = this.#mine.get(own);
    const send = async (
      operation: string,
      method: string,
      path: string,
      body?: unknown,
      more: Record<string, string> = {},
    ) => {
      const client = `panelist ${bank.account.owner} ${person}`;
      const asked = { client, operation, method, path, isolate: command.isolate, ...(body !== undefined && { body }) };
      const headers = { authorization: token, ...more };
      const answer = await this.#actors.send(source, { ...asked, headers }, command);
      // The page asks its server for another one.
      if (answer?.status === 401) this.#invited.delete(`${place.id} ${person}`);
      return answer;
    };
    switch (command.does) {
      case "look":
        await (draw % 2 === 0 ? send("listOpenSurveys", "GET", "/surveys") : send("getOpenSurvey", "GET", path));
        return;
      case "takeBack":
        await send("deleteResponse", "DELETE", `${path}/response`);
        return;
      case "answer":
      case "repeat": {
        const answers = (command.does === "repeat" && mine?.answers) || answersOf(draw);
        const answer = await send("answerSurvey", "PUT", `${path}/response`, { answers }, conditionOf(mine, draw));
        this.#mine.set(own, { answers, etag: answer?.headers.etag ?? mine?.etag });
      }
    }
  }

  /** As the tenant's page does, which asks its server. */
  async #tokenOf(source: Source, bank: KnownBank, person: string, command: SurveyCommand): Promise<string | undefined> {
    const known = this.#invited.get(`${bank.id} ${person}`);
    if (known !== undefined) return known.token;
    const path = `/tenant/ideabanks/${bank.id}/tokens`;
    const request = { operation: "issueToken", method: "POST", path, body: { externalId: person } };
    const answer = await this.#manage(source, bank, request, { ...command, losesAnswer: undefined });
    if (answer?.status !== 201) return undefined;
    const invited = answer.body as Invited;
    this.#invited.set(`${bank.id} ${person}`, invited);
    return invited.token;
  }

  #whoHasAnswered({ id, bank }: KnownSurvey): readonly string[] {
    return PEOPLE.filter((person) => this.#mine.has(`${id} ${person}`)).flatMap(
      (person) => this.#invited.get(`${bank.id} ${person}`)?.panelistId ?? [],
    );
  }
}

/** What a tenant changes, or undefined where the command changes no survey. */
const CHANGES: Readonly<Partial<Record<SurveyDoes, (draw: number) => object>>> = {
  close: () => ({ status: "CLOSED" }),
  reopen: (draw) => ({ status: "OPEN", ...(draw % 2 === 0 && { maxResponses: null, closesAt: null }) }),
  limit: (draw) => ({ maxResponses: draw % 5 === 0 ? null : 1 + (draw % 3) }),
  retitle: (draw) => ({ title: `Survey ${draw}`, ...(draw % 3 === 0 && { editable: draw % 2 === 0 }) }),
};

/** Now and then without the answer that is required, and mostly with a text, also where nobody is asked for one. */
function answersOf(draw: number): object {
  const other = { other: `Another ${draw % 3}` };
  return {
    ...(draw % 4 > 0 && { next: pickFrom<string | object>([...OPTIONS, other], draw >> 2) }),
    ...(draw % 23 > 0 && { how: 1 + ((draw >> 4) % 5) }),
    ...((draw >> 7) % 3 > 0 && { why: `Because ${draw}` }),
  };
}

/** Most send none, as a form does. */
function conditionOf(mine: Mine | undefined, draw: number): Record<string, string> {
  if ((draw >> 3) % 7 === 0) return { "if-none-match": "*" };
  return (draw >> 3) % 7 === 1 && mine?.etag !== undefined ? { "if-match": mine.etag } : {};
}
