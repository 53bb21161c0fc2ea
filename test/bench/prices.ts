/**
 * Cloudflare's published prices beyond the included amounts, in US dollars per million, as they were in November 2026.
 * Not in here, since it cannot be counted on one machine: processor time.
 */
import type { Counts } from "./counts.ts";

export const PRICES_AS_OF = "November 2026";

export const PRICES = {
  workerRequest: 0.3,
  objectRequest: 0.15,
  /** A gigabyte and second of a Durable Object that cannot sleep. */
  objectGigabyteSecond: 12.5,
  /** D1 or Durable Object. */
  rowWritten: 1,
  /** D1. */
  rowRead: 0.001,
  kvRead: 0.5,
  kvWrite: 5,
  /** Workers Logs. */
  logLine: 0.6,
} as const;

/** What a Durable Object is billed for, however little it uses. */
const OBJECT_GIGABYTES = 0.128;

/** D1, for a gigabyte and a month, in US dollars. */
export const STORED_GIGABYTE = 0.75;

/** What a million requests cost that are like the counted ones, in US dollars. */
export const dollarsPerMillion = (counts: Counts): number =>
  PRICES.workerRequest +
  (counts.objectRequests * PRICES.objectRequest +
    (counts.objectMs / 1_000) * OBJECT_GIGABYTES * PRICES.objectGigabyteSecond +
    counts.rowsWritten * PRICES.rowWritten +
    counts.rowsRead * PRICES.rowRead +
    counts.kvReads * PRICES.kvRead +
    counts.kvWrites * PRICES.kvWrite +
    counts.logLines * PRICES.logLine) /
    counts.requests;
