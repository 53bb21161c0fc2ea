/**
 * Finds proposals by the terms of their titles and descriptions (model/words.ts). `words` of a proposal are in the index `proposal_words`;
 * `title_terms` and `text_terms` are in `proposal_terms`. Both keep what panelists see apart, so that nothing else changes what they find.
 * Triggers keep both in the transaction of the write. A search reads a bounded number of rows, however many proposals there are.
 */
import { searchTerms, textTerms, titleTerms, titleWords } from "../../model/words.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { startPosition } from "../slices.ts";

/** A search reads this many rows to find candidates, the same number for each word: of the newest proposals that have it. */
const READ_AT_MOST = 120;
const OF_A_WORD_AT_MOST = 50;
/** A search of the team reads this many, the same number for each word and idea bank. */
const READ_BY_TEAM_AT_MOST = 1_600;
const OF_A_WORD_BY_TEAM_AT_MOST = 200;
/**
 * The first of these many words that nobody has written like this is looked up with a mistake in it; a search of all idea banks takes the first
 * alone. It looks at this many words that are alike but for two letters, and takes those with one mistake.
 */
const [MISSPELLED_AT_MOST, MISSPELLED_OF_ALL_BANKS] = [2, 1];
const ALIKE_AT_MOST = 16;
/** Each place of a mistake reads a row of the search, and one of the index. */
const OF_A_PLACE = 2;
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
 * How much a match counts: a word of the title, its end, its beginning; one without the last letters, with a mistake, or with another ending;
 * then words of the text.
 */
const COUNTS = { word: 1, part: 0.6, shorter: 0.5, misspelled: 0.45, ending: 0.4, text: 0.35, ofText: 0.3 } as const;

/**
 * D1 also counts the rows that a statement reads from JSON and from its own sorting. So all candidates are in one row, and terms
 * are compared as text. `banks`: how many the JSON array `:ideaBankIds` has, for the team; otherwise it is `:ideaBankId`.
 */
