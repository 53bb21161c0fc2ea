/** For statements that a command writes. */

export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** An identifier says where it lives. */
export const bindingOf = (id: string): string => (id.startsWith("0") ? "DB" : `DB_${id[0]}`);
