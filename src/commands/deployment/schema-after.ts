/** The schema that SQL files make, one after the other, in a database in memory. */
import { DatabaseSync } from "node:sqlite";
import { SCHEMA_OBJECTS, type SchemaObject } from "./schema-objects.ts";

export function schemaAfter(files: readonly string[]): readonly SchemaObject[] {
  const database = new DatabaseSync(":memory:");
  try {
    for (const file of files) database.exec(file);
    return database
      .prepare(SCHEMA_OBJECTS)
      .all()
      .map(({ type, name, sql }) => ({ type: String(type), name: String(name), sql: String(sql) }));
  } finally {
    database.close();
  }
}
