/** Identifiers: 12 random base62 digits (71 bits). They reveal nothing and fit into a credential. */
import { type RandomBytes, randomBase62 } from "./base62.ts";

export const ID_WIDTH = 12;

export const createId = (random: RandomBytes): string => randomBase62(ID_WIDTH, random);
