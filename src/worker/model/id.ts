/** Identifiers as the API shows them. Pure. */
import * as z from "zod/mini";
import { ID_WIDTH, type Identifier } from "../credentials/id.ts";
import { orRequired } from "./text.ts";

const NO_IDENTIFIER = "must be an identifier";

/** Twelve base62 digits. */
export const Id = z
  .string(orRequired(NO_IDENTIFIER))
  .check(z.regex(new RegExp(`^[0-9A-Za-z]{${ID_WIDTH}}$`), { error: NO_IDENTIFIER }));

export const isId = (text: string): text is Identifier => Id.safeParse(text).success;
