/** The identifier that a tenant has for a proposal. */
import * as z from "zod/mini";
import { exactLine } from "./text.ts";

/**
 * The tenant's own id for a proposal, unique in its idea bank. Only in NFC, so that one spelling never stands for another.
 * `.` and `..` are refused, because they cannot be part of a path.
 */
export const ProposalExternalId = exactLine({ min: 1, max: 255 }, "NFC").check(
  z.refine((value) => value !== "." && value !== "..", { error: "must not be . or .." }),
);
export const ProposalExternalIdPath = z.object({ externalId: ProposalExternalId });
