/**
 * Finds proposals by the words of their titles. `proposals.words` are the words that the Worker extracts from a title
 * (model/words.ts); triggers keep the index `proposal_words` in the transaction of the write. A search reads a bounded number of
 * rows, however many titles there are.
 */
import { searchTerms, titleWords } from "../../model/words.ts";

/** A search reads this many rows of words, the same number for each word: those of the newest proposals that have it. */
const READ_AT_MOST = 120;
const OF_A_WORD_AT_MOST = 50;
/** A search of the team reads this many, the same number for each word and idea bank. */
const READ_BY_TEAM_AT_MOST = 2_400;
const OF_A_WORD_BY_TEAM_AT_MOST = 200;
/** Of these, the ones with the rarest words are candidates; for the team, before them, the ones with most words of the search. A filter is applied to them. */
const CANDIDATES = 40;
/** A search has one page. */
export const FOUND_AT_MOST = 20;
export const SIMILAR_AT_MOST = 5;
/** A proposal that matches a smaller share of the search is left out. */
const SHARE = 0.25;
/** A word in no title weighs as much as a word in this many titles, because no proposal can be blamed for lacking it. */
const UNKNOWN = 4;
/**
 * One shared word makes titles similar if at most this many titles have it. In an idea bank of fewer than `MANY` titles every word
 * is rare, so there a short word must be rarer: one title in 25 may have it.
 */
const RARE = 2;
const MANY = 50;
/** The length of an identifier in a JSON array. */
const ITEM = 15;

/** The rows of words that are searched: of proposals in the panelists' lists (1), of the others (0), or both. */
type Listed = "1" | "0" | "0, 1";
/** Candidates by their words, or from a few known ones: `among` is a SELECT of `id`. */
type From = { readonly listed: Listed } | { readonly among: string };

/** A search as an SQL fragment, with the values that it needs. */
export type Search = ReturnType<typeof searchFor>;

/**
 * D1 also counts the rows that a statement reads from JSON and from its own sorting. So all candidates are in one row, and words
 * are compared as text. `banks`: how many the JSON array `:ideaBankIds` has, for the team; otherwise it is `:ideaBankId`.
 */
