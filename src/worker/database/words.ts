/**
 * Proposals found by the words of their titles. `proposals.words` is what the Worker makes of a title (model/words.ts); triggers keep its
 * index `proposal_words` in the transaction of the write. A search reads a bounded number of rows, however many titles there are.
 */
import { searchTerms, titleWords } from "../model/words.ts";

/** So many rows of words are read for a search, the same number of each word: of the newest proposals that have it. */
const READ_AT_MOST = 120;
const OF_A_WORD_AT_MOST = 50;
/** Of those with the rarest words: a filter picks among them. */
const CANDIDATES = 40;
/** A search has one page. */
export const FOUND_AT_MOST = 20;
export const SIMILAR_AT_MOST = 5;
/** What has a smaller share of what is looked for does not fit. */
const SHARE = 0.25;
/** A word that no title has weighs as one that so many have: nobody can be refused for it. */
const UNKNOWN = 4;
/** The length of an identifier as an item of a JSON array. */
const ITEM = 15;

/** Which rows of words are looked up: those of the proposals in the panelists' lists, those of the others, or both. */
export type Listed = "1" | "0" | "0, 1";
/** Candidates by their words, or `among` few that are known: a SELECT of `id`. */
type From = { readonly listed: Listed } | { readonly among: string };

/** A search, as a fragment of SQL and the values that it needs. */
export type Search = ReturnType<typeof searchFor>;

/** D1 counts what a statement reads of JSON and of its own sorting, too: so one row has what was found, and words are compared as text. */
export function searchFor(text: string) {
  const terms = searchTerms(text);
  const ofAWord = Math.min(OF_A_WORD_AT_MOST, Math.floor(READ_AT_MOST / Math.max(1, terms.length)));
  const values = terms.flatMap(([word, low, tells], term) => [
    [`word${term}`, word],
    [`low${term}`, low],
    [`tells${term}`, tells],
    [`high${term}`, `${low}\u{10ffff}`],
  ]);
  /** Of those that are listed and those that are not, as many: many of the one hide none of the other. */
  const lookUp = (listed: Listed, condition: string) => {
    const kinds = listed.split(", ");
    const ofAKind = Math.floor(ofAWord / kinds.length);
    const ofKinds = kinds.map(
      (kind) => `SELECT proposal_id FROM (SELECT proposal_id FROM proposal_words
       WHERE idea_bank_id = :ideaBankId AND listed = ${kind} AND ${condition} LIMIT ${ofAKind})`,
    );
    return `SELECT proposal_id FROM (${ofKinds.join(" UNION ALL ")})`;
  };
  /** The word itself first. Two ranges beside it: none reads past its rows, which can be many. */
  const newest = (listed: Listed, term: number) =>
    `(SELECT group_concat('"' || proposal_id || '"') FROM (${lookUp(listed, `word = :word${term}`)}
      UNION ALL ${lookUp(listed, `word >= :low${term} AND word < :word${term}`)}
      UNION ALL ${lookUp(listed, `word > :word${term} AND word < :high${term}`)} LIMIT ${ofAWord}))`;
  const each = (sql: (term: number) => string, between: string, none: string) =>
    terms.map((_, term) => sql(term)).join(between) || none;
  const weight = (term: number) =>
    `:tells${term} * ln(1.0 + ${ofAWord}.0 / (coalesce(length(ids${term}) + 1, ${UNKNOWN} * ${ITEM}) / ${ITEM}))`;
  /** A word that begins as the one that is looked for counts half. */
  const match = (term: number) =>
    `iif(instr(p.words, '"' || :word${term} || '"'), 1.0, iif(instr(p.words, '"' || :low${term}), 0.5, 0.0))`;
  const score = `(${each((term) => `${weight(term)} * ${match(term)}`, " + ", "0")}) / (${each(weight, " + ", "1")})`;
  const idsOf = (from: From, term: number) => ("listed" in from ? newest(from.listed, term) : "NULL");
  const rarestFirst = `(SELECT group_concat(value ORDER BY length(value)) FROM found
    CROSS JOIN json_each(json_array(${each((term) => `ids${term}`, ", ", "")})))`;
  const candidates = `SELECT DISTINCT value AS id FROM (
    SELECT value FROM json_each('[' || ${rarestFirst} || ']') LIMIT ${CANDIDATES})`;
  return {
    values: Object.fromEntries(values),
    /**
     * A SELECT of `id, sort_key, bytes`: the largest share of what is looked for first, then what was active last. (Of 900, the
     * key is a number that JavaScript can hold.) `condition` is on the proposal `p`.
     */
    select: (from: From, bytes: string, condition: string) =>
      `WITH found AS MATERIALIZED (SELECT ${each((term) => `${idsOf(from, term)} AS ids${term}`, ", ", "1")})
       SELECT p.id AS id, CAST(900 * ${score} AS INTEGER) * 10000000000000 + p.last_activity_at AS sort_key, ${bytes} AS bytes
       FROM found CROSS JOIN (${"listed" in from ? candidates : from.among}) candidate CROSS JOIN proposals p ON p.id = candidate.id
       WHERE p.idea_bank_id = :ideaBankId AND ${condition} AND ${score} >= ${SHARE}`,
  };
}

/** For an UPDATE: the words of `:title`, if there is one. */
export const SET_WORDS = "words = coalesce(:words, words)";
/** `words` for it, and for an INSERT. */
export const wordsOf = (title: string | undefined) => ({ words: title === undefined ? undefined : titleWords(title) });
