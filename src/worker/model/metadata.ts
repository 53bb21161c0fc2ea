/** Pairs of texts that the tenant keeps with a proposal, and that panelists never see. */
import * as z from "zod/mini";
import { exactLine, prose } from "./text.ts";

const PAIRS = 16;
const BYTES = 4096;

const Pair = exactLine({ min: 1, max: 64 });

// z.record is not used, because it is larger than the rest of this file.
export const Metadata = z
  .catchall(z.object({}), prose({ min: 0, max: 1_000 }))
  .check(
    z.refine((pairs) => Object.keys(pairs).length <= PAIRS, { error: `must have at most ${PAIRS} pairs` }),
    z.refine((pairs) => Object.keys(pairs).every((name) => Pair.safeParse(name).data === name), {
      error: "must have names of 1 to 64 visible characters",
    }),
    z.refine((pairs) => new TextEncoder().encode(JSON.stringify(pairs)).byteLength <= BYTES, {
      error: `must have at most ${BYTES} bytes, as JSON`,
    }),
  )
  .register(z.globalRegistry, { maxProperties: PAIRS });
export type Metadata = Readonly<Record<string, string>>;

/** The stored text. Pairs are sorted, because their order means nothing. Undefined when there are none. */
export function toStored(metadata: Metadata = {}): string | undefined {
  const pairs = Object.entries(metadata);
  const inOrder = Object.fromEntries(pairs.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return pairs.length === 0 ? undefined : JSON.stringify(inOrder);
}