export function searchFor(text: string, banks?: number) {
  const terms = searchTerms(text);
  const isOfOne = banks === undefined;
  const ofAWord = isOfOne
    ? Math.min(OF_A_WORD_AT_MOST, Math.floor(READ_AT_MOST / Math.max(1, terms.length)))
    : Math.min(OF_A_WORD_BY_TEAM_AT_MOST, Math.floor(READ_BY_TEAM_AT_MOST / banks / Math.max(1, terms.length)));
  const bank = isOfOne ? ":ideaBankId" : "bank.value";
  const values = terms.flatMap(([word, low, tells], term) => [
    [`word${term}`, word],
    [`low${term}`, low],
    [`tells${term}`, tells],
    ...[1, 2].map((letters) => [`less${letters}of${term}`, withoutLast(word, letters)]),
    [`high${term}`, `${low}\u{10ffff}`],
  ]);
  /** Half of the candidates are listed proposals and half are not, so that neither kind hides the other. */
  const lookUp = (listed: Listed, condition: string) => {
    const kinds = listed.split(", ");
    const ofAKind = Math.floor(ofAWord / kinds.length);
    const ofKinds = kinds.map(
      (kind) => `SELECT proposal_id FROM (SELECT proposal_id FROM proposal_words
       WHERE idea_bank_id = ${bank} AND listed = ${kind} AND ${condition} LIMIT ${ofAKind})`,
    );
    return `SELECT proposal_id FROM (${ofKinds.join(" UNION ALL ")})`;
  };
  /** The word itself comes first, then two ranges around it. Neither reads past its rows, which can be many. */
  const newestOfBank = (listed: Listed, term: number) =>
    `(SELECT group_concat('"' || proposal_id || '"') FROM (${lookUp(listed, `word = :word${term}`)}
      UNION ALL ${lookUp(listed, `word >= :low${term} AND word < :word${term}`)}
      UNION ALL ${lookUp(listed, `word > :word${term} AND word < :high${term}`)} LIMIT ${ofAWord}))`;
  const newest = (listed: Listed, term: number) =>
    isOfOne
      ? newestOfBank(listed, term)
      : `(SELECT group_concat(ids) FROM (SELECT ${newestOfBank(listed, term)} AS ids FROM json_each(:ideaBankIds) bank))`;
  const each = (sql: (term: number) => string, between: string, none: string) =>
    terms.map((_, term) => sql(term)).join(between) || none;
  const weight = (term: number) =>
    `:tells${term} * ln(1.0 + ${ofAWord * (banks ?? 1)}.0 / (coalesce(length(ids${term}) + 1, ${UNKNOWN} * ${ITEM}) / ${ITEM}))`;
  /** A word with the same beginning counts half. */
  const match = (term: number) =>
    `iif(instr(p.words, '"' || :word${term} || '"'), 1.0, iif(instr(p.words, '"' || :low${term}), 0.5, 0.0))`;
  const score = `(${each((term) => `${weight(term)} * ${match(term)}`, " + ", "0")}) / (${each(weight, " + ", "1")})`;
  /** Also without an ending: "buses" and "bus". */
  const matches = (term: number) =>
    `(instr(p.words, '"' || :low${term}) OR instr(p.words, '"' || :less1of${term} || '"') OR instr(p.words, '"' || :less2of${term} || '"'))`;
  const isRare = (term: number) =>
    `coalesce(length(ids${term}) + 1, 0) / ${ITEM} <= iif(:tells${term} = 1, ${RARE}, titles / ${MANY / RARE})`;
  /** A proposal that shares only a common word with the search is not similar, unless its title has no other word. */
  const isSimilar = `(${each(matches, " + ", "0")} >= min(2, json_array_length(p.words))
    OR ${each((term) => `${matches(term)} AND ${isRare(term)}`, " OR ", "0")})`;
  const titles = `(SELECT count(*) FROM (SELECT 1 FROM proposals WHERE idea_bank_id = :ideaBankId AND visibility = 'public'
    AND duplicate_of IS NULL LIMIT ${MANY}))`;
  const idsOf = (from: From, term: number) => ("listed" in from ? newest(from.listed, term) : "NULL");
  const rarestFirst = `(SELECT group_concat(value ORDER BY length(value)) FROM found
    CROSS JOIN json_each(json_array(${each((term) => `ids${term}`, ", ", "")})))`;
  const candidates = isOfOne
    ? `SELECT DISTINCT value AS id FROM (
    SELECT value FROM json_each('[' || ${rarestFirst} || ']') LIMIT ${CANDIDATES})`
    : `SELECT value AS id FROM json_each('[' || ${rarestFirst} || ']')
    GROUP BY value ORDER BY count(*) DESC, min(key) LIMIT ${CANDIDATES}`;
  return {
    values: Object.fromEntries(values),
    /**
     * A SELECT of `id, sort_key, bytes`: the best match first, then the latest activity. (The share is counted in 900ths, so that
     * the key fits into a JavaScript number.) `condition` is about the proposal `p`. `similar`: only titles that are similar.
     */
    select: (
      from: From,
      {
        bytes,
        condition,
        similar = false,
      }: { readonly bytes: string; readonly condition: string; readonly similar?: boolean | undefined },
    ) =>
      `WITH found AS MATERIALIZED (SELECT ${similar ? titles : 0} AS titles, ${each((term) => `${idsOf(from, term)} AS ids${term}`, ", ", "1")})
       SELECT p.id AS id, CAST(900 * ${score} AS INTEGER) * 10000000000000 + p.last_activity_at AS sort_key, ${bytes} AS bytes
       FROM found CROSS JOIN (${"listed" in from ? candidates : from.among}) candidate CROSS JOIN proposals p ON p.id = candidate.id
       WHERE ${isOfOne ? "p.idea_bank_id = :ideaBankId AND " : ""}${condition} AND ${score} >= ${SHARE} ${similar ? `AND ${isSimilar}` : ""}`,
  };
}

/** The word without its last letters, if at least three stay. */
const withoutLast = (word: string, letters: number): string =>
  word.length >= 3 + letters ? word.slice(0, -letters) : word;

/** For an UPDATE: sets the words of `:title`, if there is one. */
export const SET_WORDS = "words = coalesce(:words, words)";
/** The value `words` for SET_WORDS and for an INSERT. */
export const wordsOf = (title: string | undefined) => ({ words: title === undefined ? undefined : titleWords(title) });
