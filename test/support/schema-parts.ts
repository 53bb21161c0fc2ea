/** The schema in parts, each of which D1 takes as one statement: it refuses a text of more than 100,000 bytes. Pure. */

const MOST_CHARACTERS = 60_000;

/** Parts of whole statements. No statement has an empty line in it. */
export function schemaParts(sql: string): readonly string[] {
  const parts: string[] = [];
  for (const piece of sql.split(/(?<=;\n)\n/)) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + piece.length < MOST_CHARACTERS)
      parts[parts.length - 1] = `${last}\n${piece}`;
    else parts.push(piece);
  }
  return parts;
}

/** Makes an empty database one with this schema. */
export async function makeSchema(database: Pick<D1Database, "prepare">, sql: string): Promise<void> {
  for (const part of schemaParts(sql)) await database.prepare(part).run();
}
