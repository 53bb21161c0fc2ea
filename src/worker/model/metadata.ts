/** What the tenant keeps with a proposal and panelists never see: its own id for it, and pairs of texts. */
import * as z from "zod/mini";
import { exactLine, prose } from "./text.ts";

/** The tenant's own id for a proposal, unique in its idea bank. In NFC: what looks the same is the same. The two that are left out are no part of a path. */
export const ProposalExternalId = exactLine({ min: 1, max: 255 }, "NFC").check(
  z.refine((value) => value !== "." && value !== "..", { error: "must not be . or .." }),
);
export const ProposalExternalIdPath = z.object({ externalId: ProposalExternalId });

const PAIRS = 16;
const BYTES = 4096;

const Pair = exactLine({ min: 1, max: 64 });

// Not z.record, which is larger than the rest of this file.
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

/** As it is stored: its pairs have no order. Undefined for none. */
export function toStored(metadata: Metadata = {}): string | undefined {
  const pairs = Object.entries(metadata);
  const inOrder = Object.fromEntries(pairs.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return pairs.length === 0 ? undefined : JSON.stringify(inOrder);
}
