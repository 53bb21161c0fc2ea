/** Sends the parts of a file, as often as it takes. */
import type { Idea } from "../ideas.ts";
import type { Part, SentRow } from "./parts.ts";

/** What became of a row: `new`, `here`, or why it is neither. */
export type Outcome = string;
export const [NEW, HERE] = ["new", "here"] as const;

/** Faults of a row, by the words of the server. */
const FAULTS: Readonly<Record<string, string>> = {
  "author-deleted": "its author is still being deleted: import the file again in a few minutes",
  "author-blocked": "its author is blocked: unblock them, then import the file again",
  "in-part": "the idea is here, but votes and comments by blocked people were left out",
};

/** The idea exists, whether or not all of the row was imported. */
export const isThere = (outcome: Outcome | undefined): boolean =>
  outcome === NEW || outcome === HERE || outcome === FAULTS["in-part"];

/** It stops, and can go on later from where it is. The message says why. */
export class Stopped extends Error {}

/** For a request without an answer, or with a 5xx. The limit is waited for as often as it comes. */
const ATTEMPTS = 6;
const LONGEST_WAIT_SECONDS = 30;

type Sender = {
  readonly url: string;
  readonly board: string;
  readonly file: string;
  readonly signal: AbortSignal;
  readonly say: (waits: string) => void;
};

type Refusal = { readonly status: number; readonly error: string; readonly detail: string };

const wait = (seconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, seconds * 1_000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** The answer, or why this request is refused for good. Throws Stopped. */
async function post<Answer extends object>(body: object, { url, signal, say }: Sender): Promise<Answer | Refusal> {
  for (let attempt = 1; ; attempt += 1) {
    if (signal.aborted) throw new Stopped("Stopped. What was imported stays.");
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal,
    }).catch(() => undefined);
    const answer = (await response?.json().catch(() => undefined)) as (Answer & Partial<Refusal>) | undefined;
    if (response?.ok && answer !== undefined) return answer;
    const status = response?.status ?? 0;
    const { error = "", detail = "" }: Partial<Refusal> = answer ?? {};
    const after = Number(response?.headers.get("Retry-After")) || 0;
    if (status === 401 || status === 403 || error === "quota-exceeded")
      throw new Stopped(detail || "You are signed out. Sign in again, then open this page.");
    if (status === 429) {
      attempt = 0;
      say(`You can send so much in a minute. It goes on in ${after} seconds.`);
    } else if (status > 0 && status < 500 && !(status === 409 && after > 0)) return { status, error, detail };
    else if (attempt === ATTEMPTS)
      throw new Stopped(status === 0 ? "There is no connection to the server." : "The server does not answer.");
    await wait(after || Math.min(2 ** attempt, LONGEST_WAIT_SECONDS), signal);
    say("");
  }
}

const isRefusal = (answer: object): answer is Refusal => "detail" in answer;

/** The outcome of each row. What is refused together is sent again one by one: the fault is that row's, and the others go on. */
export async function sendPart({ people, rows }: Part, sender: Sender): Promise<readonly Outcome[]> {
  const { board, file } = sender;
  const answer = await post<{ readonly rows: readonly string[] }>(
    { board, file, ...(people.length > 0 && { people }), rows },
    sender,
  );
  if (!isRefusal(answer)) return answer.rows.map((is) => FAULTS[is] ?? is);
  if (answer.status === 404) throw new Stopped("The board was deleted in the meantime.");
  if (rows.length === 1) return [answer.detail || `the server answered ${answer.status}`];
  const outcomes: Outcome[] = [];
  for (const row of rows) outcomes.push(...(await sendPart({ people: peopleOf(row, people), rows: [row] }, sender)));
  return outcomes;
}

const peopleOf = (row: SentRow, people: Part["people"]) => {
  const ids = new Set([row.author, ...row.voters, ...row.comments.map(({ author }) => author)]);
  return people.filter(({ externalId }) => ids.has(externalId));
};

/** Undefined, or why it could not be merged. */
export async function sendMerge({ externalId, duplicateOf }: Idea, sender: Sender): Promise<string | undefined> {
  const answer = await post<object>({ board: sender.board, merge: externalId, into: duplicateOf }, sender);
  return isRefusal(answer) ? `not merged: ${answer.detail}` : undefined;
}
