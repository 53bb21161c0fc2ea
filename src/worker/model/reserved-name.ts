/**
 * Names that nobody may type at a sign-in, because others would take them for the team: by how they look, whatever characters they are
 * made of. Pure.
 */

/**
 * Characters that look like a Latin letter, each row with that letter: of Cyrillic, Greek, Armenian, Coptic, Cherokee, Lisu, phonetic small
 * capitals, letters with a stroke, digits and signs. Other scripts have more.
 */
const LOOKS_LIKE: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    a: "аαɑλδʌᴀⲁᎪꓮ@4",
    b: "ьвβƅʙᏴꓐ8",
    c: "сϲᴄⲥᏟꓚ¢",
    d: "ԁɗđᴅᎠꓓ",
    e: "еєεёɛᴇⲉᎬꓰ3€",
    f: "ғƒꜰꓝ",
    g: "ɡցɢᏀꓖ9",
    h: "һнηħʜⲏᎻꓧ",
    i: "іїιɩıɪʟⲓłᎥᏞꓲꓡl1!|ӏ",
    j: "јϳᴊᎫꓙ",
    k: "кκᴋⲕᏦꓗ",
    m: "мϻᴍⲙᎷꓟ",
    n: "пոиɴⲛꓠ",
    o: "оοσөօøᴏⲟꓳ0",
    p: "рρᴘⲣᏢꓑ",
    q: "ԛգꞯ",
    r: "гʀᎡᏒꓣ",
    s: "ѕʂꜱᏚꓢ5$",
    t: "тτŧᴛⲧᎢꓔ7+",
    u: "υцսᴜꓴ",
    v: "νѵᴠᏙꓦ",
    w: "ѡԝωᴡᎳᏔꓪ",
    x: "хχⲭꓫ×",
    y: "уγүʏⲩᎩꓬ",
    z: "ʐᴢᏃꓜ2",
  }).flatMap(([letter, others]) => [...others.toLowerCase()].map((each) => [each, letter])),
);

/** Where the Latin letters begin that are shown in a box or a circle, and that NFKC leaves as they are. */
const ENCLOSED = [0x1f130, 0x1f150, 0x1f170, 0x1f1e6];

function withoutEnclosure(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  const first = ENCLOSED.find((each) => point >= each && point < each + 26);
  return first === undefined ? character : String.fromCharCode(0x61 + point - first);
}

/** Pairs that look like one letter: that letter is read as the pair. */
const PAIRS: Readonly<Record<string, string>> = { m: "rn", w: "vv" };

/** `isSign`: it may be meant as this letter, or as nothing. */
type Seen = { readonly letter: string; readonly isSign: boolean };

/** What names that look alike have in common: without case, width, accents, spaces, other signs and what no screen shows. */
function lookOf(name: string): readonly Seen[] {
  const plain = name
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\p{M}\p{DI}]/gu, "");
  return [...plain].map(withoutEnclosure).flatMap((each) => {
    const letter = LOOKS_LIKE[each] ?? each;
    if (!/[\p{L}\p{N}]/u.test(letter)) return [];
    return [...(PAIRS[letter] ?? letter)].map((one) => ({ letter: one, isSign: !/[\p{L}\p{N}]/u.test(each) }));
  });
}

/** Whether the two are the same with some of their signs read as letters and the others left out. Work is the product of their lengths. */
function isAlike(name: readonly Seen[], other: readonly Seen[]): boolean {
  /** From each of these places in `other`, and from those behind its signs. */
  const withSkipped = (places: Iterable<number>) => {
    const all = new Set(places);
    for (const place of all) if (other[place]?.isSign) all.add(place + 1);
    return all;
  };
  let places = withSkipped([0]);
  for (const { letter, isSign } of name) {
    const next = [...places].filter((place) => other[place]?.letter === letter).map((place) => place + 1);
    places = withSkipped(isSign ? [...places, ...next] : next);
    if (places.size === 0) return false;
  }
  return places.has(other.length);
}

/** How the elements mark the team's words: their label `team` in every language, and its bare forms. */
const TEAM = [
  ...["team", "the team", "الفريق", "فريق", "das team", "equipo", "el equipo", "l’équipe", "équipe", "il team"],
  ...["運営チーム", "チーム", "運営", "het team", "zespół", "equipe", "a equipe", "ekip", "官方团队", "团队", "官方"],
  ...["admin", "admins", "administrator", "administrators", "moderator", "moderators", "support", "staff", "official"],
];
const LOOKS_OF_TEAM = TEAM.map(lookOf);

/** Whether a name could stand for the team, or for one of `taken`: the names of the board, of the deployment and of members. */
export function isReservedName(name: string, taken: readonly string[]): boolean {
  if (name.normalize("NFKC").includes("@")) return true;
  const look = lookOf(name);
  const looksOfTaken = taken.filter((each) => each !== "").map(lookOf);
  return [...LOOKS_OF_TEAM, ...looksOfTaken].some((each) => isAlike(look, each));
}