export function searchFor(text: string, banks?: number) {
  const terms = searchTerms(text);
  const isOfOne = banks === undefined;
  const misspellable = terms.flatMap(({ misspellings }, term) => {
    const places = Object.keys(misspellings).length;
    return term < (isOfOne ? MISSPELLED_AT_MOST : MISSPELLED_OF_ALL_BANKS) && places > 0
      ? [{ term, rows: OF_A_PLACE * places + ALIKE_AT_MOST }]
      : [];
  });
  const ofMistakes = Math.max(0, ...misspellable.map(({ rows }) => rows));
  const ofAWord = isOfOne
    ? Math.min(OF_A_WORD_AT_MOST, Math.floor((READ_AT_MOST - ofMistakes) / Math.max(1, terms.length)))
    : Math.min(OF_A_WORD_BY_TEAM_AT_MOST, Math.floor(READ_BY_TEAM_AT_MOST / banks / Math.max(1, terms.length)));
  const bank = isOfOne ? ":ideaBankId" : "bank.value";
  const values = terms.flatMap(({ word, beginning, tells, end, misspellings }, term) => [
    [`word${term}`, word],
    [`low${term}`, beginning],
    [`tells${term}`, tells],
    ...[1, 2].map((letters) => [`less${letters}of${term}`, withoutLast(word, letters)]),
    [`end${term}`, end],
    [`misspelled${term}`, JSON.stringify(misspellings)],
  ]);
  /** Half of the candidates are listed proposals and half are not, so that neither kind hides the other. */
  const lookUp = (index: "words" | "terms", listed: Listed, condition: string) => {
    const kinds = listed.split(", ");
    const ofAKind = Math.floor(ofAWord / kinds.length);
    const ofKinds = kinds.map(
      (kind) => `SELECT proposal_id FROM (SELECT proposal_id FROM proposal_${index}
       WHERE idea_bank_id = ${bank} AND listed = ${kind} AND ${condition} LIMIT ${ofAKind})`,
    );
    return `SELECT proposal_id FROM (${ofKinds.join(" UNION ALL ")})`;
  };
  /** The ranges around a word. Neither reads past its rows, which can be many. */
  const below = (column: string, low: string, word: string) => `${column} >= ${low} AND ${column} < ${word}`;
  const above = (column: string, low: string, word: string) => `${column} > ${word} AND ${column} < ${high(low)}`;
  const high = (low: string) => `${low} || char(1114111)`;
  /** The word itself comes first. Words of the text are read where the titles leave room. */
  const newestOfBank = (listed: Listed, term: number) => {
    const [word, low, textual, end] = [`:word${term}`, `:low${term}`, `'=' || :word${term}`, `:end${term}`];
    const title = [`word = ${word}`, below("word", low, word), above("word", low, word)];
    const others = [
      `term >= ${low} AND term < ${high(low)}`,
      ...(terms[term]?.end ? [`term >= ${end} AND term < ${high(end)}`] : []),
    ];
    const ofText = [
      `term = ${textual}`,
      below("term", `'=' || ${low}`, textual),
      above("term", `'=' || ${low}`, textual),
    ];
    const sources = [
      title.map((each) => lookUp("words", listed, each)),
      ...[others, ofText].map((ranges) => ranges.map((each) => lookUp("terms", listed, each))),
    ].map((ranges) => `SELECT proposal_id FROM (${ranges.join(" UNION ALL ")})`);
    return `(SELECT group_concat(DISTINCT '"' || proposal_id || '"') FROM (${sources.join(" UNION ALL ")} LIMIT ${ofAWord}))`;
  };
  const isKnown = (listed: Listed, term: number) =>
    `(EXISTS (${lookUp("words", listed, `word = :word${term}`)})
      OR EXISTS (${lookUp("terms", listed, `term IN (:word${term}, '=' || :word${term})`)}))`;
  /** Nothing where the word itself is known, or one before it is not. */
  const misspelledInBank = (listed: Listed, term: number) => {
    const kinds = listed.split(", ");
    const alike = kinds.map(
      (
        kind,
      ) => `SELECT proposal_id, term, typed FROM (SELECT t.proposal_id, t.term, gap.value AS typed FROM json_each(:misspelled${term}) gap
        CROSS JOIN proposal_terms t ON t.idea_bank_id = ${bank} AND t.listed = ${kind} AND t.term >= gap.key AND t.term < ${high("gap.key")}
        LIMIT ${ALIKE_AT_MOST / kinds.length})`,
    );
    return `(SELECT group_concat(DISTINCT '"' || proposal_id || '"') FROM (${alike.join(" UNION ALL ")})
      WHERE ${isMistake("substr(term, -2, 1)", "substr(term, -1)")} AND NOT ${isKnown(listed, term)} ${misspellable.map((each) => (each.term < term ? `AND ${isKnown(listed, each.term)}` : "")).join("")})`;
  };
  const ofAllBanks = (ofBank: string) =>
    isOfOne ? ofBank : `(SELECT group_concat(ids) FROM (SELECT ${ofBank} AS ids FROM json_each(:ideaBankIds) bank))`;
  const each = (sql: (term: number) => string, between: string, none: string) =>
    terms.map((_, term) => sql(term)).join(between) || none;
  const isMisspelled = (term: number) => misspellable.some((each) => each.term === term);
  const lists = terms.flatMap((_, term) => [`ids${term}`, ...(isMisspelled(term) ? [`misspelled${term}`] : [])]);
  /** A word of which as many were read as may be is as common as a word can be. */
  const commonest = isOfOne
    ? Math.min(OF_A_WORD_AT_MOST, Math.floor((READ_AT_MOST - ofMistakes) / Math.max(1, terms.length)))
    : ofAWord * banks;
  const weight = (term: number) =>
    `:tells${term} * ln(1.0 + ${commonest}.0 / iif(length(ids${term}) + 1 >= ${ofAWord * (banks ?? 1) * ITEM}, ${commonest},
      coalesce(length(ids${term}) + 1, ${UNKNOWN} * ${ITEM}) / ${ITEM}))`;
  const has = (term: string) => `instr(p.terms, '"' || ${term})`;
  const hasWithout = (term: number) => [1, 2].map((letters) => has(`:less${letters}of${term} || '"'`)).join(" OR ");
  const hasMisspelled = (term: number) => (isMisspelled(term) ? `instr(misspelled${term}, p.id)` : "0");
  const hasEnd = (term: number) => (terms[term]?.end ? has(`:end${term}`) : "0");
  const match = (term: number) =>
    [
      [has(`:word${term} || '"'`), COUNTS.word],
      [`${hasEnd(term)} OR ${has(`:word${term}`)}`, COUNTS.part],
      [hasWithout(term), COUNTS.shorter],
      [hasMisspelled(term), COUNTS.misspelled],
      [has(`:low${term}`), COUNTS.ending],
      [has(`'=' || :word${term} || '"'`), COUNTS.text],
      [has(`'=' || :low${term}`), COUNTS.ofText],
    ].reduceRight<string>((others, [condition, counts]) => `iif(${condition}, ${counts}, ${others})`, "0.0");
  const score = `(${each((term) => `${weight(term)} * ${match(term)}`, " + ", "0")}) / (${each(weight, " + ", "1")})`;
  /** Also without an ending: "buses" and "bus". */
  const matches = (term: number) =>
    `(${has(`:low${term}`)} OR ${hasWithout(term)} OR ${hasEnd(term)} OR coalesce(${hasMisspelled(term)}, 0))`;
  const matchesText = (term: number) => `(${matches(term)} OR ${has(`'=' || :low${term}`)})`;
  const isRare = (term: number) =>
    `coalesce(length(ids${term}) + 1, 0) / ${ITEM} <= iif(:tells${term} = 1, ${RARE}, titles / ${MANY / RARE})`;
  /** A proposal that shares only a common word with the search is not similar, unless its title has no other word. */
  const isSimilar = `(${each(matchesText, " + ", "0")} >= min(2, json_array_length(p.words))
    OR ${each((term) => `${matches(term)} AND ${isRare(term)}`, " OR ", "0")})`;
  const titles = `(SELECT count(*) FROM (SELECT 1 FROM proposals WHERE idea_bank_id = :ideaBankId AND visibility = 'public'
    AND duplicate_of IS NULL LIMIT ${MANY}))`;
  const idsOf = (from: From, term: number) =>
    [
      `${"listed" in from ? ofAllBanks(newestOfBank(from.listed, term)) : "NULL"} AS ids${term}`,
      ...(isMisspelled(term)
        ? [`${"listed" in from ? ofAllBanks(misspelledInBank(from.listed, term)) : "NULL"} AS misspelled${term}`]
        : []),
    ].join(", ");
  const rarestFirst = `(SELECT group_concat(value ORDER BY length(value)) FROM found
    CROSS JOIN json_each(json_array(${lists.join(", ")})))`;
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
      `WITH found AS MATERIALIZED (SELECT ${similar ? titles : 0} AS titles, ${each((term) => idsOf(from, term), ", ", "1")})
       SELECT p.id AS id, CAST(900 * ${score} AS INTEGER) * 10000000000000 + p.last_activity_at AS sort_key, ${bytes} AS bytes
       FROM found CROSS JOIN (${"listed" in from ? candidates : from.among}) candidate CROSS JOIN proposals p ON p.id = candidate.id
       WHERE ${isOfOne ? "p.idea_bank_id = :ideaBankId AND " : ""}${condition} AND ${score} >= ${SHARE} ${similar ? `AND ${isSimilar}` : ""}`,
  };
}

