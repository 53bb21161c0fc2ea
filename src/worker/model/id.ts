/** Identifiers as the API shows them. Pure. */
import * as z from "zod/mini";
import { ID_WIDTH, type Identifier } from "../credentials/id.ts";

/** Twelve base62 digits. */
export const Id = z
  .string()
  .check(z.regex(new RegExp(`^[0-9A-Za-z]{${ID_WIDTH}}$`), { error: "must be an identifier" }));

export const isId = (text: string): text is Identifier => Id.safeParse(text).success;
