/**
 * The surveys that an isolate has read a moment ago: an answer is judged by its questions before the statement that stores it, which stores
 * nothing if the survey has changed since. So an answer is one round trip where the survey is known, and two where it is not.
 */
import { anonymousPlace, anonymousRespondent } from "../credentials/anonymous-respondent.ts";
import type { KnownSurvey, Respondent, Who } from "../database/surveys/panelist-surveys.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import { hasTexts } from "../model/survey-answers.ts";

/** A salt is forgotten after so many milliseconds, so that a close destroys it here, too. */
const KEPT_MS = 60_000;
const MAX_BYTES = 4_000_000;
const SHARE = 1 / 8;

type Known = { readonly ideaBankId: string; readonly surveys: ReadonlyMap<string, KnownSurvey>; readonly at: number };

const bytesOf = ({ surveys }: Known): number =>
  [...surveys.values()].reduce((bytes, { questions }) => bytes + 500 + 2 * JSON.stringify(questions).length, 500);

export class KnownSurveys {
  /** By idea bank. */
  readonly #known = new BoundedMap<Known>({
    max: MAX_BYTES,
    weigh: bytesOf,
    share: { max: MAX_BYTES * SHARE, ownerOf: ({ ideaBankId }) => ideaBankId },
  });

  #of(ideaBankId: string): ReadonlyMap<string, KnownSurvey> {
    const known = this.#known.get(ideaBankId);
    return known !== undefined && Date.now() - known.at < KEPT_MS ? known.surveys : new Map();
  }

  get(ideaBankId: string, surveyId: string): KnownSurvey | undefined {
    return this.#of(ideaBankId).get(surveyId);
  }

  note(ideaBankId: string, read: readonly KnownSurvey[]): void {
    const known = this.#known.peek(ideaBankId);
    const isFresh = known !== undefined && Date.now() - known.at < KEPT_MS;
    const surveys = new Map(isFresh ? known.surveys : []);
    for (const { id, revision, anonymous, salt, questions } of read)
      surveys.set(id, { id, revision, anonymous, salt, questions });
    this.#known.set(ideaBankId, { ideaBankId, surveys, at: isFresh ? known.at : Date.now() });
  }

  /** The person's hashes for the anonymous surveys that are known. */
  respondents(ideaBankId: string, panelistId: string | null): Promise<readonly Respondent[]> {
    return respondentsOf([...this.#of(ideaBankId).values()], panelistId);
  }
}

export async function respondentsOf(
  surveys: readonly KnownSurvey[],
  panelistId: string | null,
): Promise<readonly Respondent[]> {
  if (panelistId === null) return [];
  return Promise.all(
    surveys.flatMap(({ id, anonymous, salt }) =>
      anonymous && salt !== null
        ? [anonymousRespondent(salt, panelistId).then((respondent) => ({ surveyId: id, respondent }))]
        : [],
    ),
  );
}

/** Undefined for an anonymous survey that is closed: nobody can tell any more which response is whose. */
export async function whoAnswers(
  { anonymous, salt, questions }: KnownSurvey,
  panelistId: string,
): Promise<Who | undefined> {
  if (!anonymous) return { respondent: panelistId, places: undefined };
  if (salt === null) return undefined;
  const places = questions.filter(hasTexts).map(async ({ id }) => ({
    questionId: id,
    place: await anonymousPlace(salt, panelistId, id),
  }));
  return { respondent: await anonymousRespondent(salt, panelistId), places: await Promise.all(places) };
}