/** SQL: the two letters differ from those that were `typed` in their place by one mistake. */
const isMistake = (first: string, last: string): string =>
  `(${first} = substr(typed, 1, 1) OR ${last} = substr(typed, -1) OR ${last} || ${first} = typed)`;

/** The word without its last letters, if at least three stay. */
const withoutLast = (word: string, letters: number): string =>
  word.length >= 3 + letters ? word.slice(0, -letters) : word;

type Texts = { readonly title?: string | undefined; readonly description?: string | undefined };

/** The columns of an INSERT, and their values. `indexed` counts: a release that does not write it leaves the proposal to `indexSlice`. */
export const TERM_COLUMNS = "words, title_terms, text_terms, indexed";
export const NEW_TERMS = ":words, :titleTerms, :textTerms, 1";
/** For an UPDATE: sets the terms of the texts that it sets. */
export const SET_TERMS = `words = coalesce(:words, words), title_terms = coalesce(:titleTerms, title_terms),
  text_terms = coalesce(:textTerms, text_terms), indexed = indexed + 1`;
/** The values of both. */
export const termsOf = ({ title, description }: Texts) => ({
  words: title === undefined ? undefined : titleWords(title),
  titleTerms: title === undefined ? undefined : titleTerms(title),
  textTerms: description === undefined ? undefined : textTerms(description),
});

/** The proposals of a slice. Each has up to 164 terms. */
const INDEXED_AT_ONCE = 30;

/**
 * Writes the terms of the proposals after `position` whose texts another release has written, which knows fewer of them. A text that changes
 * meanwhile is left to the next run. False when nothing is left.
 */
export async function indexSlice(session: Session, position = startPosition()): Promise<boolean> {
  const found = await session.all(
    prepare<{ id: string; title: string; description: string }>(
      `SELECT id, title, description FROM proposals WHERE indexed IS NULL AND duplicate_of IS NULL AND id > :id
       ORDER BY id LIMIT ${INDEXED_AT_ONCE}`,
      { id: position.id },
    ),
  );
  const last = found.at(-1);
  if (last === undefined) return false;
  position.id = last.id;
  const list = JSON.stringify(found.map((texts) => ({ ...texts, ...termsOf(texts) })));
  await session.run(
    prepare(
      `UPDATE proposals SET words = value ->> 'words', title_terms = value ->> 'titleTerms', text_terms = value ->> 'textTerms', indexed = 1
       FROM json_each(:list) AS each
       WHERE proposals.id = value ->> 'id' AND title = value ->> 'title' AND description = value ->> 'description' AND indexed IS NULL`,
      { list },
    ),
  );
  return found.length === INDEXED_AT_ONCE;
}
